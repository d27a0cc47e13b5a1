import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { makeSessions } from '../../src/service/access/sessions.ts';
import { noExtensions } from '../../src/service/accounts/extensions.ts';
import { newUid } from '../../src/service/accounts/setup.ts';
import { callQueryIn, filterOf } from '../../src/service/pages/calls/call-filter.ts';
import { callsAsCsv } from '../../src/service/pages/calls/call-list-page.ts';
import { cursorText } from '../../src/service/pages/kit/cursor-list.ts';
import { formatsFor } from '../../src/service/pages/kit/formats.ts';
import { unguarded } from '../../src/service/reports/csv.ts';
import type { Account } from '../../src/service/store/directory-store.ts';
import type { StoredRequest } from '../../src/service/store/request-store.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/service/store/store.ts';
import type { Role, User } from '../../src/service/store/user-store.ts';
import { prepare, type Served, serve, stateFolder } from './service-harness.ts';
import { hostile, hostileCalls, storeCalls } from './stored-calls.ts';

const nobody = { extensions: noExtensions, user: { id: 0 } };

async function opened(t: test.TestContext): Promise<{ store: Store; account: Account; stateDir: string }> {
  const stateDir = stateFolder(t);
  await prepare(stateDir);
  const store = await openSqliteStore(join(stateDir, 'service.db'));
  t.after(() => store.close());
  const [account] = (await store.directory.read(0))?.directory.accounts ?? [];
  return { store, account: account as Account, stateDir };
}

test('a number is found in national and international format and by any part, a customer by reference and name', async (t) => {
  const { store, account, stateDir } = await opened(t);
  const calls = { berlin: '+4930901820', amsterdam: '+31201234567', emergency: '110', zeros: '+49301100110' };
  await storeCalls({ stateDir }, async (report) => {
    for (const [id, from] of Object.entries(calls)) await report({ id, from, status: 'ringing', at: 1000 });
  });
  const found = async (query: string, timeZone = 'UTC') => {
    const filter = await filterOf(
      callQueryIn(new URLSearchParams(query)),
      account,
      timeZone,
      store,
      nobody,
      [],
    );
    const page = { account: account.id, filter, towards: 'older', from: null, limit: 9 } as const;
    return (await store.calls.page(page)).calls.map(({ id }) => id).sort();
  };
  for (const [typed, ids] of [
    ['+49 30 901820', ['berlin']],
    ['0049 30 / 90 18 20', ['berlin']],
    ['030 901820', ['berlin']],
    ['901820', ['berlin']],
    ['1820', ['berlin']],
    ['03090', ['berlin']],
    ['0031 20 1234567', ['amsterdam']],
    ['110', ['emergency']],
    ['1100', ['zeros']],
    ['7777', []],
    ['nobody', []],
    ['alpha’s', []],
    ["ALPHA\u0301's cust", ['berlin']],
  ] as const)
    assert.deepEqual(await found(`q=${encodeURIComponent(typed)}`), ids, typed);
  assert.deepEqual(await found('customer=1'), ['berlin'], 'the reference');
  assert.deepEqual(await found('from=1970-01-01&to=1970-01-01'), Object.keys(calls).sort());
  assert.deepEqual(await found('from=1970-01-02'), []);
  assert.deepEqual(await found('from=1970-01-01T00:00&to=1970-01-01T01:00'), Object.keys(calls).sort());
  assert.deepEqual(await found('from=1970-01-01T01:00'), []);
  assert.deepEqual(
    await found('to=1969-12-31', 'America/New_York'),
    Object.keys(calls).sort(),
    'still yesterday there',
  );
});

test('the CSV has all matching calls, in UTF-8, and no cell is a formula', async (t) => {
  const { store, account, stateDir } = await opened(t);
  await hostileCalls({ stateDir }, Date.parse('2026-10-25T00:30Z'));
  const filter = await filterOf(callQueryIn(new URLSearchParams()), account, 'UTC', store, nobody, []);
  const text = (
    await Array.fromAsync(
      callsAsCsv(store.calls.page, account.id, filter, formatsFor('Europe/Berlin'), noExtensions),
    )
  ).join('');
  assert.ok(text.startsWith('\ufeffid,started,'));
  const rows: Record<string, string>[] = parse(text, { bom: true, columns: true });
  assert.deepEqual(
    new Set(rows.map(({ id }) => unguarded(id ?? ''))),
    new Set(hostile.map((id) => id.slice(0, 255).replace(/\p{Cc}+/gu, ' '))),
  );
  for (const cell of rows.flatMap(Object.values)) assert.doesNotMatch(cell, /^[=@\t\r]|^[+-](?!\d+$)/);
  assert.equal(rows[0]?.started, '2026-10-25T02:29:00+02:00');
  assert.equal(rows[0]?.outcome, 'answered');
});

