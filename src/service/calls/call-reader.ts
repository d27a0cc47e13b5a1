import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import type { Statements, Value } from '../store/statements.ts';
import type { CallRecord } from './call-record.ts';
import { callColumns, callOf, whoCalls } from './call-rows.ts';

/** Calls of a number that are read in one go. */
const CHUNK = 500;

type Row = Readonly<Record<string, unknown>>;

const distinctOf = {
  extensions: { column: 'caller_id', index: 'calls_by_extension' },
  'numbers called': { column: 'number_called', index: 'calls_by_number_called' },
} as const;

/** Reads calls. */
export function callReader(statements: Statements) {
  const read = async (index: string, where: string, ...values: Value[]): Promise<CallRecord[]> => {
    const sql = `SELECT ${callColumns} FROM calls c ${statements.along(index)} ${whoCalls} WHERE ${where}`;
    return (await statements.read<Row>(sql, ...values)).map(callOf);
  };

  return {
    async get(account: number, id: string): Promise<CallRecord | undefined> {
      const sql = `SELECT ${callColumns} FROM calls c ${whoCalls} WHERE c.account_id = $1 AND c.call_id = $2`;
      return (await statements.lookup<Row>(sql, account, id)).map(callOf)[0];
    },

    /** Calls whose ids are after `from`, and before `to`, with their integrations, by id: at most `limit`. */
    byId: (account: number, { from, to }: { readonly from: string; readonly to: string }, limit: number) =>
      statements.read<{ id: string; status: CallStatus; integration: number }>(
        `SELECT call_id AS id, status, integration_id AS integration FROM calls
         WHERE account_id = $1 AND call_id > $2 AND call_id < $3 ORDER BY call_id LIMIT $4`,
        ...[account, from, to, limit],
      ),

    /** All calls of a number, in chunks. */
    async *ofNumber(account: number, number: string): AsyncGenerator<CallRecord[]> {
      for (let after = 0, rows: Row[] = []; ; after = rows.at(-1)?.place as number) {
        rows = await statements.read<Row>(
          `SELECT ${callColumns}, c.id AS place FROM calls c ${whoCalls}
           WHERE c.account_id = $1 AND c.number = $2 AND c.id > $3 ORDER BY c.id LIMIT $4`,
          ...[account, number, after, CHUNK],
        );
        if (rows.length > 0) yield rows.map(callOf);
        if (rows.length < CHUNK) return;
      }
    },

    /** The different extensions that answered, or numbers that were called, in order: at most `max`. */
    async distinct(account: number, what: keyof typeof distinctOf, max: number): Promise<string[]> {
      const { column, index } = distinctOf[what];
      // From one to the next in the index: calls are not read.
      const next = (after: string) =>
        `(SELECT min(${column}) FROM calls ${statements.along(index)}
          WHERE account_id = $1 AND ${column} IS NOT NULL ${after})`;
      const rows = await statements.read<{ one: string }>(
        `WITH RECURSIVE found(one, n) AS (
           SELECT ${next('')}, 1
           UNION ALL SELECT ${next(`AND ${column} > found.one`)}, n + 1 FROM found WHERE one IS NOT NULL AND n < $2
         ) SELECT one FROM found WHERE one IS NOT NULL`,
        ...[account, max],
      );
      return rows.map(({ one }) => one);
    },

    async open(account: number, max: number): Promise<CallRecord[]> {
      const where = `c.account_id = $1 AND c.status <> 'completed' ORDER BY c.started_at DESC, c.id DESC LIMIT $2`;
      return (await read('calls_open', where, account, max)).toReversed();
    },

    /** The oldest open calls, at most `max`, that ring since before `ringing` or talk since before `answered`, Unix ms. */
    stale(
      account: number,
      { ringing, answered }: { readonly ringing: number; readonly answered: number },
      max: number,
    ): Promise<CallRecord[]> {
      const where = `c.account_id = $1 AND c.status <> 'completed' AND c.started_at < $2 AND
        (c.status = 'ringing' AND c.started_at < $3 OR c.status = 'answered' AND c.answered_at < $4)
        ORDER BY c.started_at, c.id LIMIT $5`;
      return read('calls_open', where, account, Math.max(ringing, answered), ringing, answered, max);
    },
  };
}
