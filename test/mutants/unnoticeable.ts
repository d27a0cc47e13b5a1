import type { Mutation } from './mutations.ts';

/** A change that no test of the fast tier can notice, by the line that it is in. */
type Unnoticeable = {
  readonly path: string;
  /** A part of the line. */
  readonly line: string;
  /** As the mutation says it; every change of the line if absent. */
  readonly what?: string;
  readonly why: string;
};

const full =
  'only a disk that is full or fails shows it: src/bridge/outbox/recovery/disk-full, of the slow tier';
const postgres = 'only a PostgreSQL shows it, in the slow tier';
const mariadb = 'only a MariaDB shows it, in the slow tier';
const tuned = 'a size or time that may as well be one more';
const same = 'it does the same';
const cost = 'it costs time and nothing else';

/** Looked at one by one. They are not counted, and one that is noticed all the same may go. */
const unnoticeable: readonly Unnoticeable[] = [
  { path: 'src/shared/delivery/limits.ts', line: 'expireEveryMs', why: tuned },
  { path: 'src/shared/delivery/limits.ts', line: 'backlog: {', why: tuned },
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
  { path: 'src/bridge/outbox/worker/keeper.ts', line: "kind === 'full'", why: full },
  { path: 'src/bridge/outbox/worker/keeper.ts', line: 'hold(requests);', why: full },
  { path: 'src/bridge/outbox/worker/keeper.ts', line: "state === 'full'", why: full },
  { path: 'src/service/store/sqlite/open.ts', line: 'prepared.set', why: cost },
  {
    path: 'src/service/store/sqlite/open.ts',
    line: 'endRead();',
    why: 'closing the database ends its read',
  },
  { path: 'src/service/database/sqlite-store.ts', line: 'const SKIP', why: tuned },
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
  { path: 'src/service/database/copy-site.ts', line: 'refusal !== undefined', why: postgres },
  {
    path: 'src/service/reports/kept-figures.ts',
    line: 'LONGEST_MS',
    what: '<= became <',
    why: 'no day has 26 hours',
  },
  { path: 'src/service/database/copy-site.ts', line: 'return {', why: postgres },
  { path: 'src/bridge/cdr/mysql-source.ts', line: 'if (rows.length === 0)', why: mariadb },
  { path: 'src/bridge/cdr/mysql-source.ts', line: 'candidatesOf(start, true, newest)', why: mariadb },
  { path: 'src/bridge/cdr/mysql-source.ts', line: 'at: now - dayS', why: mariadb },
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
