import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { line } from './gap-filler.fixture.ts';
import { openSource } from './open-cdr-source.ts';

test('the check of Master.csv says what is wrong, and what to do', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'csv-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'Master.csv');
  const source = await openSource({ kind: 'csv', path });
  assert.equal(source.name, path);
  const none = { message: 'not there yet, or empty', mayCome: true };
  await assert.rejects(source.probe(), none);
  appendFileSync(path, line(1).slice(0, 50));
  await assert.rejects(source.probe(), none, 'the first record is being written');
  appendFileSync(path, line(1).slice(50));
  assert.equal(await source.probe(), 'can be read');
  writeFileSync(path, line(1, { uniqueid: '' }));
  await assert.rejects(source.probe(), { message: 'the records have no uniqueid' }, 'the only record');
  appendFileSync(path, line(2).repeat(3_000) + line(3, { uniqueid: '' }));
  await assert.rejects(source.probe(), { message: 'the records have no uniqueid', mayCome: false });
  rmSync(path);
  mkdirSync(path);
  await assert.rejects(source.probe(), { message: 'cannot be read (EISDIR)', mayCome: false });
});
