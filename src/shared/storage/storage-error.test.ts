import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrokenInvariant, storageErrorKind } from './storage-error.ts';

test('errors of SQLite are classified by their extended code, else by its last byte', () => {
  const kinds = [5, 261, 522, 266, 267, 13, 14, 1].map((errcode) => storageErrorKind({ errcode }));
  assert.deepEqual(kinds, ['busy', 'busy', 'corrupt', 'io', 'corrupt', 'full', 'io', 'other']);
});

test('errors of the file system, and ours', () => {
  const codes = ['ENOSPC', 'EROFS', 'EACCES', undefined].map((code) => storageErrorKind({ code }));
  assert.deepEqual(codes, ['full', 'io', 'other', 'other']);
  assert.equal(storageErrorKind(new BrokenInvariant('rows contradict each other')), 'corrupt');
});
