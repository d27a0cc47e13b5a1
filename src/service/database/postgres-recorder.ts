import { preciseMs } from '../../shared/process/clock.ts';
import { StoreUnavailable } from '../../shared/storage/storage-error.ts';
import type { CallRecord } from '../calls/call-record.ts';
import {
  callOf,
  callTypes,
  extraColumns,
  rowOf,
  storedColumns,
  whoColumns,
  whoOf,
} from '../calls/call-rows.ts';
import { durationOf, planRequest } from '../history/request-plan.ts';
import type { Recorded, RecordedRequest } from '../history/request-store.ts';
import { QUARTER_MS } from '../kit/calendar.ts';
import { LONGEST_MS } from '../reports/figure-cache.ts';
import type { Outcome } from '../store/postgres/batches.ts';
import type { Queries } from '../store/postgres/database.ts';
import { DAY_MS, type Partitions } from '../store/postgres/partitions.ts';

/** SQLSTATE of a row that no partition takes. */
const CHECK_VIOLATION = '23514';

/** What a batch does to a call. */
type Move = {
  readonly account: number;
  /** The call as it was read; undefined: it is new. */
  readonly before: CallRecord | undefined;
  readonly after: CallRecord;
};

/**
 * Writes batches of requests and the effects of their events, each batch by one statement: no lock ever waits for this
 * process.
 *
 * The forward-only rule between processes: a call is read, moved by the one rule there is (call-record.ts), and
 * written only if it still has the status that it was read with, closed by the service or not; this never comes back,
 * so it is the row's version. Where another process was faster, nothing of that call's events is written, and they are taken again.
 *
 * `shard`: this process's share of every sum (see the head of schema.sql). `moved` is called after the commit: calls of
 * these accounts are moved.
 */
export function recorder(
  database: Queries,
  partitions: Partitions,
  shard: number,
  moved: (accounts: ReadonlySet<number>) => void,
) {
  async function write(batch: readonly RecordedRequest[]): Promise<Outcome<Recorded>[]> {
    await partitions.ensure(batch.map(({ at }) => at));
    const { moves, planned } = planBatch(batch, await readCalls(database, batch));
    const now = preciseMs();
    const moveRows = Array.from(moves.values(), ({ account, before, after }) => ({
      account_id: account,
      before: before?.status ?? null,
      before_closed_from: before?.closedFrom ?? null,
      ...rowOf(after),
    }));
    const entryRows = planned.map(({ request, move, effect, isUse }, n) => ({
      n,
      moves: move !== null,
      is_use: isUse,
      effect,
      ...entryRow(request, now),
    }));
    const rows = await database.prepared<{ account_id: number; call_id: string }>(
      recordSql,
      JSON.stringify(moveRows),
      JSON.stringify(entryRows),
      shard,
    );
    const made = new Set(rows.map((row) => key(row.account_id, row.call_id)));
    moved(new Set(rows.map((row) => row.account_id)));
    return planned.map(({ move, call }) =>
      move !== null && !made.has(move) ? 'again' : { value: { moved: call !== undefined, call } },
    );
  }

  return async (batch: readonly RecordedRequest[]): Promise<Outcome<Recorded>[]> => {
    try {
      return await write(batch);
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      // No partition takes it: the retention of another process dropped it.
      if ((error as { code?: string }).code === CHECK_VIOLATION) partitions.forget();
      else if (batch.length === 1) return [{ error }];
    }
    // One of them may be at fault: then each for itself, so that it fails alone.
    const outcomes: Outcome<Recorded>[] = [];
    for (const request of batch)
      outcomes.push(...(await write([request]).catch((error: unknown) => [{ error }])));
    return outcomes;
  };
}

const key = (account: unknown, name: unknown) => `${account} ${name}`;

/** The calls of a batch, and who has the numbers of the callers whose calls are new. */
async function readCalls(database: Queries, batch: readonly RecordedRequest[]) {
  const asked = batch.flatMap(({ account, event }) =>
    event === null ? [] : [{ account_id: account, call: event.id, caller: event.number }],
  );
  const rows = asked.length === 0 ? [] : await database.prepared(readSql, JSON.stringify(asked));
  const known = rows.filter((row) => row.call_id !== null);
  const unknown = rows.filter((row) => row.call_id === null);
  return {
    calls: new Map(known.map((row) => [key(row.account_id, row.call_id), callOf(row)])),
    callers: new Map(unknown.map((row) => [key(row.account_id, row.caller), whoOf(row)])),
  };
}

/** What the batch does, event after event; a call that several of them move is one move. */
function planBatch(
  batch: readonly RecordedRequest[],
  { calls, callers }: Awaited<ReturnType<typeof readCalls>>,
) {
  const moves = new Map<string, Move>();
  const planned = batch.map((request) => {
    const { account, event } = request;
    const move = event === null ? null : key(account, event.id);
    const read = move === null ? undefined : calls.get(move);
    const before = move === null ? undefined : (moves.get(move)?.after ?? read);
    const plan = planRequest(request, before, (number) => ({
      number,
      ...(callers.get(key(account, number)) as ReturnType<typeof whoOf>),
    }));
    if (move !== null && plan.call !== undefined)
      moves.set(move, { account, before: read, after: plan.call });
    // An event that moves nothing is stored only if the move before it in this batch is.
    return { request, ...plan, move: move !== null && moves.has(move) ? move : null };
  });
  return { moves, planned };
}

