import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packTable, unpackTable } from './packed-table.ts';

test('a packed table is short, has nothing to escape, and is the same when it is unpacked', async () => {
  for (const table of ['', 'name\nBäckerei "Weiß" & Söhne <1>\n日本\u{1f600}\n', '"a""&'.repeat(1_000_000)]) {
    const packed = await packTable(table);
    assert.match(packed, /^[\w+/]*=*$/);
    assert.ok(packed.length < Math.max(table.length, 200));
    assert.equal(await unpackTable(packed, 6_000_000), table);
  }
});

test('what is larger when it is unpacked, or was not packed, is refused', async () => {
  const packed = await packTable('x'.repeat(2_000_000));
  assert.equal((await unpackTable(packed, 2_000_000)).length, 2_000_000);
  await assert.rejects(unpackTable(packed, 1_999_999), { statusCode: 413 });
  for (const forged of [packed.slice(0, -40), 'eA==', '%', `x${packed}`])
    await assert.rejects(unpackTable(forged, 2_000_000), { statusCode: 400 });
});
