import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordsIn } from './masked-settings.ts';

test('passwords in addresses, as written and decoded; a % that encodes nothing is part of one', () => {
  assert.deepEqual(passwordsIn(['postgres://u:a%40b@db/x', undefined, 'https://u@h/']), ['a%40b', 'a@b']);
  assert.deepEqual(passwordsIn(['postgres://u:100%@db/x']), ['100%']);
});
