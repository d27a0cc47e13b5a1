import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import type { Account } from '../../src/service/accounts/account.ts';
import { noExtensions } from '../../src/service/accounts/extensions.ts';
import { callQueryIn, filterOf } from '../../src/service/activity/call-filter.ts';
import { callsAsCsv } from '../../src/service/activity/call-list-page.ts';
import { newestCalls, noFilter } from '../../src/service/calls/call-store.ts';
import { openSqliteStore } from '../../src/service/database/sqlite-store.ts';
import { unguarded } from '../../src/service/kit/csv.ts';
import { formatsFor } from '../../src/service/kit/formats.ts';
import { prepare, stateFolder } from '../tools/service/harness.ts';
import { giveHostile, hostileTexts } from '../tools/service/hostile.ts';
import { storeCalls } from '../tools/service/stored-calls.ts';

/** The storage of two accounts: the calls of the first that a query asks for, and their CSV. */
async function opened(t: TestContext) {
  const stateDir = stateFolder(t);
  await prepare(stateDir);
  const store = await openSqliteStore(join(stateDir, 'service.db'));
  t.after(() => store.close());
  const [account] = ((await store.directory.read(0))?.directory.accounts ?? []) as [Account];
  const askedIn = (zone: string) => ({
    account,
    extensions: noExtensions,
    user: { id: 0 },
    formats: formatsFor(zone),
  });
  return {
    stateDir,
    async found(query: string, zone = 'UTC') {
      const filter = await filterOf(callQueryIn(new URLSearchParams(query)), askedIn(zone), store, []);
      return (await newestCalls(store.calls, account.id, filter, 9)).map(({ id }) => id).sort();
    },
    csv: (zone: string) =>
      callsAsCsv(
        (from) =>
          store.calls.page({ account: account.id, filter: noFilter, towards: 'older', from, limit: 9 }),
        askedIn(zone),
      ),
  };
}

test('a number is found in national and international format and by any part, a customer by reference and name', async (t) => {
  const { stateDir, found } = await opened(t);
  const calls = { berlin: '+4930901820', amsterdam: '+31201234567', emergency: '110', zeros: '+49301100110' };
  await storeCalls({ stateDir }, async (report) => {
    for (const [id, from] of Object.entries(calls)) await report({ id, from, status: 'ringing', at: 1000 });
  });
  for (const [ids, ...typed] of [
    [['berlin'], '+49 30 901820', '0049 30 / 90 18 20', '030 901820', '901820', '1820', '03090'],
    [['amsterdam'], '0031 20 1234567'],
    [['emergency'], '110'],
    [['zeros'], '1100'],
    [[], '7777', 'nobody', 'beta’s'],
    [['berlin'], "ALPHA\u0301's cust", 'alpha’s'],
  ] as const)
    for (const text of typed) assert.deepEqual(await found(`q=${encodeURIComponent(text)}`), ids, text);
  assert.deepEqual(await found('customer=1'), ['berlin'], 'the reference');
  for (const [query, isFound, zone] of [
    ['from=1970-01-01&to=1970-01-01', true],
    ['from=1970-01-02', false],
    ['from=1970-01-01T00:00&to=1970-01-01T01:00', true],
    ['from=1970-01-01T01:00', false],
    ['to=1969-12-31', true, 'America/New_York'], // still yesterday there
  ] as const)
    assert.deepEqual(await found(query, zone), isFound ? Object.keys(calls).sort() : [], query);
});

test('the CSV has all matching calls, in UTF-8, and no cell is a formula', async (t) => {
  const { stateDir, csv } = await opened(t);
  await storeCalls({ stateDir }, async (report, store) => {
    await giveHostile(store, 1, 1);
    for (const status of ['ringing', 'answered'] as const)
      await report({ id: 'first', from: '110', status, at: Date.parse('2026-03-29T00:30Z') });
  });
  const text = (await Array.fromAsync(await csv('Europe/Berlin'))).join('');
  assert.ok(text.startsWith('\ufeffid,started,zone,'));
  const rows: Record<string, string>[] = parse(text, { bom: true, columns: true });
  const ids = hostileTexts.map((id) =>
    id
      .toWellFormed()
      .replace('\0', '')
      .replace(/\p{Cc}+/gu, ' '),
  );
  assert.deepEqual(new Set(rows.map(({ id }) => unguarded(id ?? ''))), new Set([...ids, 'first']));
  for (const cell of rows.flatMap(Object.values)) assert.doesNotMatch(cell, /^[=@\t\r]|^[+-](?![\d ]+$)/);
  const first = rows.find(({ id }) => id === 'first');
  assert.deepEqual(
    [first?.started, first?.zone, first?.outcome],
    ['2026-03-29 01:30:00', 'UTC+01:00', 'answered'],
  );
});

test('the CSV is sent in chunks', async (t) => {
  const { stateDir, csv } = await opened(t);
  await storeCalls({ stateDir }, async (report) => {
    const ids = Array.from({ length: 3000 }, (_, at) => `c${at}`);
    await Promise.all(ids.map((id, at) => report({ id, from: '110', status: 'ringing', at })));
  });
  const lines = (await Array.fromAsync(await csv('UTC'))).map((chunk) => chunk.split('\r\n').length - 1);
  assert.ok(Math.max(...lines) <= 500, 'a chunk is not everything');
  assert.equal(
    lines.reduce((a, b) => a + b),
    3001,
  );
});
