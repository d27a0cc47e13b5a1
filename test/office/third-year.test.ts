import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createKeys, serverSecret } from '../../src/service/accounts/keys.ts';
import { copySite } from '../../src/service/database/copy-site.ts';
import { secretMarkOf } from '../../src/service/database/open-store.ts';
import { openSqliteStore } from '../../src/service/database/sqlite-store.ts';
import { isRun, type Statement, type Step, statementsOf, type Toured } from '../tools/office/statements.ts';
import { LOGGED, openThirdYear, type ThirdYear } from '../tools/office/third-year.ts';
import {
  callsOf,
  crowdNumber,
  customersOf,
  DAY_MS,
  lateCalls,
  MAIN,
  office,
  requestsOf,
  type Scale,
} from '../tools/office/years.ts';
import { type Cluster, postgresImpossible, startCluster } from '../tools/servers/cluster.ts';
import { stateFolder } from '../tools/service/harness.ts';

/**
 * An office, on both databases: what the service does goes by indexes, and it shows everything. On SQLite a tenth of it
 * too: what it does is in proportion to what it shows. Work is counted (see statements.ts), and no time.
 */
type Office = { readonly office: ThirdYear; readonly toured: Toured };
type Engine = {
  readonly name: string;
  readonly sources: readonly string[];
  open(scale: Scale, folder: string): Promise<Office>;
};

/** Long enough for any machine, ms. */
const LONGEST_MS = 1_500_000;

const here = (file: string) => fileURLToPath(new URL(`../tools/office/${file}`, import.meta.url));

async function tour(year: ThirdYear, log: string, watch: boolean, url?: string): Promise<Office> {
  const { stateDir, auditedSince, deliveredSince } = year;
  const child = fork(
    here('tour.ts'),
    [stateDir, log, `${auditedSince}`, `${deliveredSince}`, ...(url === undefined ? [] : [url])],
    {
      execArgv: watch ? ['--import', here('watch-statements.ts')] : [],
      env: { ...process.env, STATEMENTS: log },
    },
  );
  let result: Toured | string = 'nothing';
  child.on('message', (message: Toured | string) => {
    result = message;
  });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  const ended = await once(child, 'exit');
  clearTimeout(tooLong);
  assert.equal(typeof result, 'object', `the tour ended with ${ended} at ${result}`);
  return { office: year, toured: result as unknown as Toured };
}

const sqlite: Engine = {
  name: 'SQLite',
  sources: ['src/service/!(words)/!(*postgres*|copy-site).ts', 'src/service/store/sqlite/*.ts'],
  async open(scale, folder) {
    const log = join(folder, 'statements');
    const year = await openThirdYear(folder, { scale });
    writeFileSync(log, '');
    return tour(year, log, true);
  },
};

let cluster: Cluster;
const postgres: Engine = {
  name: 'PostgreSQL',
  // Without what opens the database and ends what hangs.
  sources: [
    'src/service/!(words)/!(*sqlite*|copy-site).ts',
    'src/service/store/postgres/!(database|connections|migrations|primary|durability).ts',
  ],
  async open(scale, folder) {
    const year = await openThirdYear(folder, { scale });
    const url = await cluster.database();
    const secretMark = secretMarkOf(createKeys(serverSecret(folder)));
    await copySite(join(folder, 'service.db'), url, { keptMs: undefined, secretMark });
    const name = new URL(url).pathname.slice(1);
    await cluster.sql('VACUUM ANALYZE', name);
    const settings = {
      log_min_duration: 0,
      log_format: 'json',
      log_nested_statements: 'on',
    };
    for (const [setting, value] of Object.entries(settings))
      await cluster.sql(`ALTER DATABASE ${name} SET auto_explain.${setting} = '${value}'`);
    const [log] = globSync(join(cluster.dataDir, 'log', '*'));
    return tour(year, log as string, false, url);
  },
};

/** Tables that grow with time. */
const growing =
  /^(calls|history(_counts|_\d\w*)?|webhook_deliveries|audit|customers|customer_numbers|caller_actions|kept_figures|integration_use)$/;

/** The tables that grow of which a statement reads other rows than those that it finds by the condition of an index. */
function scannedBy({ sql, plan }: Statement): string[] {
  return plan.flatMap((row) => {
    const name = /^SCAN (\w+)/.exec(row)?.[1];
    if (name === undefined) return [];
    const table = new RegExp(`\\b(?:FROM|JOIN|UPDATE|INTO|,)\\s+(\\w+)\\s+(?:AS\\s+)?${name}\\b`).exec(
      sql,
    )?.[1];
    const found = [name, table].find((one) => growing.test(one ?? ''));
    return found === undefined || isPartOfMonth(found) ? [] : found.replace(/^history_\d.*/, 'history');
  });
}

