import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { type CallRecord, extraFields } from './call-record.ts';
import {
  callColumns,
  callNames,
  callOf,
  extraColumns,
  rowOf,
  storedColumns,
  whoCalls,
  whoFields,
} from './call-rows.ts';

/** Reads and writes single calls. */
export function callRows(db: DatabaseSync) {
  const select = db.prepare(
    `SELECT ${callColumns} FROM calls c ${whoCalls} WHERE c.account_id = ? AND c.call_id = ?`,
  );
  // Rows as arrays: naming the columns of each row takes as long as finding it.
  select.setReturnArrays(true);
  const insert = db.prepare(
    `INSERT INTO calls (account_id, ${storedColumns.join(', ')}) VALUES (${'?, '.repeat(storedColumns.length)}?)`,
  );
  // Leaves out caller_id and the extras if they stay the same: naming them would update their indexes.
  const update = (also: string) =>
    db.prepare(
      `UPDATE calls SET ${also}status = ?, ringing_at = ?, answered_at = ?, completed_at = ?, updated_at = ?, missed = ?,
         closed_from = ?,
         rang = ?, talked = ?
       WHERE account_id = ? AND call_id = ?`,
    );
  const [moveOn, answer] = [update(''), update('caller_id = ?, ')];
  const setExtras = db.prepare(
    `UPDATE calls SET ${extraColumns.map((name) => `${name} = ?`).join(', ')} WHERE account_id = ? AND call_id = ?`,
  );
  return {
    get(account: number, id: string): CallRecord | undefined {
      const values = select.get(account, id) as unknown as readonly unknown[] | undefined;
      if (values === undefined) return undefined;
      const row: Record<string, unknown> = {};
      for (const [at, name] of callNames.entries()) row[name] = values[at];
      return callOf(row);
    },
    add(account: number, call: CallRecord): void {
      const row = { ...rowOf(call), missed: flag(call.missed), past: flag(call.past) };
      insert.run(account, ...storedColumns.map((name) => row[name] as SQLInputValue));
    },
    /** What an event can change; the rest is fixed when the call begins. */
    move(account: number, before: CallRecord, after: CallRecord): void {
      const { status, callerId, ringingAt, answeredAt, completedAt, updatedAt } = after;
      const { missed, closedFrom, extras, id } = after;
      const { rang, talked } = whoFields(after);
      const state = [
        status,
        ringingAt,
        answeredAt,
        completedAt,
        updatedAt,
        flag(missed),
        closedFrom,
        rang,
        talked,
      ] as const;
      const moved = [...state, account, id] as const;
      if (callerId === before.callerId) moveOn.run(...moved);
      else answer.run(callerId, ...moved);
      if (extras === before.extras) return;
      const fields = extraFields(extras);
      setExtras.run(...extraColumns.map((name) => fields[name]), account, id);
    },
  };
}

function flag(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}
