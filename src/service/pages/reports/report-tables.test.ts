import assert from 'node:assert/strict';
import { test } from 'node:test';
import { en } from '../words/en.ts';
import { columnsOf, type Row, sortedRows, tableCells } from './report-tables.ts';

test('callers who were never reached are sorted by name, and by the time of their last call', () => {
  const row = (label: string, iso: string, at: number): Row => ({
    ...{ calls: 1, missed: 1, answered: 0 },
    ...{ label, iso, at },
  });
  const rows = [row('Zoe', '+491', 2), row('Ann', '+493', 1), row('Bea', '+492', 3)];
  const table = { name: 'never', caption: '', columns: columnsOf(en).neverReached('Caller'), rows };
  const sorted = (column: string) =>
    sortedRows(table, { table: 'never', column, descending: false }).map(({ label }) => label);
  assert.deepEqual(sorted('number'), ['Ann', 'Bea', 'Zoe']);
  assert.deepEqual(sorted('last_call'), ['Ann', 'Zoe', 'Bea']);
  assert.deepEqual(tableCells(table, 'Europe/Berlin')[1], ['+491', 1, '1970-01-01T01:00:00+01:00']);
});
