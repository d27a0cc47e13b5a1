import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { openSqliteStore } from '../database/sqlite-store.ts';
import { columns, eachText } from './customer-fields.ts';
import { importCustomers, namesCustomers } from './customers-csv.ts';
import { previewImport } from './customers-preview.ts';

test('a preview shows what the import then does', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'preview-'));
  const store = await openSqliteStore(join(folder, 'service.db'));
  t.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const { id: account } = await store.directory.addAccount({ uid: 'a', name: 'A', country: 'DE' });
  const into = { customers: store.customers, account, country: 'DE' };
  await store.customers.putSegment(account, { name: 'Gold', priority: 5 });

  const cell = (...values: string[]) => fc.constantFrom(...values);
  const row = fc.record({
    ...eachText(() => cell('Ann', 'Bob', '')),
    reference: cell('1', '2', '3', ''),
    segment: cell('Gold', 'None', ''),
    numbers: cell('030901820', '030901821|030901822', '030901822', 'none', ''),
  });
  // Any columns, as long as they say which customer it is.
  const some = fc.subarray([...columns], { minLength: 1 }).filter(namesCustomers);
  await fc.assert(
    fc.asyncProperty(some, fc.array(row, { maxLength: 8 }), async (some, rows) => {
      const cells = rows.map((row) => some.map((column) => row[column]));
      const table = [some, ...cells].map((line) => line.join(',')).join('\n');
      const preview = await previewImport(Readable.from([table]), into);
      assert.deepEqual(await previewImport(Readable.from([table]), into), preview, 'it changed nothing');
      const { added, changed, same, refused, errors } = preview;
      assert.equal(preview.changes.length, changed);
      const report = await importCustomers(Readable.from([table]), into);
      assert.deepEqual(
        { imported: added + changed + same, refused, errors },
        { ...report, errors: [...report.errors].sort((a, b) => a.line - b.line) },
      );
    }),
    { numRuns: 100 },
  );
});
