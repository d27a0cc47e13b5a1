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

export function persistentMap<V>(entries: Iterable<readonly [string, V]> = []): PersistentMap<V> {
  return new Version<V>(new Map(entries));
}

/**
 * One version: its content is the table itself, or the next version's but for one key. One object with four fields,
 * rather than two that say which of the two it is: a version is made at every step, and each object costs.
 */
class Version<V> implements PersistentMap<V> {
  private own: Map<string, V> | undefined;
  private next: Version<V> | undefined = undefined;
  private key = '';
  /** What the key had in this version; undefined: nothing. */
  private value: V | undefined = undefined;

  constructor(own: Map<string, V>) {
    this.own = own;
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
    return this.succeededBy(new Version(table), key, before);
  }

  delete(key: string): PersistentMap<V> {
    const table = this.table();
    const before = table.get(key);
    if (!table.delete(key)) return this;
    return this.succeededBy(new Version(table), key, before);
  }

  entries(): [string, V][] {
    return [...this.table()];
  }

  private succeededBy(next: Version<V>, key: string, value: V | undefined): Version<V> {
    this.own = undefined;
    this.next = next;
    this.key = key;
    this.value = value;
    return next;
  }

  private table(): Map<string, V> {
    return this.own ?? this.regain();
  }

  /** The table, in the shape of this version: the versions from the newest to this one change sides. */
  private regain(): Map<string, V> {
    const older: Version<V>[] = [];
    let newest: Version<V> = this;
    while (newest.next !== undefined) {
      older.push(newest);
      newest = newest.next;
    }
    const table = newest.own as Map<string, V>;
    for (let last = newest, one = older.pop(); one !== undefined; last = one, one = older.pop()) {
      last.succeededBy(one, one.key, table.get(one.key));
      if (one.value === undefined) table.delete(one.key);
      else table.set(one.key, one.value);
      one.own = table;
      one.next = undefined;
      one.value = undefined;
    }
    return table;
  }
}
