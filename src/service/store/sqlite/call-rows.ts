import type { DatabaseSync } from 'node:sqlite';
import type { CallRecord } from '../../calls/call-record.ts';
import { callColumns, callOf, callTypes, rowOf } from '../shared/call-rows.ts';

const columns = Object.keys(callTypes);

/** Reads and writes single calls. */
export function callRows(db: DatabaseSync) {
  const select = db.prepare(`SELECT ${callColumns} FROM calls c WHERE account_id = ? AND call_id = ?`);
  // By place: to make names of the columns for each row takes as long as to find it.
  select.setReturnArrays(true);
  const insert = db.prepare(`INSERT INTO calls (account_id, ${callColumns}) VALUES (${'?, '.repeat(15)}?)`);
  // Without caller_id where it stays as it was: naming it would have its index written anew.
  const update = (also: string) =>
    db.prepare(
      `UPDATE calls SET ${also}status = ?, ringing_at = ?, answered_at = ?, completed_at = ?, missed = ?
       WHERE account_id = ? AND call_id = ?`,
    );
  const [moveOn, answer] = [update(''), update('caller_id = ?, ')];
  return {
    get(account: number, id: string): CallRecord | undefined {
      const values = select.get(account, id) as unknown as readonly unknown[] | undefined;
      if (values === undefined) return undefined;
      const row: Record<string, unknown> = {};
      for (const [at, name] of columns.entries()) row[name] = values[at];
      return callOf(row);
    },
    add(account: number, call: CallRecord): void {
      const { missed, ...row } = rowOf(call);
      insert.run(account, ...Object.values(row), flag(missed));
    },
    /** What an event can change; the rest is fixed when the call begins. */
    move(account: number, before: CallRecord, after: CallRecord): void {
      const { status, callerId, ringingAt, answeredAt, completedAt, missed, id } = after;
      const moved = [status, ringingAt, answeredAt, completedAt, flag(missed), account, id] as const;
      if (callerId === before.callerId) moveOn.run(...moved);
      else answer.run(callerId, ...moved);
    },
  };
}

function flag(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}
