import { accountLimits, limitReached, tooManySegments } from '../accounts/limits.ts';
import { hasId, inStepsById, keysOf, type Statements } from '../store/statements.ts';
import { NUMBERS_AT_ONCE } from './customer-writer.ts';

export type Segment = { readonly name: string; readonly priority: number };

/** Customers who lose their segment in one go, as far as their numbers are few enough. */
const leaving = (those: string) => `SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS place,
    sum(numbers) OVER (ORDER BY id) AS numbers
    FROM (SELECT c.id, (SELECT count(*) FROM customer_numbers n WHERE n.customer_id = c.id) AS numbers
      FROM customers c WHERE ${those} LIMIT ${NUMBERS_AT_ONCE}) chosen) few
  WHERE numbers <= ${NUMBERS_AT_ONCE} OR place = 1`;

export const createSegmentReader = ({ read }: Pick<Statements, 'read'>) => ({
  /** The highest priority first. */
  segments: (account: number) =>
    read<Segment>(
      'SELECT name, priority FROM segments WHERE account_id = $1 ORDER BY priority DESC, name',
      account,
    ),
  /** The first of them that a page can offer, and those of these names. */
  offeredSegments: (account: number, names: readonly string[]) =>
    read<Segment>(
      `SELECT name, priority FROM segments WHERE account_id = $1 AND (name IN (${names.map((_, at) => `$${at + 3}`).join() || 'NULL'})
         OR id IN (SELECT id FROM segments WHERE account_id = $1 ORDER BY priority DESC, name LIMIT $2))
       ORDER BY priority DESC, name`,
      ...[account, accountLimits.segments, ...names],
    ),
  async segment(account: number, name: string): Promise<Segment | undefined> {
    const sql = 'SELECT name, priority FROM segments WHERE account_id = $1 AND name = $2';
    return (await read<Segment>(sql, account, name))[0];
  },
  /** Those of these names that no segment of the account has. */
  async missingSegments(account: number, names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return [];
    const sql = `SELECT name FROM segments WHERE account_id = $1 AND name IN (SELECT k.key FROM json_each($2) k)`;
    const found = await read<{ name: string }>(sql, account, keysOf(names));
    return names.filter((name) => !found.some((one) => one.name === name));
  },
  /** The first `most` after `skipped`, and how many customers have each. */
  async segmentPage(
    account: number,
    most: number,
    skipped: number,
  ): Promise<(Segment & { readonly size: number })[]> {
    const rows = await read<Segment & { size: number }>(
      `SELECT s.name, s.priority, (SELECT count(*) FROM customers c WHERE c.segment_id = s.id) AS size
       FROM (SELECT id, name, priority FROM segments WHERE account_id = $1
         ORDER BY priority DESC, name LIMIT $2 OFFSET $3) s ORDER BY s.priority DESC, s.name`,
      ...[account, most, skipped],
    );
    return rows.map((row) => ({ ...row, size: Number(row.size) }));
  },
});

const putSql = `INSERT INTO segments (account_id, name, priority) SELECT $1, $2, $3
  WHERE (SELECT count(*) FROM segments WHERE account_id = $1) < $4
    OR EXISTS (SELECT 1 FROM segments WHERE account_id = $1 AND name = $2)
  ON CONFLICT (account_id, name) DO UPDATE SET priority = excluded.priority RETURNING id`;
const addSql = (
  names: readonly string[],
) => `INSERT INTO segments (account_id, name, priority) SELECT $1, column1, $2
  FROM (VALUES ${names.map((_, at) => `($${at + 4})`).join()}) AS missing
  WHERE (SELECT count(*) FROM segments WHERE account_id = $1) <= $3
  ON CONFLICT (account_id, name) DO NOTHING RETURNING id`;
const own = 'SELECT id FROM segments WHERE account_id = $1 AND name = $2';
const isIn = `segment_id = (${own})`;

/** `changed` is called after a change. */
export function createSegmentWriter(
  { read, write, writeAlone }: Statements,
  { segments }: ReturnType<typeof createSegmentReader>,
  changed: (account: number) => void,
) {
  return {
    /** @throws ChangeRefused if it is new, and the account has as many as it can have */
    async putSegment(account: number, { name, priority }: Segment): Promise<void> {
      const values = [account, name, priority, accountLimits.segments];
      const put = await writeAlone(account, putSql, ...values);
      if (put.length === 0) throw limitReached('segments');
      changed(account);
    },
    /**
     * Adds those of these segments that do not exist, all or none; returns them.
     * @throws ChangeRefused if there would be more than the account can have
     */
    async addSegments(account: number, names: Iterable<string>, priority: number): Promise<string[]> {
      const wanted = new Set(names);
      if (wanted.size === 0) return [];
      for (let before = -1; ; ) {
        const missing = [...wanted.difference(new Set((await segments(account)).map(({ name }) => name)))];
        if (missing.length === 0) return [];
        // Others may have added some of them since they were read.
        if (missing.length > accountLimits.segments || missing.length === before)
          throw tooManySegments(missing.length);
        const values = [account, priority, accountLimits.segments - missing.length, ...missing];
        const added = await writeAlone(account, addSql(missing), ...values);
        if (added.length > 0) {
          changed(account);
          return missing;
        }
        before = missing.length;
      }
    },
    /**
     * Its customers stay, without a segment. False if there is none. They lose it some at a time, since each may change the
     * figures of a time in which it called, and the segment goes last: a removal that was broken off is finished by another.
     */
    async removeSegment(account: number, name: string): Promise<boolean> {
      await inStepsById(
        1, // until none is left
        () => read(leaving(isIn), account, name),
        (ids) =>
          write(
            `UPDATE customers SET segment_id = NULL WHERE ${hasId(3)} AND ${isIn} RETURNING id`,
            ...[account, name, ids],
          ),
      );
      const sql = 'DELETE FROM segments WHERE account_id = $1 AND name = $2 RETURNING id';
      const removed = await write(sql, account, name);
      if (removed.length === 1) changed(account);
      return removed.length === 1;
    },
  };
}
