import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const root = new URL('../../', import.meta.url);

test('every row of SECURITY.md names a test, and every test that it names exists', () => {
  const text = readFileSync(new URL('SECURITY.md', root), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| (?!interface|attack \|)/.test(line));
  assert.ok(rows.length > 15);
  for (const row of rows) {
    const named = [...row.matchAll(/`((?:src|test)\/[^`]+\.test\.ts)`/g)].map(([, path = '']) => path);
    assert.ok(named.length > 0, `no test in: ${row}`);
    for (const path of named) assert.ok(existsSync(new URL(path, root)), `there is no ${path}`);
  }
});
