import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callIdIn } from './api-log-pages.ts';

test('an entry of the API log leads to its call, unless its ID is none that a database could hold', () => {
  for (const [fields, payload, id] of [
    [[['id', 'a']], 'id=a', 'a'],
    [[], '{"id":"a"}', 'a'],
    [[], '{"id":1}', undefined],
    [[], '[]', undefined],
    [[], 'null', undefined],
    [[['id', 'a\0']], 'id=a%00', undefined],
    [[], String.raw`{"id":"a\u0000"}`, undefined],
  ] as const)
    assert.equal(callIdIn(fields, payload), id, payload);
});
