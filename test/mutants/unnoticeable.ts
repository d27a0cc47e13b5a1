import { table } from '../table.ts';
import type { Mutation } from './mutations.ts';

const reasons: Readonly<Record<string, string>> = {
  postgres: 'only a PostgreSQL shows it, in the slow tier',
  mariadb: 'only a MariaDB shows it, in the slow tier',
  tuned: 'a size or time that may as well be one more',
  same: 'it does the same',
  cost: 'it costs time and nothing else',
};

/**
 * Changes that no test of the fast tier can notice, looked at one by one: the file, a part of the line (none: all lines),
 * the change as the mutation says it (none: every change of the line), and why. They are not counted, and one that is
 * noticed all the same may go.
 */
const unnoticeable = table<[path: string, line: string, what: string, why: string]>(`
  src/bridge/calls/channel.ts | indexOf('/', first + 1) | 1 became 2 | no name of a channel has two slashes together
  src/bridge/calls/channel.ts | dash > 0 | 0 became 1 | no channel has a name of one letter
  src/bridge/calls/channel.ts | second > 0 | 0 became 1 | same
  src/bridge/calls/missed.ts | if (channel === undefined || end === undefined) return {}; | inserted undefined && | same
  src/bridge/calls/tracker-state.ts | snapshots: 0, |  | the first read of the records is thorough anyway
  src/bridge/calls/tracker-state.ts | at: 0, |  | the first input sets it before anybody reads it
  src/bridge/cdr/dialled-legs.ts | (dstchannel) === 'real' | inserted true || | cost
  src/bridge/cdr/gap-filler.ts | everyMs = 2_000 |  | tuned
  src/bridge/cdr/gap-filler.ts | let stored = { text: '', since: 0 }; | 0 became 1 | same
  src/bridge/cdr/gap-filler.ts | const writtenMs |  | tuned
  src/bridge/cdr/mysql-connection.ts | verifyIdentity |  | mariadb
  src/bridge/cdr/mysql-connection.ts | error.message.split('; if the root CA') |  | mariadb
  src/bridge/cdr/open-cdr-source.ts | createMysqlSource |  | mariadb
  src/bridge/cdr/rotated-file.ts | await readAt(file, from, size - from) | - became + | it reads to the end of the file
  src/bridge/outbox/tables/counters.ts | > highestSeq | > became >= | tuned
  src/bridge/outbox/tables/database.ts | const checkpointPages |  | tuned
  src/bridge/outbox/tables/due-events.ts | > highestSeq | > became >= | tuned
  src/bridge/outbox/tables/due-events.ts | at < soonest | < became <= | same
  src/bridge/outbox/tables/intake.ts | const chunk = 50 |  | tuned
  src/bridge/outbox/tables/intake.ts | export const repeated |  | same
  src/bridge/outbox/tables/intake.ts | done + chunk * width <= | <= became < | cost
  src/bridge/outbox/tables/outcomes.ts | rows.at(-1) | 1 became 2 | cost
  src/bridge/outbox/worker/keeper.ts | if (state === 'working') main.notify | inserted true || | only a disk that is full and damaged at once, until the next try some ms later
  src/bridge/outbox/worker/keeper.ts | attempt(requests.slice(0, middle), answers, false) |  | only a disk that is full and damaged at once
  src/bridge/outbox/worker/keeper.ts | .slice(i, end < 0 ? | < became <= | another request comes after this one: never the first
  src/bridge/outbox/worker/keeper.ts | requests.length > 0 && state === 'full' |  | same
  src/bridge/outbox/worker/keeper.ts | if (opened) saveRoom | inserted true || | same
  src/bridge/outbox/worker/keeper.ts | if (requests.length <= 1) | 1 became 2 | one event more waits in memory while the disk is full
  src/bridge/outbox/worker/keeper.ts | if (one.name !== 'append') return | inserted true || | cost
  src/bridge/outbox/worker/keeper.ts | unlock(); | unlock(); became ; | the lock ends with the thread
  src/bridge/outbox/worker/keeper.ts | .slice(i, end < 0 | 0 became 1 | same
  src/bridge/outbox/worker/open-store.ts | if (size === 0 && wal.length > 0) | 0 became 1 | a WAL begins with 32 bytes
  src/bridge/outbox/worker/open-store.ts | const known = lost !== undefined |  | only a damaged file shows it, in the slow tier
  src/service/audit/audit-store.ts | const index = |  | cost
  src/service/calls/call-reader.ts | ? 1 : -1 | 1 became 2 | same
  src/service/calls/call-reader.ts | if (rows.length > 0) yield | > became >= | same
  src/service/calls/call-reader.ts | if (rows.length > 0) yield rows.map(callOf) | inserted true || | same
  src/service/calls/call-rows-sqlite.ts | if (extras !== before.extras) | inserted true || | cost
  src/service/calls/call-store.ts | const MAX_NUMBERS = 40 |  | tuned
  src/service/calls/call-store.ts | if (search === null || search.digits !== null) | !== became === | cost
  src/service/calls/call-store.ts | if (search === null || search.digits !== null) | inserted true || | cost
  src/service/calls/call-store.ts | if (words.length === 0) return []; | inserted undefined && | cost
  src/service/database/copy-site.ts |  |  | postgres
  src/service/database/sqlite-store.ts | if (Object.values(limit)[0] === undefined) continue; | inserted false && | cost
  src/service/database/sqlite-store.ts | const SKIP |  | tuned
  src/service/database/sqlite-writer.ts | * 1000) / 1000 |  | rounding of a figure
  src/service/history/history-entries-sqlite.ts | const STEP |  | tuned
  src/service/history/history-paging.ts | if (entries.length > 0) yield |  | same
  src/service/history/history-paging.ts | if (next === null || found.length === most | inserted false && | same
  src/service/history/history-paging.ts | return { hits: found, next: null } |  | it is never reached: the last slice says that it is the last
  src/service/history/history-paging.ts | clock() < end | < became <= | tuned
  src/service/people/caller-store.ts | at < newest.length | < became <= | cost
  src/service/people/customer-store.ts | const SLICE |  | tuned
  src/service/people/customer-store.ts | limit + 1 - rows.length | - became + | cost
  src/service/people/customer-writer-sqlite.ts | isUnchanged(known, before)) return null | inserted undefined && | same
  src/service/reports/figure-rows-sqlite.ts | const STEP = |  | tuned
  src/service/reports/kept-figures.ts | counted.length > 0 && |  | cost
  src/service/reports/kept-figures.ts | LONGEST_MS | <= became < | no day has 26 hours
  src/service/reports/report-rows.ts | answered: calls - missed |  | no column shows it: a row has all three
  src/service/reports/report-rows.ts | answered: 0, |  | no column shows it
  src/service/store/sqlite/open.ts | prepared.set |  | cost
  src/service/store/sqlite/open.ts | endRead(); |  | closing the database ends its read
  src/service/store/sqlite/open.ts | cacheKiB |  | tuned
  src/service/store/statements.ts | const STEP |  | tuned
  src/service/store/statements.ts | after = texts.at | 1 became 2 | cost
  src/service/store/statements.ts | after = texts.at | 0 became 1 | same
  src/service/users/admin-users.ts | .meta({ id: 'Extension' }) |  | a shape that one operation has, written there instead of by its name
  src/service/users/admin-users.ts | * 86_400_000 |  | tuned
  src/service/users/second-factor.ts | if (user.secondFactor === null) | inserted false && | nobody has the secret of no factor
  src/service/users/sessions.ts | const MAX_BROWSER = 300 |  | tuned
  src/service/users/user-store.ts | from < ids.length | < became <= | postgres
  src/service/users/user-store.ts | used ?? 0 | 0 became 1 | tuned
  src/service/users/users.ts | const LINK_MS |  | tuned
  src/service/webhooks/webhook-rows.ts | const DAY_MS |  | tuned
  src/service/webhooks/webhook-rows.ts | const ANSWER |  | tuned
  src/service/webhooks/webhook-rows.ts | 10 * 60_000 | 60_000 became 60001 | tuned
  src/service/webhooks/webhook-rows.ts | changes.goesOn(place, here) |  | postgres
  src/shared/delivery/classify.ts | text.slice(0, 200) | 200 became 201 | tuned
  src/shared/delivery/dispatcher.ts | at + limits.expireEveryMs |  | cost
  src/shared/delivery/dispatcher.ts | if (next === flow) return; |  | cost
  src/shared/delivery/dispatcher.ts | error: 'unknown' | 0 became 1 | only a figure of the log
  src/shared/delivery/dispatcher.ts | clearTimeout(timer) |  | cost
  src/shared/delivery/dispatcher.ts | stop(limitMs = 5_000) |  | tuned
  src/shared/delivery/limits.ts | expireEveryMs |  | tuned
  src/shared/delivery/limits.ts | backlog: { |  | tuned
  src/shared/delivery/limits.ts | retry: { |  | tuned
  src/shared/delivery/limits.ts | trustMs: 100 |  | tuned
  src/shared/delivery/limits.ts | Math.max(0, at - monotonic()) |  | tuned
  src/shared/delivery/limits.ts | unrecorded: 4_000 |  | tuned
  src/shared/delivery/limits.ts | maxAgeMs | 24 became 25 | tuned
  src/shared/delivery/outcome.ts | retryAfterMs ?? 0 | 0 became 1 | tuned
  src/shared/delivery/prefetch-buffer.ts | if (limit <= 0) return; | inserted false && | cost
  src/shared/delivery/reconciler.ts | resends.delete(seq); | resends.delete(seq); became ; | it is forgotten in two ways: with its event, and by age
  src/shared/delivery/reconciler.ts | last.at < at - longestMs | < became <= | tuned
  src/shared/delivery/report.ts | Math.round(ms / 1000) | 1000 became 1001 | tuned
`);

/** Why nobody can notice this; undefined if somebody should. */
export function whyUnnoticeable(path: string, mutation: Mutation): string | undefined {
  const found = unnoticeable.find(
    ([of, line, what]) =>
      of === path && mutation.code.includes(line) && (what === '' || what === mutation.what),
  );
  return found && (reasons[found[3]] ?? found[3]);
}
