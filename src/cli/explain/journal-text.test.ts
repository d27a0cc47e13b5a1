import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalEntry, JournalEvent } from '../../bridge/calls/effect.ts';
import { isMissedEnd, journalText, reasonText, type StoredEntry } from './journal-text.ts';

const about = { at: 1, uniqueid: '1.1' } as const;
const observed = (event: JournalEvent, more: Partial<JournalEntry> = {}): JournalEntry => ({
  ...about,
  kind: 'observed',
  event,
  ...more,
});
const channel = 'PJSIP/trunk-00000001';

test('each event is a sentence', () => {
  const place = { context: 'ext-queues', exten: '1400', priority: '1' };
  const rows: [JournalEntry, string][] = [
    [observed({ code: 'dialled-out' }), 'the PBX dialled this out itself, over the trunk: not a call to us'],
    [
      observed({ code: 'presentation', presentation: 'unknown' }),
      'the PBX says of showing the number: that it does not know',
    ],
    [observed({ code: 'hung-up', channel, cause: 17 }), `${channel} hung up, cause 17 (busy)`],
    [observed({ code: 'hung-up', channel, cause: 99 }), `${channel} hung up, cause 99`],
    [
      observed({ code: 'caller-hung-up', channel, cause: 16 }, { place }),
      `the caller's channel ${channel} hung up, cause 16 (normal), in queue 1400 (extension 1400 in context ext-queues)`,
    ],
    [observed({ code: 'hangup-lost', channel }), `${channel} is gone from the PBX: its Hangup never came`],
    [
      observed({ code: 'far-end-replaced', channel, replaced: 'PJSIP/x-1', continued: undefined }),
      `${channel} takes the place of PJSIP/x-1: the far end has changed, and the conversation goes on`,
    ],
    [observed({ code: 'answered', by: undefined }), 'answered elsewhere'],
    [observed({ code: 'completed', answer: {} }), 'completed, was answered elsewhere'],
    [observed({ code: 'completed', missed: { by: 'caller' } }), 'completed, missed: gave up'],
    [
      observed({ code: 'decision', decision: 'picked-up', why: 'is in progress' }),
      'picked up: is in progress',
    ],
    [
      observed({
        code: 'ringing',
        from: '+31201234567',
        number: 'known',
        source: { by: 'dialplan', text: '0201234567', how: 'as dialled in NL' },
      }),
      'ringing, from +31201234567: the dialplan made it 0201234567 (as dialled in NL)',
    ],
    [
      observed({ code: 'sent-again', status: 'ringing' }),
      'ringing was confirmed by the API and is not in its history: sent again',
    ],
  ];
  // As it is read back.
  for (const [entry, text] of rows)
    assert.equal(journalText(JSON.parse(JSON.stringify(entry)) as StoredEntry), text);
});

test('an entry that 1.0.0 has written is shown as it is', () => {
  const why = 'not inbound: context a matches no INBOUND_CONTEXTS, and INBOUND_CHANNELS is not set';
  const text = `channel ${channel} in context a, extension s, with no number: ${why}`;
  const appeared: StoredEntry = { ...about, kind: 'not-reported', text };
  assert.deepEqual([journalText(appeared), reasonText(appeared)], [text, why]);
  const end = (text: string): StoredEntry => ({ ...about, kind: 'reported', text });
  assert.ok(isMissedEnd(end('completed, missed: gave up after 12 s')));
  assert.ok(!isMissedEnd(end('completed, was answered by 1001')));
});

test('an entry of a later version, whose code is not known, is shown as its code', () => {
  const later = { ...about, kind: 'observed', event: { code: 'beamed-up' } } as unknown as StoredEntry;
  assert.equal(journalText(later), 'beamed-up');
});

test('the reason is without the channel that it is about', () => {
  const appeared = { code: 'appeared', channel, context: 'a', exten: 's' } as const;
  assert.equal(
    reasonText(observed({ ...appeared, rule: 'leg' }, { linkedid: '1.0' })),
    'a leg that was dialled for the call 1.0',
  );
  assert.equal(reasonText(observed({ code: 'unreported-record', why: 'too old' })), 'too old');
  assert.ok(isMissedEnd(observed({ code: 'completed', missed: {} })));
  assert.ok(!isMissedEnd(observed({ code: 'completed', answer: {}, missed: undefined })));
});