/** Of the first and the last month of the API log, the office has some days: PostgreSQL reads a few whole, and may. */
function isPartOfMonth(table: string): boolean {
  const [from, to] = [...table.matchAll(/_(....)(..)(..)/g)].map(([, ...date]) => Date.parse(date.join('-')));
  return from !== undefined && to !== undefined && (from < Date.now() - LOGGED * DAY_MS || to > Date.now());
}

/** Scans that are as they should be. */
const scans: readonly { readonly table: string; readonly sql: RegExp; readonly why: string }[] = [
  ...(['audit', 'webhook_deliveries'] as const).map((table) => ({
    table,
    sql: /^SELECT max\(id\) AS id FROM .* ORDER BY id LIMIT 1000/,
    why: 'the oldest thousand, by their ids',
  })),
  {
    table: 'webhook_deliveries',
    sql: /^SELECT d\.id, d\.event.* ORDER BY d\.id DESC LIMIT/s,
    why: 'the newest: PostgreSQL reads those of all webhooks while most of them are of this one',
  },
  ...(['customers', 'customer_numbers'] as const).map((table) => ({
    table,
    sql: /^SELECT c\.(status|number|integration_id), .* FROM calls c/s,
    why: 'of thousands of calls PostgreSQL joins all customers at once',
  })),
  {
    table: 'kept_figures',
    sql: /kept_figures/,
    why: 'they are few pages, since PostgreSQL keeps the figures themselves apart',
  },
  {
    table: 'calls',
    sql: /LEFT JOIN calls r ON/,
    why: 'to be mended: of thousands of missed calls in a report PostgreSQL joins all calls at once',
  },
  ...(['customers', 'customer_numbers'] as const).map((table) => ({
    table,
    sql: /^SELECT (e\.id, e\.account_id AS account, e\.event|c\.reference, c\.name, .* IN \(SELECT m\.key|m\.key AS number)/s,
    why: 'of a list of people PostgreSQL does not know how short it is, and joins all customers at once',
  })),
  {
    table: 'calls',
    sql: /min\(w\.since\) AS since FROM notifications/,
    why: 'after a start, the calls of a day: PostgreSQL reads all while most of those it knows are newer',
  },
  { table: 'customers', sql: /strpos\(c\.search,/, why: 'texts are searched, 5,000 customers at a time' },
  {
    table: 'customers',
    sql: /^SELECT search AS text, reference FROM customers/,
    why: 'of an account that has little more than 5,000, PostgreSQL sorts all to find where these end',
  },
  {
    table: 'history',
    sql: /strpos\((request|response),/,
    why: 'texts are searched, some thousand at a time',
  },
  {
    table: 'history',
    sql: /WITH oldest AS MATERIALIZED/,
    why: 'thousands of the oldest of a month are deleted at once',
  },
  {
    table: 'caller_actions',
    sql: /^SELECT id, (user_name|report) AS text FROM caller_actions/,
    why: 'a number that is forgotten may be in whatever bridges have reported',
  },
  { table: 'audit', sql: /^UPDATE audit SET target/, why: 'a number that is forgotten may be in any target' },
  {
    table: 'webhook_deliveries',
    sql: /^UPDATE webhook_deliveries SET answer = NULL/,
    why: 'a number that is forgotten may have many calls, and PostgreSQL compares all deliveries with them',
  },
  {
    table: 'webhook_deliveries',
    sql: /FROM json_each\(\$1\) m CROSS JOIN webhook_deliveries d/,
    why: 'for the file about a person, PostgreSQL compares all deliveries with 500 calls at once',
  },
  {
    table: 'webhook_deliveries',
    sql: /^DELETE FROM webhook_deliveries WHERE id IN \(SELECT d\.id FROM webhooks w/,
    why: 'once a day, all of an account that drops numbers are looked at: PostgreSQL reads those of all webhooks',
  },
  {
    table: 'history_counts',
    sql: /./,
    why: 'one row for an account, on PostgreSQL one for its day and process',
  },
];

/** In all of the office is ten times as much: work in proportion to it grows so, quadratic work a hundred times. */
const PROPORTION = 30;
/** Pages of SQLite. */
const SLACK = 100;

/** Steps whose work grows by nature while their answers do not. */
const grows: readonly { readonly step: RegExp; readonly times?: number; readonly why: string }[] = [
  {
    step: /^timer of 600000 ms .* after the start/,
    why: 'it counts each day of the last year once',
  },
  {
    step: /^GET \/(calls\?(q=(nobody|10007|30000)|outcome=missed&number)|api-log\?|api\/v1\/voice\?search=)/,
    times: Number.POSITIVE_INFINITY,
    why: 'texts are searched, a page for 400 ms at most: how far that comes depends on the machine',
  },
  {
    step: /^GET \/calls\?outcome=short/,
    times: 8,
    why: 'they are rare: as many calls are read as have a page of them, on some days three times as many',
  },
  { step: /^GET \/customers\?(q|segment)=/, why: 'texts are searched, 5,000 customers at a time' },
  {
    step: /^GET \/admin\/people/,
    why: 'customers are read a thousand at a time; a tenth of the office has five hundred',
  },
  {
    step: /^GET \/call-back, second account/,
    why: 'all who wait are counted, of whom a hundred are shown',
  },
  {
    step: /^a call-back is done/,
    why: 'the screens get all who are to be called back',
  },
  { step: /^GET \/(person\/data|admin\/person)/, why: 'the whole audit log is searched for the person' },
  {
    step: /^an account loses the callers/,
    why: 'all of its calls of that time are looked at, and what was done then',
  },
  { step: /^GET \/call-back\/give/, why: 'it reads all calls of the week from the number' },
  { step: /^GET \/reports/, why: 'a tenth of the office has no year' },
  {
    step: /^GET \/(segments|admin\/fleet)/,
    why: 'the customers of each are counted, by an index alone',
  },
  {
    step: /^new deliveries/,
    why: 'the calls of a day are read: on a Sunday, most of them are of those who wait to be called back',
  },
  { step: /^events for programs/, why: 'a person is looked for in all answers of receivers' },
  {
    step: /^notifications of missed calls/,
    why: 'it is about all calls that were missed in a day',
  },
  { step: /^(due: retry|the next retry)/, why: 'all that are sent again are compared' },
  {
    step: /^a webhook is removed/,
    times: 3 * PROPORTION,
    why: 'it is about all deliveries of a webhook, and what is freed is read, to be overwritten',
  },
  {
    step: /^timer of 3600000 ms/,
    why: 'the mail of the week is about each call that was missed in two weeks',
  },
  {
    step: /^(all that failed|a webhook is switched|how many wait|GET http)/,
    why: 'it is about all deliveries of a webhook',
  },
  {
    step: /^a customer (of another segment|without a number|is removed)/,
    why: 'the figures of each kept day are asked for calls of the number',
  },
  {
    step: /^requests of a month/,
    times: Number.POSITIVE_INFINITY,
    why: 'a tenth of the office has none so old',
  },
  { step: /^deliveries of a day/, why: 'some days have more' },
  { step: /^a number is forgotten/, why: 'the whole API log is searched' },
];

const workOf = ({ statements }: Step) => statements.reduce((sum, { work }) => sum + work, 0);

/** Steps by their names, without what differs from day to day and from office to office. */
const byName = (steps: readonly Step[]) =>
  new Map(
    steps.map((one) => [
      one.name
        .replace(/\d{4}-\d\d-\d\d/g, 'DAY')
        .replace(/:\d+\/metrics/, '/metrics')
        .replace(/([?/](?:entry|users|reference|number)[=/])\S+/, '$1…'),
      one,
    ]),
  );

for (const engine of [sqlite, postgres]) {
  const skip = engine === postgres && ((await postgresImpossible()) ?? false);
  describe(`an office in its third year, on ${engine.name}`, { skip }, () => {
    const folders: string[] = [];
    let tenth: Office | undefined;
    let whole: Office;
    before(async () => {
      if (engine === postgres)
        cluster = await startCluster({
          shared_preload_libraries: 'auto_explain',
          logging_collector: 'on',
          log_filename: 'plans',
          log_line_prefix: '%d ',
        });
      const open = (scale: Scale) => {
        const folder = mkdtempSync(join(tmpdir(), 'third-year-'));
        folders.push(folder);
        return engine.open(scale, folder);
      };
      [whole, tenth] = await Promise.all([open(1), engine === sqlite ? open(0.1) : undefined]);
    });
    after(async () => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
      if (engine === postgres) await cluster?.remove();
    });

    test('every page, read of the API and statement of the store is part of what is looked at', () => {
      const { steps, notAsked } = whole.toured;
      assert.deepEqual(notAsked, []);
      const run = [...new Set(steps.flatMap(({ statements }) => statements.map(({ sql }) => sql)))];
      const known = statementsOf(engine.sources);
      assert.ok(known.length > 100, `${known.length} statements`);
      assert.deepEqual(
        known.filter((one) => !isRun(one, run)).map(({ where, text }) => `${where} ${text}`),
        [],
      );
    });

    test('no statement scans a table that grows', () => {
      const found = new Set<string>();
      for (const { name, statements } of whole.toured.steps)
        for (const one of statements)
          for (const table of scannedBy(one)) {
            if (!scans.some((scan) => scan.table === table && scan.sql.test(one.sql)))
              found.add(`${table} by ${one.sql.replace(/\s+/g, ' ')}, at ${name}`);
          }
      assert.deepEqual([...found], []);
    });

    if (engine === sqlite)
      test('what shows as much does as much work as in a tenth of the office', () => {
        const small = byName(tenth?.toured.steps ?? []);
        const found: string[] = [];
        for (const [name, step] of byName(whole.toured.steps)) {
          const before = small.get(name);
          if (before === undefined) continue;
          const known = grows.find((one) => one.step.test(name));
          const shows = Math.max(1, step.size / Math.max(1, before.size));
          const [least, most] = [workOf(before), workOf(step)];
          const times = known ? (known.times ?? PROPORTION) : 3;
          if (most > times * shows * least + SLACK)
            found.push(
              `${name}: ${least} to ${most}, and shows ${shows.toFixed(1)} times as much; the most: ${step.statements.toSorted((a, b) => b.work - a.work)[0]?.sql}`,
            );
        }
        assert.deepEqual(found, []);
      });

    test('nothing that should be listed is missing', () => {
      for (const { office: year, toured } of tenth === undefined ? [whole] : [tenth, whole]) {
        const { scale, now } = year;
        const calls = [...year.calls()].filter(({ account }) => account === MAIN);
        const theirs = new Set(
          [...customersOf(MAIN, scale)].find(({ reference }) => reference === '10007')?.numbers,
        );
        const zone = 'Europe/Berlin';
        const today = Temporal.PlainDate.from(new Date(now).toISOString().slice(0, 10));
        const midnight = (ago: number) =>
          today.subtract({ days: ago }).toZonedDateTime(zone).epochMilliseconds;
        const month = calls.filter(
          ({ steps: [{ at } = { at: 0 }] }) => at >= midnight(60) && at < midnight(30),
        );
        const { toCallBack, onScreen, othersToCallBack, onOthersScreen, logged, ...counts } = toured.found;
        assert.deepEqual(toCallBack.toSorted(), [...year.toCallBack].sort());
        // A screen has the beginning of the list, the pages have the rest.
        assert.deepEqual(onScreen, { people: toCallBack.slice(0, 50), count: toCallBack.length });
        const crowd = Array.from({ length: office.crowd * scale }, (_, n) => crowdNumber(n));
        // Of a flood, the list has those who called last: of about 4,000 numbers, some are of this day and have got through.
        assert.ok(onOthersScreen.count >= Math.min(crowd.length, 3_900), `${onOthersScreen.count}`);
        if (othersToCallBack !== null) {
          assert.deepEqual(onOthersScreen, {
            people: othersToCallBack.slice(0, 50),
            count: othersToCallBack.length,
          });
          assert.equal(new Set(othersToCallBack).intersection(new Set(crowd)).size, crowd.length);
        }
        assert.deepEqual(counts, {
          calls: calls.length,
          ofCustomer: calls.filter(({ steps }) => theirs.has(steps[0]?.event.number ?? '')).length,
          customers: office.customers * scale,
          failed: (office.deliveries / 4 - office.deliveries / 6) * scale,
          month: { calls: month.length, missed: month.filter(({ steps }) => steps.length === 2).length },
        });
        assert.ok(counts.ofCustomer > 0);
      }
    });
  });
}

test('calls and requests are as the store writes them', async (t) => {
  const year = await openThirdYear(stateFolder(t), { scale: 0.1 });
  const folder = stateFolder(t);
  const store = await openSqliteStore(join(folder, 'service.db'));
  t.after(() => store.close());
  for (const uid of ['a', 'b']) {
    const { id: account } = await store.directory.addAccount({ uid, name: uid, country: 'DE' });
    for (const name of ['1', '2'])
      await store.directory.addIntegration({ uid: uid + name, account, name, createdAt: 0 });
  }
  const day = Math.floor(year.now / DAY_MS) - 3;
  const calls = [...callsOf(day, 0.1), ...[...lateCalls(year.now, 0.1)].slice(-60)];
  for (const request of calls.flatMap(requestsOf)) await store.requests.record(request);
  const rows = (file: string, table: string) => {
    const db = new DatabaseSync(join(file, 'service.db'), { readOnly: true });
    const found = db.prepare(`SELECT * FROM ${table} ORDER BY call_id`).all() as Record<string, unknown>[];
    db.close();
    return found
      .filter(({ call_id: id }) => ids.has(`${id}`))
      .map(({ id, duration, ...row }) => JSON.stringify(row))
      .sort();
  };
  const ids = new Set(calls.map(({ steps }) => steps[0]?.event.id));
  for (const table of ['calls', 'history']) assert.deepEqual(rows(year.stateDir, table), rows(folder, table));
});
