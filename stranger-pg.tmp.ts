import { Client } from 'pg';
import { startCluster } from '/work/w/stranger/test/postgres/cluster.ts';
import { openPostgresStore } from '/work/w/stranger/src/service/store/postgres/postgres-store.ts';
import { callReader } from '/work/w/stranger/src/service/store/shared/call-reader.ts';
import { callerRows } from '/work/w/stranger/src/service/store/shared/caller-rows.ts';
import { whoCalls } from '/work/w/stranger/src/service/store/shared/call-rows.ts';
import { everyCall } from '/work/w/stranger/src/service/store/call-store.ts';
const count = 1_000_000, perDay = Math.ceil(count / 365), DAY_MS = 86_400_000;
const began = Math.floor(Date.now() / DAY_MS) * DAY_MS - 365 * DAY_MS;
const cluster = await startCluster({ shared_buffers: '512MB', max_wal_size: '4GB', fsync: 'on', maintenance_work_mem: '512MB', track_io_timing: 'off' });
try {
const url = await cluster.database();
let store = await openPostgresStore({ url, connections: 4, secretMark: 'x' });
const { id } = await store.directory.addAccount({ uid: 'a', name: 'A', country: 'DE' });
const client = new Client({ connectionString: url });
await client.connect();
const columns = `account_id, integration_id, call_id, status, from_number, number, caller_id, started_at, ringing_at, answered_at, completed_at, missed, number_called, missed_where, missed_by, missed_after`;
await client.query(`INSERT INTO calls (${columns}) SELECT ${id}, 1, 'pbx-' || n, 'completed', number, number,
    CASE WHEN NOT gone THEN '' || (1000 + n % 40) END, at, at, CASE WHEN NOT gone THEN at + 2000 + (n * 97) % 40000 END,
    at + 45000 + (n * 57) % 600000, gone, '+4989123456' || (n % 5),
    CASE WHEN gone THEN CASE n % 3 WHEN 0 THEN 'queue' WHEN 1 THEN 'voicemail' ELSE 'ringing' END END,
    CASE WHEN gone THEN 'caller' END, CASE WHEN gone THEN n % 60 END
  FROM (SELECT n, CASE WHEN n % 10 = 1 THEN '+4930999' ELSE '+4930' || (1000000 + n * 7919 % 500000) END AS number, n % 7 = 0 AS gone,
      ${began} + n / ${perDay} * ${DAY_MS} + 25200000 + n % ${perDay} * 43200000 / ${perDay} AS at FROM generate_series(0::bigint, ${count - 1}) n) x`);
await store.customers.putSegment(id, { name: 'VIP', priority: 10 });
for (let first = 0; first < 500_000; first += 10_000)
  await store.customers.put(id, Array.from({ length: 1000 }, (_, n) => ({ reference: `${first + n * 10}`, name: `Customer ${first + n * 10}`, segment: 'VIP', numbers: [`+4930${1_000_000 + first + n * 10}`] })));
await client.query('VACUUM ANALYZE');
console.log('filled');
const explained = async (sql: string, ...values: any[]) => {
  const { rows } = await client.query(`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY ON) ${sql}`, values);
  console.log(rows.map((r: any) => '    ' + r['QUERY PLAN']).filter((l: string) => !/Planning Time|Output/.test(l)).join('\n'));
  return (await client.query(sql, values)).rows.map((row: any) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, /^(place|at|id|started_at)$/.test(k) ? Number(v) : v])));
};
const statements: any = { read: explained, lookup: explained, write: explained, contains: (t: string, p: string) => `strpos(${t}, ${p}) > 0`, firstLine: (t: string) => `split_part(${t}, chr(10), 1)`, along: () => '', lockingRows: '' };
const calls = callReader(statements, 5000);
const q = { account: id, towards: 'older', from: null, limit: 50, numbers: null } as const;
for (const [what, filter, numbers] of [
  ['list', {}, null], ['customer', { customer: { is: '79190' } }, ['+49301079190']], ['busy number', { customer: { is: '1' } }, ['+4930999']],
  ['name, many', { search: { digits: null, words: ['customer'], extensions: ['customer'] } }, null],
  ['segment', { segment: 'VIP' }, null], ['missed', { outcome: 'missed' }, null]] as any[]) {
  console.log(what);
  await calls.slice({ ...q, filter: { ...everyCall, ...filter }, numbers });
}
console.log('to call back'); await callerRows(statements).missed(id, { since: Date.now() - 7 * DAY_MS, until: Date.now() }, 500);
console.log('counts of 5000 calls'); await callerRows(statements).counts(id, { since: began + 50 * DAY_MS, until: began + 52 * DAY_MS }, null);
console.log('figures step');
await explained(`SELECT c.status, s.name AS segment, c.started_at, c.id FROM calls c ${whoCalls} WHERE c.account_id = $1 AND c.started_at < $2 AND (c.started_at, c.id) > ($3, $4) ORDER BY c.started_at, c.id LIMIT 5000`, id, began + 52 * DAY_MS, began + 50 * DAY_MS, 0);
const days = Array.from({ length: 365 }, (_, d) => ({ since: began + d * DAY_MS, until: began + (d + 1) * DAY_MS }));
const timed = async (what: string, work: () => Promise<unknown>) => { const t = performance.now(); const r = await work(); console.log(what.padEnd(60), (performance.now() - t).toFixed(0), 'ms', r ?? ''); };
const kept = async () => (await client.query('SELECT count(*) AS n FROM kept_figures WHERE figures IS NOT NULL')).rows[0].n;
await timed('figures of 365 days, counted', async () => void await Array.fromAsync(store.reports.figures(id, days, Date.now())));
await timed('figures of 365 days, kept', async () => void await Array.fromAsync(store.reports.figures(id, days, Date.now())));
console.log('kept', await kept());
await timed('a stranger with 2 calls is added, with a segment', () => store.customers.put(id, [{ reference: 'new', name: 'New', segment: 'VIP', numbers: ['+49301000001'] }]));
console.log('kept', await kept());
await timed('renamed', () => store.customers.put(id, [{ reference: 'new', name: 'Newer', segment: 'VIP', numbers: ['+49301000001'] }]));
console.log('kept', await kept());
await timed('a stranger with 100,000 calls is added, without segment', () => store.customers.put(id, [{ reference: 'busy', name: 'Busy', segment: null, numbers: ['+4930999'] }]));
console.log('kept', await kept());
await timed('  gets a segment', () => store.customers.put(id, [{ reference: 'busy', name: 'Busy', segment: 'VIP', numbers: ['+4930999'] }]));
console.log('kept', await kept());
await Array.fromAsync(store.reports.figures(id, days, Date.now()));
await timed('5000 customers with a segment who have never called', async () => { for (let b = 0; b < 10; b++) await store.customers.put(id, Array.from({ length: 500 }, (_, n) => ({ reference: `n${b * 500 + n}`, name: 'Never', segment: 'VIP', numbers: [`+4940${1_000_000 + b * 500 + n}`] }))); });
console.log('kept', await kept());
await timed('5000 customers with a segment who have called', async () => { for (let b = 0; b < 10; b++) await store.customers.put(id, Array.from({ length: 500 }, (_, n) => ({ reference: `m${b * 500 + n}`, name: 'Called', segment: 'VIP', numbers: [`+4930${1_000_003 + (b * 500 + n) * 10}`] }))); });
console.log('kept', await kept());
await client.end(); await store.close();
} finally { await cluster.remove(); }
