import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLine, startPlayer } from './link.fixture.ts';

const rows: [batch: string, time: string, delayMs: number][] = [
  ['', '', 0],
  ['no', '300', 0],
  ['yes', '', 300_000],
  ['TRUE', '60', 60_000],
];
for (const [batch, time, delayMs] of rows)
  test(`records are held back for ${delayMs} ms with batch=${batch} and time=${time} in cdr.conf`, async (t) => {
    const variables = {
      'AST_CONFIG(cdr.conf,general,batch)': batch,
      'AST_CONFIG(cdr.conf,general,time)': time,
    };
    const { port } = await startPlayer(t, { variables });
    const { link, until } = startLine(t, { port });
    await until(() => link.status().state === 'up');
    assert.equal(link.status().recordDelayMs, delayMs);
  });