test('the CSV is sent in chunks', async (t) => {
  const { store, account, stateDir } = await opened(t);
  await storeCalls({ stateDir }, async (report) => {
    await Promise.all(
      Array.from({ length: 3000 }, (_, at) => report({ id: `c${at}`, from: '110', status: 'ringing', at })),
    );
  });
  const filter = await filterOf(callQueryIn(new URLSearchParams()), account, 'UTC', store, nobody, []);
  let lines = 0;
  for await (const chunk of callsAsCsv(
    store.calls.page,
    account.id,
    filter,
    formatsFor('UTC'),
    noExtensions,
  )) {
    const inChunk = chunk.split('\r\n').length - 1;
    assert.ok(inChunk <= 500, 'a chunk is not everything');
    lines += inChunk;
  }
  assert.equal(lines, 3001);
});

test("no access to another account's calls, figures or requests, and for agents to no requests", async (t) => {
  const served = await serve(t);
  await storeCalls(served, (report) =>
    report({ id: 'secret-1', from: '+4930901820', status: 'ringing', at: Date.now() }),
  );
  const pages = [
    '/calls',
    '/calls?number=1820',
    '/calls.csv',
    '/calls/details?id=secret-1',
    '/reports',
    '/reports.csv?table=series',
    '/api-log',
    '/api-log?in=request&term=secret',
    `/api-log/entry?entry=${await firstEntry(served)}`,
  ];
  const seen = async (account: number, role: Role) => {
    const headers = { cookie: await cookieFor(served, account, role) };
    const answers = await Promise.all(pages.map((path) => served.ask(served.url + path, { headers })));
    const tail = await served.ask(`${served.url}/api-log/stream`, {
      headers: { cookie: 'pbx-bridge-session=none' },
    });
    assert.equal(tail.status, 401);
    return answers.map(({ status, text }) => [status, /secret-1|901820|<dd><a[^>]*>1</.test(text)]);
  };
  const all = seen(1, 'administrator');
  assert.deepEqual(
    (await all).map(([status]) => status),
    pages.map(() => 200),
  );
  assert.deepEqual(
    (await all).map(([, sees]) => sees),
    [true, true, true, true, true, false, true, true, true],
  );
  assert.deepEqual(
    await seen(2, 'administrator'),
    [200, 200, 200, 404, 200, 200, 200, 200, 404].map((status) => [status, false]),
  );
  assert.deepEqual(
    (await seen(1, 'agent')).map(([status]) => status),
    [200, 200, 200, 200, 200, 200, 403, 403, 403],
  );
  const headers = { cookie: await cookieFor(served, 1, 'agent') };
  const call = await served.ask(`${served.url}/calls/details?id=secret-1`, { headers });
  assert.doesNotMatch(call.text, /Requests from the phone system|api-log\/entry/);
  for (const stranger of [headers, { cookie: 'pbx-bridge-session=none' }, {}])
    assert.equal((await served.ask(`${served.url}/api-log/stream`, { headers: stranger })).status, 401);
});

/** What the browser of a new user sends. */
async function cookieFor({ stateDir }: Served, account: number, role: Role): Promise<string> {
  const store = await openSqliteStore(join(stateDir, 'service.db'));
  const uid = newUid();
  const user = { uid, account, name: uid, signInName: uid, role, password: 'none', createdAt: 0 };
  const added = await store.users.add(user);
  const cookie = await makeSessions(store.users, Date.now).open(added as User, { address: '', browser: '' });
  await store.close();
  return `pbx-bridge-session=${cookie}`;
}

async function firstEntry({ stateDir }: Served): Promise<string> {
  const store = await openSqliteStore(join(stateDir, 'service.db'));
  const newest = { account: 1, search: null, order: 'newest', after: null, limit: 1 } as const;
  const { entries } = await store.requests.search(newest);
  await store.close();
  return cursorText(entries[0] as StoredRequest);
}
