import { FORGOTTEN } from '../../calls/call-record.ts';
import type { CallerAction, CallerStore, CallGroup } from '../caller-store.ts';
import { callColumns, callOf, whoCalls } from './call-rows.ts';
import type { Statements } from './statements.ts';

/** The name of a call's group, as SQL. */
const groupNames = {
  extensions: "CASE WHEN c.answered_at IS NOT NULL OR NOT c.missed THEN coalesce(c.caller_id, '') END",
  segments: "coalesce(s.name, '')",
  integrations: 'CAST(c.integration_id AS text)',
  numbersCalled: 'c.number_called',
  places:
    "CASE WHEN c.missed_where IS NOT NULL OR c.missed_after IS NOT NULL THEN coalesce(c.missed_where, '') END",
} as const;

const inGroup = (group: CallGroup | null, value: number) =>
  group === null ? '' : `AND ${groupNames[group.kind]} = $${value}`;

/** `acted` is called after an action, for the account's screens at other processes. */
export function callerRows(
  { read, write, along }: Statements,
  acted: (account: number) => void = () => {},
): CallerStore {
  return {
    async missed(account, { since, until }, max, group = null) {
      const rows = await read<Record<string, unknown>>(
        `SELECT ${callColumns}, r.call_id AS reached_id, coalesce(r.answered_at, r.completed_at) AS reached_at,
           r.caller_id AS reached_by
         FROM calls c ${along('calls_missed')} ${whoCalls}
         LEFT JOIN calls r ON r.id = (SELECT a.id FROM calls a ${along('calls_by_number')}
           WHERE a.account_id = c.account_id AND a.number = c.number AND a.started_at > c.started_at
             AND (a.answered_at IS NOT NULL OR NOT a.missed) ORDER BY a.started_at LIMIT 1)
         WHERE c.account_id = $1 AND c.missed AND c.completed_at >= $2 AND c.completed_at < $3
           AND c.number <> '${FORGOTTEN}' ${inGroup(group, 5)} ORDER BY c.completed_at DESC, c.id DESC LIMIT $4`,
        ...[account, since, until, max, ...(group === null ? [] : [group.name])],
      );
      return rows.toReversed().map((row) => ({
        call: callOf(row),
        reached:
          row.reached_id === null
            ? null
            : {
                id: row.reached_id as string,
                at: row.reached_at as number,
                by: row.reached_by as string | null,
              },
      }));
    },
    counts(account, { since, until }, group) {
      return read(
        `SELECT c.number, max(k.reference) AS customer, max(k.name) AS name, count(*) AS calls,
           CAST(sum(CASE WHEN c.missed THEN 1 ELSE 0 END) AS bigint) AS missed
         FROM calls c ${along('calls_by_time')} ${whoCalls}
         WHERE c.account_id = $1 AND c.started_at >= $2 AND c.started_at < $3
           AND c.number <> '${FORGOTTEN}' ${inGroup(group, 4)} GROUP BY c.number`,
        ...[account, since, until, ...(group === null ? [] : [group.name])],
      );
    },
    async act(account, { number, at, user, kind, text }) {
      await write(
        'INSERT INTO caller_actions (account_id, number, at, user_name, kind, text) VALUES ($1, $2, $3, $4, $5, $6)',
        ...[account, number, at, user, kind, text],
      );
      acted(account);
    },
    async removeNote(account, { number, at, user }) {
      const removed = await write(
        `DELETE FROM caller_actions WHERE account_id = $1 AND number = $2 AND at = $3 AND user_name = $4
           AND kind = 'note' RETURNING id`,
        ...[account, number, at, user],
      );
      return removed.length > 0;
    },
    async forget(account, number) {
      await write('DELETE FROM caller_actions WHERE account_id = $1 AND number = $2', account, number);
    },
    async actions(account, which, max) {
      const [where, ...values] =
        'number' in which
          ? (['number = $3', which.number] as const)
          : (['at >= $3 AND at < $4', which.since, which.until ?? Number.MAX_SAFE_INTEGER] as const);
      const rows = await read<CallerAction>(
        `SELECT number, at, user_name AS "user", kind, text FROM caller_actions
         WHERE account_id = $1 AND ${where} ORDER BY at DESC, id DESC LIMIT $2`,
        ...[account, max, ...values],
      );
      return rows.toReversed();
    },
  };
}
