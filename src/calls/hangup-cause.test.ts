import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hangupCause } from './hangup-cause.ts';

/** As Asterisk's causes.h numbers them. */
const words = `0 no cause, 1 number not assigned, 16 normal, 17 busy, 18 no response of the phone, 19 no answer,
  20 phone not registered, 21 rejected, 26 answered elsewhere, 27 destination out of order, 28 number incomplete,
  34 no free line, 38 network out of order, 41 temporary failure, 44 line not available, 58 codec not available,
  102 timer expired, 111 protocol error, 127 interworking`;

test('causes that technicians meet have words', () => {
  for (const [, cause = '', text] of words.matchAll(/(\d+) ([^,]+)/g))
    assert.equal(hangupCause(Number(cause)), `cause ${cause} (${text})`);
  assert.equal(hangupCause(99), 'cause 99');
});
