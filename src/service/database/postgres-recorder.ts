import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import { type CallRecord, type EventEffect, effectOf, moveCall } from '../calls/call-record.ts';
import { callOf, rowOf, whoOf } from '../calls/call-rows.ts';
import type { Recorded, RecordedRequest } from '../history/request-store.ts';
import { quarterOf } from '../kit/calendar.ts';
import type { Outcome } from '../store/postgres/batches.ts';
import type { Database } from '../store/postgres/database.ts';
import { DAY_MS, type Partitions } from '../store/postgres/partitions.ts';
import { StoreUnavailable } from '../store/statements.ts';
import { readSql, recordSql } from './postgres-record-sql.ts';

/** SQLSTATE of a row that no partition takes. */
const CHECK_VIOLATION = '23514';

/** A call that the batch moves: from how it was read to how it is to be. */
type Move = {
  readonly account: number;
  readonly before: CallStatus | null;
  readonly after: CallRecord;
};

/** Who has a caller's number now. */
type Who = ReturnType<typeof whoOf>;

/** A request of the batch, the move that its event is part of, and the call as the event itself leaves it. */
type Planned = {
  readonly request: RecordedRequest;
  readonly move: string | null;
  readonly call: CallRecord | undefined;
  readonly effect: EventEffect | null;
};

/**
 * Writes batches of requests and the effects of their events, each batch in one transaction that is sent in one go:
 * no lock ever waits for this process.
 *
 * The forward-only rule between processes: a call is read, moved by the one rule there is (call-record.ts), and
 * written only if it still has the status that it was read with; a status never comes back, so it is the row's
 * version. Where another process was faster, nothing of that call's events is written, and they are taken again.
 */
export function recorder({
  database,
  partitions,
  shard,
  monotonic,
  moved,
}: {
  readonly database: Database;
  readonly partitions: Partitions;
  /** This process's share of every sum (see the head of schema.sql). */
  readonly shard: number;
  readonly monotonic: () => number;
  /** Called after the commit: calls of these accounts are moved. */
  readonly moved: (accounts: ReadonlySet<number>) => void;
}) {
  async function read(batch: readonly RecordedRequest[]) {
    const events = batch.flatMap(({ account, event }) => (event === null ? [] : [{ account, ...event }]));
    if (events.length === 0) return { calls: new Map<string, CallRecord>(), callers: new Map<string, Who>() };
    const asked = events.map(({ account, id, number }) => ({
      account_id: account,
      call: id,
      caller: number,
    }));
    const [rows = []] = await database.read([[readSql, JSON.stringify(asked)]]);
    const calls = rows.filter((row) => row.call_id !== null);
    const callers = rows.filter((row) => row.call_id === null);
    return {
      calls: new Map(calls.map((row) => [key(row.account_id, row.call_id), callOf(row)])),
      callers: new Map(callers.map((row) => [key(row.account_id, row.caller), whoOf(row)])),
    };
  }

  /** What the batch does, event after event; a call that several of them move is one move. */
  function plan(
    batch: readonly RecordedRequest[],
    { calls, callers }: { calls: ReadonlyMap<string, CallRecord>; callers: ReadonlyMap<string, Who> },
  ) {
    const moves = new Map<string, Move>();
    const planned = batch.map((request): Planned => {
      const { account, integration, event, at } = request;
      if (event === null) return { request, move: null, call: undefined, effect: null };
      const move = key(account, event.id);
      const known = moves.get(move);
      const before = known?.after ?? calls.get(move);
      const call = moveCall(before, { ...event, integration }, at, () => ({
        number: event.number,
        ...(callers.get(key(account, event.number)) as Who),
      }));
      if (call !== undefined)
        moves.set(move, {
          account,
          before: known === undefined ? (before?.status ?? null) : known.before,
          after: call,
        });
      // An event that moves nothing stands and falls with the move before it in this batch.
      const effect = effectOf(before, event.status, call);
      return { request, move: moves.has(move) ? move : null, call, effect };
    });
    return { moves, planned };
  }

  async function write(batch: readonly RecordedRequest[]): Promise<Outcome<Recorded>[]> {
    await partitions.ensure(batch.map(({ at }) => at));
    const { moves, planned } = plan(batch, await read(batch));
    const now = monotonic();
    const [rows = []] = await database.pipeline(
      [
        [
          recordSql,
          JSON.stringify(Array.from(moves.values(), moveRow)),
          JSON.stringify(planned.map((one) => entryRow(one, now))),
          shard,
        ],
      ],
      { planned: true },
    );
    const done = new Set(rows.map((row) => key(row.account_id, row.call_id)));
    moved(new Set(rows.map((row) => row.account_id as number)));
    return planned.map(({ move, call }) =>
      move !== null && !done.has(move) ? 'again' : { value: { moved: call !== undefined, call } },
    );
  }

  /** One of them may be at fault: then each for itself, so that it fails alone. */
  async function writeAll(batch: readonly RecordedRequest[]): Promise<Outcome<Recorded>[]> {
    try {
      return await write(batch);
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      // No partition takes it: the retention of another process dropped it.
      if ((error as { code?: string }).code === CHECK_VIOLATION) partitions.forget();
      else if (batch.length === 1) return [{ error }];
    }
    const outcomes: Outcome<Recorded>[] = [];
    for (const request of batch)
      outcomes.push(...(await write([request]).catch((error: unknown) => [{ error }])));
    return outcomes;
  }

  return writeAll;
}

const key = (account: unknown, name: unknown) => `${account} ${name}`;

const moveRow = ({ account, before, after }: Move) => ({ account_id: account, before, ...rowOf(after) });

function entryRow({ request: entry, move, effect }: Planned, now: number) {
  const { request, callId, fromNumber } = entry;
  // PostgreSQL's text holds no NUL.
  const asText = typeof request === 'string' && !request.includes('\0');
  return {
    move_account: move === null ? null : entry.account,
    move_call: move === null ? null : entry.event?.id,
    account_id: entry.account,
    integration_id: entry.integration,
    created_at: entry.at,
    day: Math.floor(entry.at / DAY_MS),
    quarter: quarterOf(entry.at),
    method: entry.method,
    path: entry.path,
    call_id: callId,
    from_number: fromNumber,
    request: asText ? request : null,
    request_hex: asText ? null : Buffer.from(request).toString('hex'),
    status: entry.status,
    response: entry.response,
    duration: Math.max(0, Math.round((now - entry.began) * 1000) / 1000),
    effect,
  };
}
