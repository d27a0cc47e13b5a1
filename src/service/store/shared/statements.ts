export type Value = string | number | boolean | null;

/** Statements that SQLite and PostgreSQL both take, with `$1`, `$2`, … for their values. Booleans come back from SQLite as 0 and 1. */
export type Statements = {
  /** The rows of a question. */
  read<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** One change, as a transaction of its own, with the rows that it returns. */
  write<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** As SQL: whether a text has another in it. */
  contains(text: string, part: string): string;
};
