import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { unguarded } from '../../src/service/csv.ts';
import { askedOf, filterOf } from '../../src/service/pages/activity-filter.ts';
import { callsAsCsv } from '../../src/service/pages/activity-pages.ts';
import { formatsFor } from '../../src/service/pages/formats.ts';
import { openSqliteStore } from '../../src/service/store/sqlite-store.ts';
import type { Account, Store } from '../../src/service/store/store.ts';
import { hostile, hostileCalls, past } from './office.ts';
import { prepare, stateFolder } from './service-harness.ts';

async function opened(t: test.TestContext): Promise<{ store: Store; account: Account; stateDir: string }> {
  const stateDir = stateFolder(t);
  await prepare(stateDir);
  const store = await openSqliteStore(join(stateDir, 'service.db'));
  t.after(() => store.close());
  const [account] = (await store.directory.read(0))?.directory.accounts ?? [];
  return { store, account: account as Account, stateDir };
}

test('a number is found as it is dialled, in full, and by any part; a customer by reference and by name', async (t) => {
  const { store, account, stateDir } = await opened(t);
  const calls = { berlin: '+4930901820', amsterdam: '+31201234567', emergency: '110', zeros: '+49301100110' };
  await past({ stateDir }, async (tell) => {
    for (const [id, from] of Object.entries(calls)) await tell({ id, from, status: 'ringing', at: 1000 });
  });
  const found = async (query: string, timeZone = 'UTC') => {
    const filter = await filterOf(askedOf(new URLSearchParams(query)), account, timeZone, store);
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
    ['nobody', ['amsterdam', 'berlin', 'emergency', 'zeros']],
  ] as const)
    assert.deepEqual(await found(`number=${encodeURIComponent(typed)}`), ids, typed);
  assert.deepEqual(await found('customer=1'), ['berlin'], 'the reference');
  assert.deepEqual(await found('customer=ALPHA%27s'), ['berlin'], 'a part of the name');
  assert.deepEqual(await found('from=1970-01-01&to=1970-01-01'), Object.keys(calls).sort());
  assert.deepEqual(await found('from=1970-01-02'), []);
  assert.deepEqual(
    await found('to=1969-12-31', 'America/New_York'),
    Object.keys(calls).sort(),
    'still yesterday there',
  );
});

test('saved calls are all that match, in UTF-8, and no cell is a formula', async (t) => {
  const { store, account, stateDir } = await opened(t);
  await hostileCalls({ stateDir }, Date.parse('2026-10-25T00:30Z'));
  const filter = await filterOf(askedOf(new URLSearchParams()), account, 'UTC', store);
  const text = (
    await Array.fromAsync(callsAsCsv(store, account.id, filter, formatsFor('Europe/Berlin')))
  ).join('');
  assert.ok(text.startsWith('\ufeffid,began,'));
  const rows: Record<string, string>[] = parse(text, { bom: true, columns: true });
  assert.deepEqual(
    new Set(rows.map(({ id }) => unguarded(id ?? ''))),
    new Set(hostile.map((id) => id.slice(0, 255))),
  );
  for (const cell of rows.flatMap(Object.values)) assert.doesNotMatch(cell, /^[=@\t\r]|^[+-](?!\d+$)/);
  assert.equal(rows[0]?.began, '2026-10-25T02:29:00+02:00');
  assert.equal(rows[0]?.outcome, 'answered');
});

test('calls are saved as they are read, however many there are', async (t) => {
  const { store, account, stateDir } = await opened(t);
  await past({ stateDir }, async (tell) => {
    await Promise.all(
      Array.from({ length: 3000 }, (_, at) => tell({ id: `c${at}`, from: '110', status: 'ringing', at })),
    );
  });
  const filter = await filterOf(askedOf(new URLSearchParams()), account, 'UTC', store);
  let lines = 0;
  for await (const chunk of callsAsCsv(store, account.id, filter, formatsFor('UTC'))) {
    const inChunk = chunk.split('\r\n').length - 1;
    assert.ok(inChunk <= 500, 'a chunk is not everything');
    lines += inChunk;
  }
  assert.equal(lines, 3001);
});
