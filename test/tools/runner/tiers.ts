import { globSync } from 'node:fs';
import { findChain, readImportGraph } from '../tree/import-graph.ts';

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
  // PostgreSQL, PgBouncer, MariaDB, nginx, Caddy, promtool, OpenSMTPD.
  'test/integration/certificate',
  'test/integration/mail-debian',
  'test/integration/mysql-source',
  'test/integration/pair',
  'test/integration/record-sources',
  'test/promtool',
  'test/released/service-postgres',
  'test/tools/bench/',
  // The service, but for what `fast` names.
  'test/integration/service-',
  // Many seconds of computing or waiting: damage, kills and broken links by the hundred, random inputs, password hashes.
  'src/bridge/outbox/recovery/',
  'src/bridge/outbox/kill',
  'src/bridge/outbox/outbox.property',
  'test/fuzz/',
  'test/office/third-year',
  'test/office/upgrade',
  'src/service/commands.test',
  'test/integration/ami-tls',
  'test/integration/bridge-health',
  'test/integration/broken',
  'test/integration/demo',
  'test/integration/flood',
  'test/integration/lost-events',
  'test/integration/gap-filler.property',
  'test/integration/instances',
  'test/integration/outbox-command',
  'test/integration/pasted-',
  'test/integration/reconcile',
  'test/integration/refused-starts',
  'test/integration/reload',
  'test/integration/setup',
  'test/integration/stopped-work',
  'test/integration/twelve-faults',
  'test/integration/upgrade',
  // Every recording through the whole bridge; the fast tier has the dry run of each.
  'test/recordings/replay',
  // Whole runs of tests.
  'test/tools/runner/run.test',
  'test/security/bugreport',
  'test/security/canaries',
];

/** Of the service, what a change of it breaks first. */
const fast = [
  'test/integration/service-call-pages',
  'test/integration/service-document',
  'test/integration/service-extras',
  'test/integration/service-history',
  'test/integration/service-openapi',
  'test/integration/service-pages',
  'test/integration/service-stranger',
  'test/integration/service-two-accounts',
];

export function isSlow(path: string): boolean {
  const isIn = (list: readonly string[]) => list.some((beginning) => path.startsWith(beginning));
  return isIn(slow) && !isIn(fast);
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

export type Unit = 'pbx-bridge' | 'pbx-bridge-service';

/** Tests that start programs, and cannot run as the user and in the sandbox of a systemd unit. */
const notUnderUnits = [
  // Root makes their disks, clocks, networks, Asterisks and packages.
  'test/alerts/',
  'test/asterisk/',
  'test/faults/faults-of-machines',
  'test/packaging/',
  // They install databases and curl.
  'test/integration/pair',
  'test/integration/pasted-',
  'test/integration/service-copy',
  // Root's commands; one asks whose port it is, another one is the demo of a checkout.
  'test/integration/demo',
  'test/integration/instances',
  'test/integration/setup',
  'test/integration/twelve-faults',
  // It lowers the priority of programs, which a unit may not.
  'test/integration/stopped-work',
  // They measure, and want a machine that has little else to do.
  'test/faults/faults-that-wait',
  'test/integration/flood',
  'test/tools/runner/run.test',
];

/**
 * The tests that run on the installed package, in the sandbox of this unit. Those of the fast tier run from the checkout
 * too, as part of `npm test`; those of the slow tier only where no package can be installed.
 */
export function testsUnder(unit: Unit): string[] {
  const graph = readImportGraph(undefined, 'test');
  const startsPrograms = (file: string) =>
    findChain(graph, file, (path) => path === 'test/tools/program-under-test.ts') !== undefined;
  return globSync('test/**/*.test.ts')
    .filter((file) => startsPrograms(file) && !notUnderUnits.some((beginning) => file.startsWith(beginning)))
    .filter((file) => (/\/service\b/.test(file) ? 'pbx-bridge-service' : 'pbx-bridge') === unit)
    .sort();
}

/**
 * Files that take longest, by the beginning of their paths: they start first. One that takes minutes and begins last is
 * waited for alone. Those that mostly wait stand beside those that compute.
 */
export const mostExpensive = [
  'test/stock/',
  'test/packaging/',
  'test/faults/faults',
  'test/office/third-year',
  'test/office/upgrade',
  'test/fuzz/every-route',
  'test/asterisk/matrix',
  'test/integration/browser-windows',
  'test/asterisk/',
  'test/integration/browser',
  'test/alerts/',
  'src/bridge/outbox/recovery/',
];
