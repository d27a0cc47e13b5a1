import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualRecords } from '../cdr/cdr-source.ts';
import { startLine, startPlayer } from './link.fixture.ts';

const rows: [options: Record<string, string>, delayMs: number, ignoresDialChanges: boolean][] = [
  [{}, 0, false],
  [{ batch: 'no', time: '300', ignoredialchanges: 'no' }, 0, false],
  [{ batch: 'yes' }, 300_000, false],
  [{ batch: 'TRUE', time: '60' }, 60_000, false],
  [{ ignoredialchanges: 'yes' }, 0, true],
];
for (const [options, delayMs, ignoresDialChanges] of rows)
  test(`how records are written with ${JSON.stringify(options)} in cdr.conf`, async (t) => {
    const variables = Object.fromEntries(
      Object.entries(options).map(([name, value]) => [`AST_CONFIG(cdr.conf,general,${name})`, value]),
    );
    const { port } = await startPlayer(t, { variables });
    const { link, until } = startLine(t, { port });
    await until(() => link.status().state === 'up');
    assert.deepEqual(link.status().records, { ...usualRecords, delayMs, ignoresDialChanges });
  });

test('how long uniqueids are is known from the systemname of the PBX', async (t) => {
  const { port } = await startPlayer(t, { systemName: 'cust-pbx01-berlin' });
  const { link, until } = startLine(t, { port });
  await until(() => link.status().state === 'up');
  assert.equal(link.status().records.systemname, 'cust-pbx01-berlin');
});
