import type { Mutation } from './mutations.ts';

/** A change that no test of the fast tier can notice, by the line that it is in. */
type Unnoticeable = {
  readonly path: string;
  /** A part of the line; '' for all lines. */
  readonly line: string;
  /** As the mutation says it; every change of the line if absent. */
  readonly what?: string;
  readonly why: string;
};

const postgres = 'only a PostgreSQL shows it, in the slow tier';
const mariadb = 'only a MariaDB shows it, in the slow tier';
const tuned = 'a size or time that may as well be one more';
const same = 'it does the same';
const cost = 'it costs time and nothing else';

/** Looked at one by one. They are not counted, and one that is noticed all the same may go. */
const unnoticeable: readonly Unnoticeable[] = [
  { path: 'src/service/reports/figure-rows-sqlite.ts', line: 'const STEP =', why: tuned },
  { path: 'src/shared/delivery/dispatcher.ts', line: 'at + limits.expireEveryMs', why: cost },
  {
    path: 'src/service/users/user-store.ts',
    line: 'from < ids.length',
    what: '< became <=',
    why: postgres,
  },
  { path: 'src/service/history/history-paging.ts', line: 'if (entries.length > 0) yield', why: same },
  {
    path: 'src/service/history/history-paging.ts',
    line: 'if (next === null || found.length === most',
    what: 'inserted false &&',
    why: same,
  },
  {
    path: 'src/service/history/history-paging.ts',
    line: 'return { hits: found, next: null }',
    why: 'it is never reached: the last slice says that it is the last',
  },
  {
    path: 'src/service/reports/report-rows.ts',
    line: 'answered: calls - missed',
    why: 'no column shows it: a row has all three',
  },
  { path: 'src/service/reports/report-rows.ts', line: 'answered: 0,', why: 'no column shows it' },
  {
    path: 'src/shared/delivery/reconciler.ts',
    line: 'resends.delete(seq);',
    what: 'resends.delete(seq); became ;',
    why: 'it is forgotten in two ways: with its event, and by age',
  },
  { path: 'src/service/calls/call-store.ts', line: 'const MAX_NUMBERS = 40', why: tuned },
  {
    path: 'src/service/database/sqlite-store.ts',
    line: 'if (Object.values(limit)[0] === undefined) continue;',
    what: 'inserted false &&',
    why: cost,
  },
  { path: 'src/service/reports/kept-figures.ts', line: 'counted.length > 0 &&', why: cost },
  {
    path: 'src/bridge/calls/missed.ts',
    line: 'if (channel === undefined || end === undefined) return {};',
    what: 'inserted undefined &&',
    why: same,
  },
  {
    path: 'src/service/calls/call-store.ts',
    line: 'if (search === null || search.digits !== null)',
    what: '!== became ===',
    why: cost,
  },
  {
    path: 'src/bridge/outbox/worker/keeper.ts',
    line: "if (state === 'working') main.notify",
    what: 'inserted true ||',
    why: 'only a disk that is full and damaged at once, until the next try some ms later',
  },
  { path: 'src/shared/delivery/limits.ts', line: 'expireEveryMs', why: tuned },
  { path: 'src/shared/delivery/limits.ts', line: 'backlog: {', why: tuned },
  { path: 'src/shared/delivery/limits.ts', line: 'retry: {', why: tuned },
  { path: 'src/bridge/outbox/tables/intake.ts', line: 'const chunk = 50', why: tuned },
  { path: 'src/shared/delivery/dispatcher.ts', line: 'if (next === flow) return;', why: cost },
  {
    path: 'src/bridge/outbox/worker/open-store.ts',
    line: 'if (size === 0 && wal.length > 0)',
    what: '0 became 1',
    why: 'a WAL begins with 32 bytes',
  },
  {
    path: 'src/bridge/cdr/rotated-file.ts',
    line: 'await readAt(file, from, size - from)',
    what: '- became +',
    why: 'it reads to the end of the file',
  },
  { path: 'src/bridge/cdr/open-cdr-source.ts', line: 'createMysqlSource', why: mariadb },
  {
    path: 'src/service/users/admin-users.ts',
    line: ".meta({ id: 'Extension' })",
    why: 'a shape that one operation has, written there instead of by its name',
  },
  { path: 'src/shared/delivery/limits.ts', line: 'trustMs: 100', why: tuned },
  {
    path: 'src/bridge/calls/channel.ts',
    line: "indexOf('/', first + 1)",
    what: '1 became 2',
    why: 'no name of a channel has two slashes together',
  },
  {
    path: 'src/bridge/outbox/worker/keeper.ts',
    line: 'attempt(requests.slice(0, middle), answers, false)',
    why: 'only a disk that is full and damaged at once',
  },
  {
    path: 'src/bridge/calls/tracker-state.ts',
    line: 'snapshots: 0,',
    why: 'the first read of the records is thorough anyway',
  },
  {
    path: 'src/service/calls/call-store.ts',
    line: 'if (words.length === 0) return [];',
    what: 'inserted undefined &&',
    why: cost,
  },
  {
    path: 'src/bridge/outbox/worker/open-store.ts',
    line: 'const known = lost !== undefined',
    why: 'only a damaged file shows it, in the slow tier',
  },
  {
    path: 'src/bridge/calls/tracker-state.ts',
    line: 'at: 0,',
    why: 'the first input sets it before anybody reads it',
  },
  {
    path: 'src/bridge/outbox/worker/keeper.ts',
    line: '.slice(i, end < 0 ?',
    what: '< became <=',
    why: 'another request comes after this one: never the first',
  },
  { path: 'src/bridge/cdr/gap-filler.ts', line: 'everyMs = 2_000', why: tuned },
  { path: 'src/shared/delivery/limits.ts', line: 'Math.max(0, at - monotonic())', why: tuned },
  { path: 'src/service/calls/call-reader.ts', line: '? 1 : -1', what: '1 became 2', why: same },
  {
    path: 'src/shared/delivery/dispatcher.ts',
    line: "error: 'unknown'",
    what: '0 became 1',
    why: 'only a figure of the log',
  },
  {
    path: 'src/shared/delivery/prefetch-buffer.ts',
    line: 'if (limit <= 0) return;',
    what: 'inserted false &&',
    why: cost,
  },
  {
    path: 'src/bridge/calls/channel.ts',
    line: 'dash > 0',
    what: '0 became 1',
    why: 'no channel has a name of one letter',
  },
  { path: 'src/bridge/outbox/worker/keeper.ts', line: "requests.length > 0 && state === 'full'", why: same },
  {
    path: 'src/bridge/outbox/worker/keeper.ts',
    line: 'if (opened) saveRoom',
    what: 'inserted true ||',
    why: same,
  },
  {
    path: 'src/bridge/outbox/worker/keeper.ts',
    line: 'if (requests.length <= 1)',
    what: '1 became 2',
    why: 'one event more waits in memory while the disk is full',
  },
  { path: 'src/bridge/outbox/tables/intake.ts', line: 'export const repeated', why: same },
  { path: 'src/bridge/outbox/tables/outcomes.ts', line: 'rows.at(-1)', what: '1 became 2', why: cost },
  { path: 'src/bridge/cdr/mysql-connection.ts', line: 'verifyIdentity', why: mariadb },
  {
    path: 'src/service/calls/call-rows-sqlite.ts',
    line: 'if (extras !== before.extras)',
    what: 'inserted true ||',
    why: cost,
  },
  {
    path: 'src/bridge/outbox/worker/keeper.ts',
    line: "if (one.name !== 'append') return",
    what: 'inserted true ||',
    why: cost,
  },
  {
    path: 'src/shared/delivery/report.ts',
    line: 'Math.round(ms / 1000)',
    what: '1000 became 1001',
    why: tuned,
  },
  {
    path: 'src/shared/delivery/reconciler.ts',
    line: 'last.at < at - longestMs',
    what: '< became <=',
    why: tuned,
  },
  { path: 'src/service/history/history-paging.ts', line: 'clock() < end', what: '< became <=', why: tuned },
  {
    path: 'src/service/people/customer-writer-sqlite.ts',
    line: 'isUnchanged(known, before)) return null',
    what: 'inserted undefined &&',
    why: same,
  },
  { path: 'src/bridge/outbox/tables/database.ts', line: 'const checkpointPages', why: tuned },
  { path: 'src/service/webhooks/webhook-rows.ts', line: 'const DAY_MS', why: tuned },
  { path: 'src/service/audit/audit-store.ts', line: 'const index =', why: cost },
  { path: 'src/shared/delivery/dispatcher.ts', line: 'clearTimeout(timer)', why: cost },
  { path: 'src/service/webhooks/webhook-rows.ts', line: 'const ANSWER', why: tuned },
  {
    path: 'src/service/webhooks/webhook-rows.ts',
    line: '10 * 60_000',
    what: '60_000 became 60001',
    why: tuned,
  },
  { path: 'src/bridge/outbox/tables/counters.ts', line: '> highestSeq', what: '> became >=', why: tuned },
  { path: 'src/bridge/outbox/tables/due-events.ts', line: '> highestSeq', what: '> became >=', why: tuned },
  { path: 'src/service/users/admin-users.ts', line: '* 86_400_000', why: tuned },
  { path: 'src/service/users/users.ts', line: 'const LINK_MS', why: tuned },
  { path: 'src/shared/delivery/dispatcher.ts', line: 'stop(limitMs = 5_000)', why: tuned },
  { path: 'src/shared/delivery/classify.ts', line: 'text.slice(0, 200)', what: '200 became 201', why: tuned },
  {
    path: 'src/bridge/outbox/tables/intake.ts',
    line: 'done + chunk * width <=',
    what: '<= became <',
    why: cost,
  },
  { path: 'src/bridge/calls/channel.ts', line: 'second > 0', what: '0 became 1', why: same },
  { path: 'src/service/people/caller-store.ts', line: 'at < newest.length', what: '< became <=', why: cost },
  {
    path: 'src/bridge/cdr/dialled-legs.ts',
    line: "(dstchannel) === 'real'",
    what: 'inserted true ||',
    why: cost,
  },
  { path: 'src/bridge/outbox/tables/due-events.ts', line: 'at < soonest', what: '< became <=', why: same },
  { path: 'src/shared/delivery/limits.ts', line: 'unrecorded: 4_000', why: tuned },
  {
    path: 'src/bridge/outbox/worker/keeper.ts',
    line: 'unlock();',
    what: 'unlock(); became ;',
    why: 'the lock ends with the thread',
  },
  { path: 'src/service/users/user-store.ts', line: 'used ?? 0', what: '0 became 1', why: tuned },
  { path: 'src/bridge/outbox/worker/keeper.ts', line: '.slice(i, end < 0', what: '0 became 1', why: same },
  { path: 'src/service/store/sqlite/open.ts', line: 'prepared.set', why: cost },
  {
    path: 'src/service/store/sqlite/open.ts',
    line: 'endRead();',
    why: 'closing the database ends its read',
  },
  { path: 'src/service/database/sqlite-store.ts', line: 'const SKIP', why: tuned },
  { path: 'src/service/history/history-entries-sqlite.ts', line: 'const STEP', why: tuned },
  { path: 'src/service/people/customer-store.ts', line: 'const SLICE', why: tuned },
  { path: 'src/service/store/statements.ts', line: 'const STEP', why: tuned },
  { path: 'src/service/store/statements.ts', line: 'after = texts.at', what: '1 became 2', why: cost },
  { path: 'src/service/store/statements.ts', line: 'after = texts.at', what: '0 became 1', why: same },
  {
    path: 'src/service/users/second-factor.ts',
    line: 'if (user.secondFactor === null)',
    what: 'inserted false &&',
    why: 'nobody has the secret of no factor',
  },
  { path: 'src/shared/delivery/outcome.ts', line: 'retryAfterMs ?? 0', what: '0 became 1', why: tuned },
  { path: 'src/service/store/sqlite/open.ts', line: 'cacheKiB', why: tuned },
  { path: 'src/service/database/sqlite-writer.ts', line: '* 1000) / 1000', why: 'rounding of a figure' },
  {
    path: 'src/service/calls/call-reader.ts',
    line: 'if (rows.length > 0) yield',
    what: '> became >=',
    why: same,
  },
  {
    path: 'src/service/people/customer-store.ts',
    line: 'limit + 1 - rows.length',
    what: '- became +',
    why: cost,
  },
  { path: 'src/service/webhooks/webhook-rows.ts', line: 'changes.goesOn(place, here)', why: postgres },
  { path: 'src/service/database/copy-site.ts', line: '', why: postgres },
  {
    path: 'src/service/reports/kept-figures.ts',
    line: 'LONGEST_MS',
    what: '<= became <',
    why: 'no day has 26 hours',
  },
  {
    path: 'src/bridge/cdr/gap-filler.ts',
    line: "let stored = { text: '', since: 0 };",
    what: '0 became 1',
    why: same,
  },
  { path: 'src/bridge/cdr/gap-filler.ts', line: 'const writtenMs', why: tuned },
  { path: 'src/shared/delivery/limits.ts', line: 'maxAgeMs', what: '24 became 25', why: tuned },
];

/** Why nobody can notice this; undefined if somebody should. */
export function whyUnnoticeable(path: string, { code, what }: Mutation): string | undefined {
  return unnoticeable.find(
    (one) => one.path === path && code.includes(one.line) && (one.what ?? what) === what,
  )?.why;
}
