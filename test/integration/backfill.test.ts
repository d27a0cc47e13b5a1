import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Book, books, type Written } from '../tools/fakes/record-books.ts';
import { runCommand } from '../tools/program/operator.ts';
import { createStand } from '../tools/program/stand.ts';
import { event, serve } from '../tools/service/harness.ts';
import { browse } from '../tools/service/people.ts';
import { screenEvents } from '../tools/service/stream.ts';
import { until } from '../tools/until.ts';

const at = (time: string) => Date.parse(`${time}Z`) / 1_000;
let nth = 0;

/** A call of the past: on the trunk, with a number of its own. `by`: the channel that answered. */
function call(time: string, by = '', more: Partial<Written> = {}): Written {
  nth += 1;
  const began = at(time);
  return {
    uniqueid: `${began}.${nth}`,
    channel: `PJSIP/trunk-${String(nth).padStart(8, '0')}`,
    src: `0406696${String(nth).padStart(4, '0')}`,
    dstchannel: by,
    disposition: by === '' ? 'NO ANSWER' : 'ANSWERED',
    began,
    duration: 30,
    ...more,
  };
}

/** Calls of two months: 25 answered, 20 missed, one whose caller withholds the number, one that is ignored; and what is none. */
const past = () => [
  call('2024-12-15T09:00:00', 'PJSIP/1001-00000001'),
  call('2025-03-03T09:00:00', 'PJSIP/1001-00000002', {
    channel: 'PJSIP/1002-00000003',
    src: '1002',
    dcontext: 'from-internal',
  }),
  ...Array.from({ length: 25 }, (_, n) => call(`2025-03-10T10:${n + 10}:00`, `PJSIP/1001-000001${n + 10}`)),
  call('2025-03-20T10:00:00', '', { src: 'anonymous' }),
  call('2025-03-21T10:00:00', '', { src: '01601234567' }),
  ...Array.from({ length: 20 }, (_, n) => call(`2025-04-10T10:${n + 10}:00`)),
];

/** A service and a bridge that begins today, beside records of before. */
async function scene(t: TestContext, book: Book, settings: Readonly<Record<string, string>> = {}) {
  await book.begin();
  await book.write(past());
  const served = await serve(t);
  const { name } = book.source();
  const kind = name.endsWith('.csv') ? 'csv' : 'sqlite';
  const stand = await createStand(t, {
    API_BASE_URL: `${served.url}/api/v1`,
    API_TOKEN: served.a.token,
    API_EXTRAS: 'yes',
    REPORT_RULES: 'ignore caller +49160*',
    CDR_SOURCE: `${kind}:${name}`,
    ...settings,
  });
  await stand.start();
  const run = (...args: string[]) => runCommand(['backfill', ...args], stand.env);
  /** Ids and statuses of the events that the service was sent, oldest first. */
  const sent = async () => {
    const { json } = await served.ask('/voice?sort=created_at', { token: served.a.token });
    return (json as { payload?: unknown; request?: unknown }[]).flatMap((entry) => {
      const text = JSON.stringify(entry);
      const [, id] = /\\?"id\\?": ?\\?"(pbx-[\d.]+)/.exec(text) ?? [];
      return id === undefined ? [] : [id];
    });
  };
  const done = async (since: string) => {
    await until('all to be reported', async () => JSON.parse((await run('--json')).text).state === 'done');
    const { total } = JSON.parse((await run('--json')).text);
    assert.match((await run()).text, new RegExp(`^Calls from ${since} until .*: done\\.`));
    return total;
  };
  return { ...served, stand, run, sent, done };
}

for (const { name, open } of books.slice(0, 2)) {
  test(`backfill from ${name}: counted first, then reported once, at their own times, and on no screen`, async (t) => {
    const book = await open();
    t.after(() => book.stop());
    const served = await scene(t, book);
    const { stand, run, sent, done, a, url } = served;

    const dry = await run('--since', '2025-01-01', '--dry-run');
    assert.equal(dry.code, 0, dry.error);
    assert.match(
      dry.text,
      /^Calls from 2025-01-01 until \d{4}-\d\d-\d\d that would be reported; nothing was\.\n\n/,
    );
    assert.match(dry.text, /^2025-03 +27 +25 +0 +0 +2$/m);
    assert.match(dry.text, /^2025-04 +20 +0 +20 +0 +0$/m);
    assert.match(dry.text, /^all +47 +25 +20 +0 +2$/m);
    assert.match(dry.text, /^ +1 {2}the caller withholds the number, and WITHHELD_NUMBER is not set$/m);
    assert.match(dry.text, /^ +1 {2}REPORT_RULES: ignore caller \+49160\*$/m);
    assert.deepEqual(await sent(), []);

    const boss = await browse(served, 'Boss');
    const seen: unknown[] = [];
    const watching = (async () => {
      for await (const one of screenEvents(url, { cookie: boss.cookie })) {
        seen.push(one);
        if (JSON.stringify(one).includes('"live"')) return;
      }
    })();
    await until('the screen to be there', () => seen.length > 0);
    const asked = await run('--since', '2025-01-01');
    assert.equal(asked.code, 0, asked.error);
    const again = await run('--since', '2025-02-01');
    assert.deepEqual([again.code, /are being reported already/.test(again.error)], [1, true]);
    // A stop in the middle: it goes on at its place, and nothing is sent twice.
    await until('the first calls to be there', async () => (await sent()).length >= 20);
    await stand.stop();
    await stand.start();
    assert.deepEqual(await done('2025-01-01'), {
      calls: 47,
      answered: 25,
      missed: 20,
      known: 0,
      unreported: 2,
    });
    await until('all to be delivered', async () => (await sent()).length >= 45);
    const ids = await sent();
    assert.deepEqual([ids.length, new Set(ids).size], [45, 45]);

    const list = await boss.read('/calls?from=2025-03-01&to=2025-03-31');
    assert.match(list.plain, /10 Mar 2025/);
    const report = await boss.read('/reports?from=2025-03-01&to=2025-04-30');
    assert.match(report.plain, /\b45\b/);
    await served.post(a.token, event({ id: 'live', from: '+493011' }));
    await watching;
    assert.doesNotMatch(JSON.stringify(seen), /pbx-17|\+494066960/, 'nothing of the past is on a screen');

    // One that the bridge has not begun is stopped, too.
    await stand.stop();
    assert.match((await run('--since', '2024-12-20')).text, /It does not run: it begins when it is started/);
    assert.equal((await run('--stop')).code, 0);
    assert.deepEqual((await run('--stop')).error, 'no backfill is under way\n');
    await stand.start();
    const none = await run('--since', '2025-01-01');
    assert.deepEqual(
      [none.code, none.error],
      [
        3,
        'nothing to do: calls since 2025-01-01 were reported in an earlier run; --again looks for others there, as after trunks add\n',
      ],
    );
    assert.equal((await run('--since', '2024-12-01')).code, 0);
    assert.deepEqual(await done('2024-12-01'), { calls: 1, answered: 1, missed: 0, known: 0, unreported: 0 });
    await until('the call of before to be there', async () => (await sent()).length >= 46);
    assert.deepEqual([(await sent()).length, new Set(await sent()).size], [46, 46]);
  });
}

