import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { CallStatus } from '../../../api/contract/call-event.ts';
import type { CallRecord } from '../../calls/call-record.ts';

export const callColumns = `call_id, status, from_number, number, customer_reference, customer_name, segment,
  priority, caller_id, started_at, ringing_at, answered_at, completed_at, missed`;

/** A row of `callColumns`, in their order. */
export function callOf(row: readonly SQLOutputValue[]): CallRecord {
  const [id, status, from, number, reference, name, segment, priority, callerId, started, ringing, answered] =
    row;
  const missed = row[13];
  return {
    id: id as string,
    status: status as CallStatus,
    from: from as string,
    number: number as string,
    customer: reference === null ? null : { reference: reference as string, name: name as string },
    segment: segment as string | null,
    priority: priority as number | null,
    callerId: callerId as string | null,
    startedAt: started as number,
    ringingAt: ringing as number | null,
    answeredAt: answered as number | null,
    completedAt: row[12] as number | null,
    missed: missed === null ? null : missed === 1,
  };
}

/** Reads and writes single calls. */
export function callRows(db: DatabaseSync) {
  const select = db.prepare(`SELECT ${callColumns} FROM calls WHERE account_id = ? AND call_id = ?`);
  select.setReturnArrays(true);
  const insert = db.prepare(
    `INSERT INTO calls (account_id, integration_id, ${callColumns}) VALUES (${'?, '.repeat(15)}?)`,
  );
  // Without caller_id where it stays as it was: naming it would have its index written anew.
  const update = (also: string) =>
    db.prepare(
      `UPDATE calls SET ${also}status = ?, ringing_at = ?, answered_at = ?, completed_at = ?, missed = ?
       WHERE account_id = ? AND call_id = ?`,
    );
  const [moveOn, answer] = [update(''), update('caller_id = ?, ')];
  return {
    get(account: number, id: string): CallRecord | undefined {
      const row = select.get(account, id) as unknown as SQLOutputValue[] | undefined;
      return row && callOf(row);
    },
    add(account: number, integration: number, call: CallRecord): void {
      insert.run(
        account,
        integration,
        call.id,
        call.status,
        call.from,
        call.number,
        call.customer?.reference ?? null,
        call.customer?.name ?? null,
        call.segment,
        call.priority,
        call.callerId,
        call.startedAt,
        call.ringingAt,
        call.answeredAt,
        call.completedAt,
        flag(call.missed),
      );
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
