import assert from 'node:assert/strict';
import { test } from 'node:test';
import { journalLine } from './journal-buffer.ts';

test('a line of the journal has a code, and a text for 1.0.0, whose explain ends without one', () => {
  const event = { code: 'hangup-lost', channel: 'PJSIP/trunk-00000001' } as const;
  const line = JSON.parse(journalLine({ at: 1, uniqueid: '1.1', kind: 'observed', event })) as object;
  assert.deepEqual(line, { at: 1, uniqueid: '1.1', kind: 'observed', event, text: 'hangup-lost' });
});
