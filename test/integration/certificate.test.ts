import assert from 'node:assert/strict';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type Book, books, type Written } from '../tools/fakes/record-books.ts';
import { runCommand } from '../tools/program/operator.ts';
import { createStand } from '../tools/program/stand.ts';
import { serve } from '../tools/service/harness.ts';
import { browse, systemsIn } from '../tools/service/people.ts';
import { until } from '../tools/until.ts';

/** A call of this moment, such as `2025-03-10T10:00:00`, answered by a phone. */
function call(time: string, nth: number, more: Partial<Written> = {}): Written {
  const began = Date.parse(`${time}Z`) / 1_000 + nth;
  return {
    uniqueid: `${began}.${nth}`,
    channel: `PJSIP/trunk-${String(nth).padStart(8, '0')}`,
    src: `0406696${String(nth).padStart(4, '0')}`,
    dstchannel: `PJSIP/1001-${String(nth).padStart(8, '0')}`,
    began,
    duration: 30,
    ...more,
  };
}

const [march, april] = ['2025-03-10T10:00:00', '2025-04-10T10:00:00'];
const calls = (time: string, first: number, count: number) =>
  Array.from({ length: count }, (_, n) => call(time, first + n));
const idOf = ({ uniqueid }: Written) => `pbx-${uniqueid}`;

/** What is between the bridge and the service: it confirms the events that `loses` names, and forwards all others. */
async function startFront(t: TestContext, target: string, answers: (id: string) => number | undefined) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const isEvent = request.method === 'POST' && request.url === '/api/v1/voice/call';
    const status = isEvent ? answers((JSON.parse(body.toString()) as { id: string }).id) : undefined;
    if (status !== undefined) {
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ result: 'x'.repeat(48) }));
      return;
    }
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !/^(host|connection|content-length)$/.test(name)),
    ) as Record<string, string>;
    const answer = await fetch(target + request.url, {
      method: request.method as string,
      headers,
      ...(body.length > 0 && { body }),
    });
    const type = answer.headers.get('content-type') ?? 'application/json';
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The settings by which a bridge reads these records. */
function settingsOf(book: Book): { CDR_SOURCE: string; CDR_PASSWORD?: string } {
  const { name } = book.source();
  const [, database, host] = /^(\w+)\.cdr at (.+)$/.exec(name) ?? [];
  if (database !== undefined)
    return { CDR_SOURCE: `mysql://reader@${host}/${database}`, CDR_PASSWORD: 'secret' };
  return { CDR_SOURCE: `${name.endsWith('.csv') ? 'csv' : 'sqlite'}:${name}` };
}

/** A service behind that, and a bridge with these records, which has begun to report them. */
async function scene(
  t: TestContext,
  book: Book,
  records: readonly Written[],
  answers: (id: string) => number | undefined,
) {
  await book.begin();
  await book.write(records);
  const served = await serve(t);
  const stand = await createStand(t, {
    API_BASE_URL: `${await startFront(t, served.url, answers)}/api/v1`,
    API_TOKEN: served.a.token,
    API_EXTRAS: 'yes',
    // Or it would send again at once what the API has lost.
    RECONCILE_EVERY: '0s',
    ...settingsOf(book),
  });
  await stand.start();
  const run = (command: string, ...args: string[]) => runCommand([command, ...args], stand.env);
  const asked = await run('backfill', '--since', '2025-03-01');
  assert.equal(asked.code, 0, asked.error);
  return {
    ...served,
    stand,
    run,
    certificate: (month: string, ...args: string[]) => run('certificate', '--month', month, ...args),
    /** All of them are confirmed. */
    async reported() {
      await until(
        'all to be reported',
        async () => JSON.parse((await run('backfill', '--json')).text).state === 'done',
        { state: async () => (await run('backfill')).text },
      );
      await until('all to be confirmed', async () => (await run('outbox', 'list')).code === 3, {
        state: () => run('outbox', 'list'),
      });
    },
  };
}