test('backfill counts the calls of a trunk of before, and reports them when it was added', async (t) => {
  const [csv] = books;
  const book = await (csv as (typeof books)[number]).open();
  t.after(() => book.stop());
  const served = await scene(t, book);
  const { stand, run, sent, done } = served;
  const old = { dcontext: 'main-menu' };
  await book.write(
    [10, 11, 12].map((minute) =>
      call(`2025-05-10T10:${minute}:00`, 'SIP/1001-00000001', {
        ...old,
        channel: `SIP/sipgate-000000${minute}`,
      }),
    ),
  );
  const dry = await run('--since', '2025-05-01', '--dry-run');
  assert.match(
    dry.text.replace(/\n +/g, ' '),
    / 3 {2}a call of SIP\/sipgate, which is no known trunk; if it was one: pbx-bridge trunks add SIP\/sipgate$/m,
  );
  await run('--since', '2025-01-01');
  assert.equal((await done('2025-01-01')).calls, 47);
  assert.equal((await runCommand(['trunks', 'add', 'SIP/sipgate'], stand.env)).code, 0);
  await until('the trunk to count', async () => {
    const { text } = await run('--since', '2025-01-01', '--dry-run', '--again', '--json');
    return JSON.parse(text).total.calls === 50;
  });
  assert.equal((await run('--since', '2025-01-01', '--again')).code, 0);
  await until('it to be asked for', async () => JSON.parse((await run('--json')).text).state !== 'asked');
  assert.equal((await done('2025-01-01')).calls, 50);
  await until('the three to be there', async () => (await sent()).length >= 48);
  assert.deepEqual([(await sent()).length, new Set(await sent()).size], [48, 48]);
});

test('backfill says in one line what is missing', async (t) => {
  const [csv] = books;
  const book = await (csv as (typeof books)[number]).open();
  t.after(() => book.stop());
  const { stand, run } = await scene(t, book);
  const error = async (env: Readonly<Record<string, string | undefined>>, ...args: string[]) => {
    const given = Object.entries({ ...stand.env, ...env }).filter(([, value]) => value !== undefined);
    const { code, error } = await runCommand(
      ['backfill', ...args],
      Object.fromEntries(given) as Record<string, string>,
    );
    assert.equal(code, 1);
    assert.match(error, /^[^\n]+\n$/);
    return error;
  };
  const since = ['--since', '2025-01-01'];
  assert.match(await error({ API_EXTRAS: undefined }, ...since), /needs API_EXTRAS=yes/);
  assert.match(await error({ CDR_SOURCE: undefined }, ...since), /CDR_SOURCE is not set/);
  assert.match(await error({}, '--dry-run'), /needs --since/);
  await assert.rejects(
    run('--since', '2025-02-30'),
    /--since takes a day such as 2025-01-01, not 2025-02-30/,
  );
  const none = await run();
  assert.deepEqual([none.code, none.error], [3, 'no backfill yet: see pbx-bridge backfill --help\n']);
  const late = await run('--since', '2199-01-01');
  assert.deepEqual(
    [late.code, /^nothing to do: the bridge has reported calls itself since /.test(late.error)],
    [3, true],
  );
  await stand.stop();
  assert.match(await error({}, ...since, '--dry-run'), /the bridge does not run/);
  const later = await run(...since);
  assert.match(later.text, /It does not run: it begins when it is started/);
  assert.equal((await run('--stop')).code, 0);
});

test('backfill waits for an API that does not take calls of the past', async (t) => {
  const [csv] = books;
  const book = await (csv as (typeof books)[number]).open();
  t.after(() => book.stop());
  await book.begin();
  await book.write(past());
  const stand = await createStand(t, { API_EXTRAS: 'yes', CDR_SOURCE: `csv:${book.source().name}` });
  await stand.start();
  const run = (...args: string[]) => runCommand(['backfill', ...args], stand.env);
  await run('--since', '2025-01-01');
  await until('the reason to be said', async () =>
    /does not take calls of the past/.test((await run()).text),
  );
  assert.equal((await run()).code, 2);
  await stand.caughtUp();
  assert.equal([...stand.fakeApi.calls().keys()].filter((id) => id.startsWith('pbx-17')).length, 0);
});
