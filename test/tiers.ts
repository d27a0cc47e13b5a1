/**
 * The slow tier: test files that need root, packages or minutes, by the beginning of their paths. All other files are
 * the fast tier, `npm test`. What a file needs, it installs by itself; where it cannot, it skips and says why.
 */
const slow = [
  // Real Asterisks, installed from Debian.
  'test/asterisk/',
  // Disks of their own that are full, fail or hang.
  'test/alerts/',
  // Kills, power cuts, full disks, damaged files: each fault in its short form.
  'test/faults/faults',
  // All that is released, in containers under systemd; the registry of npm.
  'test/packaging/',
  // A Debian with its own files, in which a newcomer runs the tests.
  'test/stock/',
  // Chromium and Firefox.
  'test/integration/browser-',
  // PostgreSQL, PgBouncer, MariaDB, nginx, promtool, OpenSMTPD.
  'test/integration/mail-debian',
  'test/integration/mysql-source',
  'test/integration/pair',
  'test/integration/record-sources',
  'test/integration/service-copy',
  'test/integration/service-database-',
  'test/integration/service-processes',
  'test/integration/service-proxy',
  'test/integration/service-store-postgres',
  'test/promtool',
  'test/released/service-postgres',
  'test/bench/',
  // Many seconds of computing or waiting: damage, kills and broken links by the hundred, random inputs, password hashes.
  'src/bridge/outbox/recovery/',
  'src/bridge/outbox/kill',
  'src/bridge/outbox/outbox.property',
  'test/fuzz/',
  'test/office/third-year',
  'test/office/upgrade',
  'src/service/commands.test',
  'test/integration/broken',
  'test/integration/demo',
  'test/integration/flood',
  'test/integration/lost-events',
  'test/integration/gap-filler.property',
  'test/integration/pasted-',
  'test/integration/service-access',
  'test/integration/service-accounts',
  'test/integration/service-audit',
  'test/integration/service-backup',
  'test/integration/service-bad-input',
  'test/integration/service-budgets',
  'test/integration/service-call-back',
  'test/integration/service-kill',
  'test/integration/service-large-import',
  'test/integration/service-limits',
  'test/integration/service-pairs',
  'test/integration/service-second-factor',
  'test/integration/service-sign-in',
  'test/integration/service-webhook',
  'test/integration/setup',
  'test/integration/stopped-work',
  'test/integration/twelve-faults',
  'test/integration/upgrade',
  // Every recording through the whole bridge; the fast tier has the dry run of each.
  'test/recordings/replay',
  // Whole runs of tests.
  'test/run.test',
  'test/security/bugreport',
  'test/security/canaries',
];

export function isSlow(path: string): boolean {
  return slow.some((beginning) => path.startsWith(beginning));
}

/** Files whose chance is what they look for: kills, faults, properties of random inputs, conformance of the databases. */
const chanceIsTheFinding = [
  'src/bridge/outbox/',
  'test/alerts/',
  'test/asterisk/broken',
  'test/asterisk/gap-filler',
  'test/asterisk/withheld',
  'test/faults/',
  'test/fuzz/',
  'test/integration/broken',
  'test/integration/gap-filler.property',
  'test/integration/record-sources',
  'test/integration/service-database-',
  'test/integration/service-kill',
  'test/integration/service-large-import',
  'test/integration/service-limits',
  'test/integration/service-pairs',
  'test/integration/service-store',
];

/** Whether a file of the slow tier that failed may be run once more, to see whether it failed by chance. */
export function mayBeRunAgain(path: string): boolean {
  return isSlow(path) && !chanceIsTheFinding.some((beginning) => path.startsWith(beginning));
}

/**
 * Files that take longest, by the beginning of their paths: they start first. One that takes minutes and begins last is
 * waited for alone. Those that mostly wait stand beside those that compute.
 */
export const mostExpensive = [
  'test/stock/',
  'test/packaging/',
  'test/faults/faults-that-wait',
  'test/office/third-year',
  'test/office/upgrade',
  'test/fuzz/every-route',
  'test/asterisk/matrix',
  'test/faults/faults.test',
  'test/integration/browser-windows',
  'test/asterisk/',
  'test/integration/browser',
  'test/alerts/',
  'src/bridge/outbox/recovery/',
];
