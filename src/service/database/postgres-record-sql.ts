import { callTypes, extraColumns, storedColumns, whoColumns } from '../calls/call-rows.ts';
import { LONGEST_MS } from '../reports/kept-figures.ts';

/** An entry of the history as recorder.ts makes it. */
const entryTypes = {
  move_account: 'bigint',
  move_call: 'text',
  account_id: 'bigint',
  integration_id: 'bigint',
  created_at: 'bigint',
  day: 'integer',
  quarter: 'bigint',
  method: 'text',
  path: 'text',
  call_id: 'text',
  from_number: 'text',
  request: 'text',
  request_hex: 'text',
  status: 'integer',
  response: 'text',
  duration: 'double precision',
  effect: 'text',
};

const typed = (types: Readonly<Record<string, string>>) =>
  Object.entries(types)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');

/** Of a call, in its table. */
const columns = storedColumns.join(', ');

/**
 * The calls of a batch, with who has their callers' numbers now. $1: their events, as JSON, of which the planner
 * assumes the same number each time, so that the server keeps the plan. OFFSET 0: each by its index (see database.ts).
 */
export const readSql = `
SELECT g.account_id, g.caller, c.*, w.*
FROM json_to_recordset($1::json) AS g(account_id bigint, call text, caller text)
LEFT JOIN LATERAL (
  SELECT ${columns} FROM calls WHERE account_id = g.account_id AND call_id = g.call OFFSET 0
) c ON true
LEFT JOIN LATERAL (
  SELECT ${whoColumns} FROM customer_numbers n JOIN customers k ON k.id = n.customer_id LEFT JOIN segments s ON s.id = k.segment_id
  WHERE n.account_id = g.account_id AND n.number = coalesce(c.number, g.caller) OFFSET 0
) w ON true`;

/**
 * One batch as one statement: $1 the moves, $2 the history's entries (both JSON, see recorder.ts), $3 the shard.
 * Returns the moves that were made. A move is made if the call still has the status that it was read with; an entry is
 * written if it belongs to no move or to one that was made.
 * `locked` and the ORDER BYs: rows are locked in one order by everybody, and a lock is waited for before the status is
 * read.
 */
export const recordSql = `
WITH given AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json) AS g(
    account_id bigint, before text, ${typed(callTypes)})
), begun AS (
  INSERT INTO calls (account_id, ${columns})
  SELECT account_id, ${columns}
  FROM given WHERE before IS NULL ORDER BY account_id, call_id COLLATE "C"
  ON CONFLICT (account_id, call_id) DO NOTHING
  RETURNING account_id, call_id
), locked AS MATERIALIZED (
  SELECT c.id, g.account_id, g.call_id
  FROM (SELECT account_id, call_id FROM given WHERE before IS NOT NULL ORDER BY account_id, call_id COLLATE "C") g
  CROSS JOIN LATERAL (
    SELECT id FROM calls WHERE account_id = g.account_id AND call_id = g.call_id FOR NO KEY UPDATE
  ) c
), advanced AS (
  UPDATE calls c SET status = g.status, caller_id = g.caller_id, ringing_at = g.ringing_at,
    answered_at = g.answered_at, completed_at = g.completed_at, missed = g.missed,
    ${extraColumns.map((name) => `${name} = g.${name}`).join(', ')}, changed = pg_current_xact_id()
  FROM given g JOIN locked l ON l.account_id = g.account_id AND l.call_id = g.call_id
  WHERE c.id = l.id AND c.status = g.before
  RETURNING c.account_id, c.call_id
), made AS MATERIALIZED (
  SELECT * FROM begun UNION ALL SELECT * FROM advanced
), outdated AS MATERIALIZED (
  SELECT k.account_id, k.since, k.until FROM given g JOIN made m ON m.account_id = g.account_id AND m.call_id = g.call_id
  JOIN kept_figures k ON k.account_id = g.account_id AND k.since BETWEEN g.started_at - ${LONGEST_MS} AND g.started_at
    AND k.until > g.started_at
  ORDER BY 1, 2, 3 FOR UPDATE OF k
), forgotten AS (
  DELETE FROM kept_figures k USING outdated o
  WHERE k.account_id = o.account_id AND k.since = o.since AND k.until = o.until
), entries AS MATERIALIZED (
  SELECT e.* FROM ROWS FROM (json_to_recordset($2::json) AS (
    ${typed(entryTypes)})) WITH ORDINALITY AS e(${Object.keys(entryTypes).join(', ')}, n)
  WHERE e.move_account IS NULL
    OR EXISTS (SELECT FROM made m WHERE m.account_id = e.move_account AND m.call_id = e.move_call)
), written AS (
  INSERT INTO history (account_id, integration_id, created_at, method, path, call_id, from_number, request, request_bytes, status,
    response, duration, effect)
  SELECT account_id, integration_id, created_at, method, path, call_id, from_number, request, decode(request_hex, 'hex'), status,
    response, duration, effect
  FROM entries ORDER BY n
), summed AS (
  INSERT INTO history_counts AS h
  SELECT account_id, day, $3::integer, count(*) FROM entries GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (account_id, day, shard) DO UPDATE SET entries = h.entries + excluded.entries
), used AS (
  INSERT INTO integration_use AS u
  SELECT integration_id, quarter, $3::integer, count(*), max(created_at) FROM entries GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (integration_id, quarter, shard) DO UPDATE SET
    requests = u.requests + excluded.requests, last_at = greatest(u.last_at, excluded.last_at)
)
SELECT account_id, call_id FROM made`;
