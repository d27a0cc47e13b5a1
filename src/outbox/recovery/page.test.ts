import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { temporaryFolder } from '../outbox.fixture.ts';
import { type PageRow, pageSize, rowsOfPage } from './page.ts';

function allRows(file: Buffer): PageRow[] {
  const pageAt = (number: number) => file.subarray((number - 1) * pageSize, number * pageSize);
  return Array.from({ length: file.length / pageSize }, (_, i) => [
    ...rowsOfPage(pageAt(i + 1), pageAt),
  ]).flat();
}

const value = fc.oneof(
  fc.constant(null),
  fc.maxSafeInteger(),
  fc.integer({ min: -130, max: 130 }),
  // Of four bytes, and of six, as a time is.
  fc.nat(),
  fc.integer({ min: 0, max: 2 ** 42 }),
  fc.double({ noNaN: true }).filter((number) => !Number.isInteger(number)),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  // Around the sizes at which a row leaves its page.
  fc.integer({ min: 3_900, max: 13_000 }).map((length) => 'ü'.repeat(length / 2)),
);

test('page: every row that SQLite wrote is read, as it was written', (t) => {
  const path = join(temporaryFolder(t), 'x.db');
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 60 }), (rows) => {
      const db = new DatabaseSync(path);
      db.exec('DROP TABLE IF EXISTS x; CREATE TABLE x (id INTEGER PRIMARY KEY, a, b, c); VACUUM');
      const put = db.prepare('INSERT INTO x (a, b, c) VALUES (?, ?, ?)');
      // A number is bound as a double, a BigInt as an integer.
      for (const row of rows)
        put.run(...row.map((one) => (Number.isInteger(one) ? BigInt(one as number) : one)));
      db.close();
      const found = allRows(readFileSync(path)).filter(
        ({ values }) => values.length === 4 && values[0] === null,
      );
      const inOrder = new Map(found.map(({ rowid, values }) => [rowid, values.slice(1)]));
      assert.deepEqual(
        rows.map((_, i) => inOrder.get(i + 1)),
        rows.map((row) => row.map((one) => (one === 0 ? 0 : one))),
      );
    }),
    { numRuns: 60 },
  );
});

test('page: rows of every length around a page and two are read', (t) => {
  const path = join(temporaryFolder(t), 'x.db');
  const db = new DatabaseSync(path);
  db.exec('CREATE TABLE x (id INTEGER PRIMARY KEY, a)');
  const put = db.prepare('INSERT INTO x VALUES (?, ?)');
  const lengths = [4_000, 8_100].flatMap((from) => Array.from({ length: 200 }, (_, i) => from + i));
  for (const length of lengths) put.run(length, 'x'.repeat(length));
  db.close();
  const found = allRows(readFileSync(path)).map(({ rowid, values }) => [rowid, String(values[1]).length]);
  assert.equal(found.length, lengths.length);
  for (const length of lengths) {
    assert.ok(
      found.some(([rowid, read]) => rowid === length && read === length),
      `a row of ${length}`,
    );
  }
});

test('page: a row that ends before its values do is left out', (t) => {
  const path = join(temporaryFolder(t), 'x.db');
  const db = new DatabaseSync(path);
  db.exec("CREATE TABLE x (id INTEGER PRIMARY KEY, a); INSERT INTO x VALUES (7, 'a text')");
  db.close();
  const file = readFileSync(path);
  assert.deepEqual(allRows(file), [{ rowid: 7, values: [null, 'a text'] }]);
  file.writeUInt8(13 + 2 * 'a text.'.length, file.indexOf('a text') - 1);
  assert.deepEqual(allRows(file), []);
});

test('page: whatever bytes it holds, reading it ends and does not throw', () => {
  const bytes = fc.uint8Array({ minLength: pageSize, maxLength: pageSize });
  fc.assert(
    fc.property(bytes, fc.constantFrom(100, pageSize), (random, length) => {
      const page = Buffer.from(random).subarray(0, length);
      page[0] = 0x0d;
      for (const { values } of rowsOfPage(page, () => page)) assert.ok(Array.isArray(values));
    }),
    { numRuns: 100 },
  );
});
