/**
 * A map that never changes: `set` and `delete` give a new one, and the old one stays as it was. The tracker is pure
 * because of this, and fast in spite of it: all versions share one table, which is in the shape of the newest; an
 * older version only knows how it differs from the next. So the newest, the only one that the running program uses,
 * costs what a plain Map costs; going back to an old one (tests do) costs a step for each change in between.
 * Versions that nobody holds are freed: old ones point to new ones, never the other way round.
 *
 * Source: Baker, "Shallow binding makes functional arrays fast" (1991). Hash tries in libraries were measured at a
 * third of this speed (`test/bench/tracker.ts`).
 */
export type PersistentMap<V> = {
  readonly size: number;
  get(key: string): V | undefined;
  has(key: string): boolean;
  set(key: string, value: V): PersistentMap<V>;
  delete(key: string): PersistentMap<V>;
  /** A copy, in the order in which keys were first set. */
  entries(): [string, V][];
};

/** Where a version's content is: in the table itself, or in the next version's but for one key. */
type Version<V> =
  | { table: Map<string, V>; next?: undefined }
  | { table?: undefined; next: Versioned<V>; key: string; value: V | undefined };

export function persistentMap<V>(entries: Iterable<readonly [string, V]> = []): PersistentMap<V> {
  return new Versioned<V>({ table: new Map(entries) });
}

class Versioned<V> implements PersistentMap<V> {
  private version: Version<V>;

  constructor(version: Version<V>) {
    this.version = version;
  }

  get size(): number {
    return this.table().size;
  }

  get(key: string): V | undefined {
    return this.table().get(key);
  }

  has(key: string): boolean {
    return this.table().has(key);
  }

  set(key: string, value: V): PersistentMap<V> {
    const table = this.table();
    const before = table.get(key);
    if (before === value) return this;
    table.set(key, value);
    return this.succeededBy(table, key, before);
  }

  delete(key: string): PersistentMap<V> {
    const table = this.table();
    const before = table.get(key);
    if (!table.delete(key)) return this;
    return this.succeededBy(table, key, before);
  }

  entries(): [string, V][] {
    return [...this.table()];
  }

  private succeededBy(table: Map<string, V>, key: string, value: V | undefined): Versioned<V> {
    const next = new Versioned<V>({ table });
    this.version = { next, key, value };
    return next;
  }

  /** The table, in the shape of this version: if it is not, the versions from the newest to this one change sides. */
  private table(): Map<string, V> {
    if (this.version.table !== undefined) return this.version.table;
    const older: Versioned<V>[] = [];
    let newest: Versioned<V> = this;
    while (newest.version.next !== undefined) {
      older.push(newest);
      newest = newest.version.next;
    }
    const table = newest.version.table as Map<string, V>;
    for (let last = newest, one = older.pop(); one !== undefined; last = one, one = older.pop()) {
      const { key, value } = one.version as { key: string; value: V | undefined };
      last.version = { next: one, key, value: table.get(key) };
      if (value === undefined) table.delete(key);
      else table.set(key, value);
      one.version = { table };
    }
    return table;
  }
}