type Report = {
  readonly verdict: string;
  readonly records: number;
  readonly bridge: number;
  readonly api?: number;
  readonly differences: readonly { difference: string; count: number; calls: string[] }[];
};
const read = (text: string) => JSON.parse(text) as Report;
const named = ({ differences }: Report) => differences.map(({ difference, calls }) => [difference, calls]);

for (const { name, impossible, open } of books) {
  const skip = impossible() ?? false;
  test(`certificate from ${name}: an API that drops 1 % and a record that is deleted are named; without a loss, nothing is`, {
    skip,
  }, async (t) => {
    const book = await open();
    t.after(() => book.stop());
    const inMarch = [...calls(march, 1, 100), call(march, 101, { src: 'anonymous' })];
    const inApril = calls(april, 201, 20);
    const lost = idOf(inMarch[42] as Written);
    let isLossy = true;
    const answers = (id: string) => (isLossy && id === lost ? 200 : undefined);
    const { certificate, run, reported, ...served } = await scene(t, book, [...inMarch, ...inApril], answers);
    await reported();

    const whole = await certificate('2025-04', '--json');
    assert.deepEqual([whole.code, whole.error], [0, '']);
    const { verdict, records, bridge, api, differences } = read(whole.text);
    assert.deepEqual([verdict, records, bridge, api, differences], ['complete', 20, 20, 20, []]);
    assert.match((await certificate('2025-04')).text, /^COMPLETE: /m);

    const lossy = await certificate('2025-03', '--json');
    assert.equal(lossy.code, 1);
    assert.deepEqual(named(read(lossy.text)), [
      ['missing-at-api', [lost]],
      ['by-rule', [idOf(inMarch[100] as Written)]],
    ]);
    assert.deepEqual(
      [read(lossy.text).records, read(lossy.text).bridge, read(lossy.text).api],
      [101, 100, 99],
    );
    const text = (await certificate('2025-03', '--send')).text;
    assert.match(text, new RegExp(`1 {2}confirmed by the API, which does not have it: .*\\n +${lost}\\n`));
    assert.match(
      text,
      /not reported, by rule: the caller withholds the number, and WITHHELD_NUMBER is not set\n/,
    );
    assert.match(text, /^NOT COMPLETE: /m);

    const { read: readPage } = await browse(served, 'Jo');
    const [path = ''] = systemsIn((await readPage('/integrations')).text);
    const { plain } = await readPage(path);
    assert.match(plain, /Calls of March 2025: some are missing Phone system 101, bridge 100, here 99/);
    assert.match(plain, new RegExp(`1: +confirmed by the API, which does not have it.*${lost}`));

    // What the certificate says to do makes it complete.
    isLossy = false;
    assert.equal((await run('verify', '--since', '1h', '--resend')).code, 2);
    await until('it to be complete', async () => (await certificate('2025-03')).code === 0, {
      state: async () => (await certificate('2025-03')).text,
    });

    const deleted = inApril[7] as Written;
    await book.begin();
    await book.write([...inMarch, ...inApril.filter((one) => one !== deleted)]);
    const env = { ...served.stand.env, ...settingsOf(book) };
    const without = await runCommand(['certificate', '--month', '2025-04', '--json'], env);
    assert.deepEqual(named(read(without.text)), [['no-record', [idOf(deleted)]]]);
    assert.deepEqual([read(without.text).records, read(without.text).api], [19, 20]);
  });
}

