import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
  appendFileSync(path, line(4, { uniqueid: 'c2c-5f2a' }));
  assert.equal(await source.probe(), 'can be read', 'a channel of another program');
  appendFileSync(path, line(5, { src: '+49301\nx\n' }));
  assert.equal(await source.probe(), 'can be read', 'a record of several lines');
  rmSync(path);
  mkdirSync(path);
  await assert.rejects(source.probe(), { message: 'cannot be read (EISDIR)', mayCome: false });
});

test('a record of several lines is read once, and not before its last line is there', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'csv-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'Master.csv');
  const source = await openSource({ kind: 'csv', path });
  writeFileSync(path, line(1));
  let position = await source.end();
  const read = async () => {
    const { entries, next, atEnd } = await source.read(position, { thorough: false });
    position = next;
    assert.equal(atEnd, true);
    return entries.map(({ record }) =>
      typeof record === 'string' ? record : `${record.uniqueid} ${record.src}`,
    );
  };
  const long = line(2, { src: '+49301\nx\ny' });
  for (const part of [long.slice(0, 12), long.slice(12, 16)]) {
    appendFileSync(path, part);
    assert.deepEqual(await read(), []);
  }
  appendFileSync(path, long.slice(16) + line(3) + long.slice(0, 16));
  assert.deepEqual(await read(), ['1800000101.2 +49301', '1800000101.3 04066969100']);
  // The rest of it never came: the file is rotated, and read to its end.
  renameSync(path, `${path}.1`);
  writeFileSync(path, line(4));
  const rest = [];
  for (let nth = 0; nth < 3; nth++) {
    const { entries, next } = await source.read(position, { thorough: false });
    position = next;
    rest.push(...entries.map(({ record }) => (typeof record === 'string' ? record : record.uniqueid)));
  }
  assert.deepEqual(rest, ['bad', 'bad', '1800000101.4']);
});
