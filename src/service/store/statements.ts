export type Value = string | number | boolean | null;

/** Statements that SQLite and PostgreSQL both take, with `$1`, `$2`, … for their values. Booleans come back from SQLite as 0 and 1. */
export type Statements = {
  /** The rows of a question. */
  read<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** The same for a frequent statement that finds its rows by an index: a server keeps its plan. */
  lookup<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** One change, as a transaction of its own, with the rows that it returns. */
  write<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** As SQL: whether a text has another in it. */
  contains(text: string, part: string): string;
  /** As SQL: the first line of a text. */
  firstLine(text: string): string;
  /** As SQL: has the table before it read by this index. */
  along(index: string): string;
  /** As SQL, at the end of a subquery: locks its rows until the end of the change, after other changes of them. */
  readonly lockingRows: string;
};
