import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { silentLog } from '../../src/log/log.ts';
import type { DatabaseSettings } from '../../src/service/store/open-store.ts';
import { startService } from '../../src/service.ts';
import { person, visitor } from '../integration/people.ts';
import { callers, options } from '../integration/service-harness.ts';
import { postgresImpossible, startCluster } from '../postgres/cluster.ts';
import { median, print } from './compare.ts';
import { fillCalls, fillCustomers, numberOf } from './service/fill.ts';

/**
 * The pages of reports and the call list over a year of calls of one account, on both databases. Each page three times:
 * the first counts what was never counted, the others find it kept.
 * Smaller: `node test/bench/reports.ts --only sqlite --calls 500000`.
 */
const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: 'sqlite,postgres' },
    calls: { type: 'string', default: '5000000' },
  },
});
const count = Number(flags.calls);
const DAY_MS = 86_400_000;

const folder = mkdtempSync(join(tmpdir(), 'bench-reports-'));
try {
  if (flags.only.includes('sqlite')) await measure('SQLite', null);
  if (flags.only.includes('postgres')) {
    const impossible = await postgresImpossible();
    if (impossible !== undefined) throw new Error(impossible);
    const memory = { shared_buffers: '512MB', max_wal_size: '4GB', maintenance_work_mem: '512MB' };
    const cluster = await startCluster(memory);
    try {
      const url = await cluster.database();
      await measure('PostgreSQL', { url, listenUrl: undefined, connections: 8 });
    } finally {
      await cluster.remove();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(name: string, database: DatabaseSettings): Promise<void> {
  const stateDir = join(folder, name);
  const filling = performance.now();
  await fillCalls(stateDir, count, database);
  // Each tenth of the callers.
  await fillCustomers(stateDir, 50_000, database);
  print(`${name}: ${count} calls of a year filled in ${Math.round((performance.now() - filling) / 1000)} s`);
  const service = await startService({ ...options(stateDir), database }, { log: silentLog });
  try {
    const served = { ...callers(service.url), stateDir, database };
    await person(served, { name: 'Bench', account: 'Main', role: 'administrator' });
    const { cookie } = await visitor(served, 'Bench');
    for (const path of pages()) {
      const times: number[] = [];
      for (let n = 0; n < 3; n += 1) {
        const at = performance.now();
        const { status, text } = await served.ask(`${service.url}${path}`, { headers: { cookie } });
        if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
        times.push(performance.now() - at);
      }
      const [first = 0, ...again] = times;
      const [one, others] = [first, median(again)].map((ms) => ms.toFixed(0).padStart(6));
      print(`  ${path.padEnd(72)} first ${one} ms, again ${others} ms`);
    }
  } finally {
    await service.stop();
  }
}

function pages(): string[] {
  const day = (ago: number) =>
    new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - ago * DAY_MS).toISOString().slice(0, 10);
  const since = (days: number) => `from=${day(days)}&to=${day(1)}`;
  const one = `from=${day(3)}&to=${day(3)}`;
  const called = 'called:%2B49891234561';
  return [
    `/reports?${one}`,
    `/reports?${one}&of=segment:VIP`,
    `/reports?${since(7)}`,
    `/reports?${since(30)}`,
    `/reports?${since(30)}&of=answered:1001`,
    `/reports?${since(30)}&of=${called}`,
    `/reports?${since(365)}`,
    `/reports?${since(365)}&of=${called}`,
    '/reports/week',
    '/calls',
    `/calls?from=${day(60)}&to=${day(60)}`,
    '/calls?outcome=missed',
    // From a bar of a report.
    `/calls?outcome=missed&from=${day(30)}T09:00&to=${day(30)}T10:00`,
    '/calls?outcome=short',
    `/calls?place=queue&${since(30)}`,
    '/calls?called=%2B49891234561',
    '/calls?extension=1001',
    '/calls?extension=1001|1002',
    '/calls?segment=VIP',
    `/calls?q=${encodeURIComponent(numberOf(7919 * 7))}`,
    '/calls?q=customer+4999',
    '/calls?q=nobody+here',
    '/calls?customer=7919',
    '/calls?q=customer+7919',
    '/',
    '/calls/details?id=pbx-7',
  ];
}