test('certificate: what a damaged outbox has lost is named', async (t) => {
  const [csv] = books;
  const book = await (csv as (typeof books)[number]).open();
  t.after(() => book.stop());
  const records = calls(april, 1, 15);
  let isDown = false;
  const arrived = new Set<string>();
  const { certificate, stand, run } = await scene(t, book, records, (id) => {
    isDown ||= arrived.size === 5;
    if (isDown) return 503;
    arrived.add(id);
    return undefined;
  });
  await until(
    'the rest to wait',
    async () => JSON.parse((await run('outbox', 'list', '--json')).text).length === 10,
    {
      state: async () => (await run('outbox', 'list', '--json')).text,
    },
  );
  const waiting = read((await certificate('2025-04', '--json')).text);
  assert.deepEqual(
    [waiting.verdict, ...waiting.differences.map(({ difference, count }) => [difference, count])],
    ['complete', ['waiting', 10]],
  );
  await stand.stop();
  const outbox = `${stand.env.STATE_DIR}/outbox.db`;
  for (const file of globSync(`${outbox}-*`)) rmSync(file);
  writeFileSync(outbox, readFileSync(outbox).fill(0x5a));
  await stand.start();
  const found = await certificate('2025-04', '--json');
  assert.equal(found.code, 1);
  assert.deepEqual(named(read(found.text)), [
    ['damaged-outbox', records.map(idOf).filter((id) => !arrived.has(id))],
    ['pruned', records.map(idOf).filter((id) => arrived.has(id))],
  ]);
});

test('certificate: another API is not comparable, which is no loss; what is missing is said in one line', async (t) => {
  const [csv] = books;
  const book = await (csv as (typeof books)[number]).open();
  t.after(() => book.stop());
  await book.begin();
  await book.write(calls(april, 1, 3));
  const stand = await createStand(t, { CDR_SOURCE: `csv:${book.source().name}` });
  await stand.start();
  await stand.caughtUp();
  const run = (env: Readonly<Record<string, string | undefined>>, ...args: string[]) => {
    const given = Object.entries({ ...stand.env, ...env }).filter(([, value]) => value !== undefined);
    return runCommand(['certificate', ...args], Object.fromEntries(given) as Record<string, string>);
  };
  const month = ['--month', '2025-04'];
  for (const [extras, why] of [
    ['no', /API +- {2}not comparable: API_EXTRAS is not yes/],
    ['yes', /API +- {2}not comparable: it does not list its calls/],
  ] as const) {
    const { code, text } = await run({ API_EXTRAS: extras }, ...month);
    assert.match(text, why);
    assert.match(
      text,
      /^ +3 {2}from before this bridge's state began, and not reported: pbx-bridge backfill --help\n/m,
    );
    assert.equal(code, 1);
    assert.doesNotMatch(text, /the API, which does not have it/);
  }
  // The records have 4930 as the last extension.
  const undecided = await run({ REPORT_RULES: 'report called +4930*,ignore *' }, ...month);
  assert.match(
    undecided.text,
    /^ +3 {2}not reported, .* could not be asked: REPORT_RULES: ignore \*, .* \(report called \+4930\*\)\n/m,
  );
  assert.match(undecided.text, /^NOT PROVEN: /m);
  assert.equal(undecided.code, 2);
  const empty = JSON.parse((await run({}, '--month', '2025-05', '--json')).text) as Report;
  assert.deepEqual([empty.verdict, empty.records, empty.bridge, empty.api], ['complete', 0, 0, undefined]);

  const fails = async (env: Readonly<Record<string, string | undefined>>, ...args: string[]) => {
    const { code, text, error } = await run(env, ...args);
    assert.deepEqual([code, text], [2, '']);
    assert.match(error, /^[^\n]+\n$/);
    return error;
  };
  assert.match(await fails({ CDR_SOURCE: undefined }, ...month), /^CDR_SOURCE is not set/);
  assert.match(
    await fails({ CDR_SOURCE: 'sqlite:/nowhere.db' }, ...month),
    /^not there yet, or without a table/,
  );
  assert.match(await fails({ AMI_SECRET: 'wrong' }, ...month), /^the PBX.* cannot be asked: login refused/);
  assert.match(
    await fails({ STATE_DIR: '/nowhere' }, ...month),
    /cannot read the state of the bridge in \/nowhere/,
  );
  assert.match(await fails({}, '--month', '2025-4'), /--month takes a month such as 2026-11, not 2025-4/);
  assert.match(await fails({}, '--month', '2199-01'), /2199-01 has not begun yet/);
  assert.match(await fails({}), /--month is missing/);
  assert.match(await fails({}, ...month, '--send'), /--send needs API_EXTRAS=yes/);
});
