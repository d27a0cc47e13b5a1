import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecordTimeouts } from './pending-calls.ts';

test('the record of a call that is gone is waited for during five reads, all of the records included', () => {
  const timeouts = createRecordTimeouts();
  const expired = (reads: number, { atEnd = true, vanished = ['1.1'], delayReads = 0 } = {}) =>
    timeouts.expired(new Set(vanished), { reads, atEnd, delayReads });
  assert.deepEqual(expired(1, { atEnd: false }), []);
  assert.deepEqual(expired(2), []);
  assert.deepEqual(expired(5), []);
  assert.deepEqual(expired(6, { delayReads: 1 }), [], 'Asterisk holds records back');
  assert.deepEqual(expired(6), ['1.1']);
  assert.deepEqual(expired(7, { atEnd: false }), [], 'there are more records');
  assert.deepEqual(expired(12), ['1.1']);
  assert.deepEqual(expired(13, { vanished: [] }), []);
  assert.deepEqual(expired(14), [], 'gone again');
});
