import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setOutJson } from './set-out-json.ts';

test('JSON is set out, unless it is deep, long or none', () => {
  const nested = (depth: number, inner = '') => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;
  assert.equal(setOutJson('{"id":"a","list":[1]}'), '{\n  "id": "a",\n  "list": [\n    1\n  ]\n}');
  assert.equal(setOutJson(String.raw`["[[[[[[[[[[[[[[[[[[[[[[[[[\"[[[["]`)?.split('\n').length, 3);
  assert.equal(setOutJson(nested(20))?.includes('[]'), true);
  const siblings = Array(100).fill(nested(15));
  assert.equal(
    setOutJson(`[${siblings}]`)?.startsWith('[\n'),
    true,
    'its depth counts, not how many there are',
  );
  for (const text of [
    nested(21),
    nested(2_000, Array(15_000).fill(1).join()),
    nested(30_000),
    '['.repeat(60_000),
    nested(20, Array(30_000).fill(1).join()),
    `{"a":${nested(50_000)}}`,
    '',
    '"text"',
    '7',
    'null',
    '{"a":',
    '"\\',
    `"${'\\"'.repeat(30_000)}`,
  ])
    assert.equal(setOutJson(text), undefined, text.slice(0, 40));
});