function entryRow(entry: RecordedRequest, now: number) {
  const { request } = entry;
  // PostgreSQL's text holds no NUL.
  const asText = typeof request === 'string' && !request.includes('\0');
  return {
    account_id: entry.account,
    integration_id: entry.integration,
    created_at: entry.at,
    method: entry.method,
    path: entry.path,
    call_id: entry.callId,
    from_number: entry.fromNumber,
    request: asText ? request : null,
    request_hex: asText ? null : Buffer.from(request).toString('hex'),
    status: entry.status,
    response: entry.response,
    duration: durationOf(entry, now),
  };
}

/**
 * The calls of a batch, with who has their callers' numbers now. $1: their events, as JSON, of which the planner
 * assumes the same number each time, so that the server keeps the plan. OFFSET 0: each by its index (see database.ts).
 */
const readSql = `
SELECT g.account_id, g.caller, c.*, w.*
FROM json_to_recordset($1::json) AS g(account_id bigint, call text, caller text)
LEFT JOIN LATERAL (
  SELECT ${storedColumns.join(', ')} FROM calls WHERE account_id = g.account_id AND call_id = g.call OFFSET 0
) c ON true
LEFT JOIN LATERAL (
  SELECT ${whoColumns} FROM customer_numbers n JOIN customers k ON k.id = n.customer_id LEFT JOIN segments s ON s.id = k.segment_id
  WHERE n.account_id = g.account_id AND n.number = coalesce(c.number, g.caller) OFFSET 0
) w ON true`;

const columns = storedColumns.join(', ');
const typedColumns = Object.entries(callTypes)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');
/** What an event changes of a call. */
const changing = [
  ...[
    'status',
    'caller_id',
    'ringing_at',
    'answered_at',
    'completed_at',
    'updated_at',
    'missed',
    'closed_from',
  ],
  ...extraColumns,
  ...['rang', 'talked'],
];

/**
 * One batch as one statement: $1 its moves, $2 the history's entries (both JSON, as `write` makes them), $3 the shard.
 * Returns the moves that were made. Rows are locked in the same order (ORDER BY) by every process, or two would wait for
 * each other. MATERIALIZED: computed once, before what uses it.
 */
const recordSql = `
WITH moves AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json) AS g(account_id bigint, before text, before_closed_from text,
    ${typedColumns})

-- A new call is made unless another process has made it.
), begun AS (
  INSERT INTO calls (account_id, ${columns})
  SELECT account_id, ${columns} FROM moves WHERE before IS NULL ORDER BY account_id, call_id COLLATE "C"
  ON CONFLICT (account_id, call_id) DO NOTHING
  RETURNING account_id, call_id

-- A known call is moved if it still has the status that it was read with: this is looked at when the row is locked.
), locked AS MATERIALIZED (
  SELECT c.id, m.account_id, m.call_id
  FROM (SELECT account_id, call_id FROM moves WHERE before IS NOT NULL ORDER BY account_id, call_id COLLATE "C") m
  CROSS JOIN LATERAL (
    SELECT id FROM calls WHERE account_id = m.account_id AND call_id = m.call_id FOR NO KEY UPDATE
  ) c
), advanced AS (
  UPDATE calls c SET ${changing.map((name) => `${name} = m.${name}`).join(', ')}, changed = pg_current_xact_id()
  FROM moves m JOIN locked l USING (account_id, call_id)
  WHERE c.id = l.id AND c.status = m.before AND c.closed_from IS NOT DISTINCT FROM m.before_closed_from
  RETURNING c.account_id, c.call_id
), made AS MATERIALIZED (
  SELECT * FROM begun UNION ALL SELECT * FROM advanced

-- Cached figures of the time in which a moved call began are outdated.
), outdated AS MATERIALIZED (
  SELECT k.account_id, k.since, k.until FROM moves m JOIN made USING (account_id, call_id)
  JOIN kept_figures k ON k.account_id = m.account_id AND k.since BETWEEN m.started_at - ${LONGEST_MS} AND m.started_at
    AND k.until > m.started_at
  ORDER BY 1, 2, 3 FOR UPDATE OF k
), forgotten AS (
  DELETE FROM kept_figures k USING outdated o
  WHERE k.account_id = o.account_id AND k.since = o.since AND k.until = o.until

-- An entry is written unless its event is part of a move that was not made. Sums follow.
), entries AS MATERIALIZED (
  SELECT e.* FROM json_to_recordset($2::json) AS e(n integer, moves boolean, is_use boolean, account_id bigint, integration_id bigint,
    created_at bigint, method text, path text, call_id text, from_number text, request text, request_hex text,
    status integer, response text, duration double precision, effect text)
  WHERE NOT e.moves OR EXISTS (SELECT FROM made m WHERE m.account_id = e.account_id AND m.call_id = e.call_id)
), written AS (
  INSERT INTO history (account_id, integration_id, created_at, method, path, call_id, from_number, request, request_bytes,
    status, response, duration, effect)
  SELECT account_id, integration_id, created_at, method, path, call_id, from_number, request, decode(request_hex, 'hex'),
    status, response, duration, effect
  FROM entries ORDER BY n
), summed AS (
  INSERT INTO history_counts AS h (account_id, day, shard, entries)
  SELECT account_id, created_at / ${DAY_MS}, $3::integer, count(*) FROM entries GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (account_id, day, shard) DO UPDATE SET entries = h.entries + excluded.entries
), used AS (
  INSERT INTO integration_use AS u (integration_id, quarter, shard, requests, last_at)
  SELECT integration_id, created_at / ${QUARTER_MS}, $3::integer, count(*), max(created_at)
  FROM entries WHERE is_use GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (integration_id, quarter, shard) DO UPDATE SET
    requests = u.requests + excluded.requests, last_at = greatest(u.last_at, excluded.last_at)
)
SELECT account_id, call_id FROM made`;
