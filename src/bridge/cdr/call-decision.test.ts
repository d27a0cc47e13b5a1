import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideCall, newEvent } from './call-decision.ts';
import type { RecordedCall } from './recorded-call.ts';

const began = 1_800_000_000_000;
const id = 'pbx-1800000000.1';
const extras = { line: 'PJSIP/trunk', began: began / 1_000, seconds: 9 };
const inbound = { inbound: true, number: { from: '+31201234567', how: '' }, extras } as const;
const answered: RecordedCall = { ...inbound, callerId: '1001' };
const other: RecordedCall = { inbound: false };

const rows: [what: string, ...Parameters<typeof decideCall>, decided: unknown][] = [
  ['a new call', id, answered, undefined, began, ['ringing', 'answered 1001', 'completed 1001']],
  ['a missed call', id, inbound, undefined, began, ['ringing', 'completed']],
  [
    'one reported in part',
    id,
    answered,
    { reported: ['ringing'] },
    began,
    ['answered 1001', 'completed 1001'],
  ],
  ['one reported', id, answered, { reported: ['ringing', 'completed'] }, began, 'known'],
  ['one that was heard and not reported', id, inbound, { reported: [], unreported: 'why' }, began, 'known'],
  ['one too old', id, inbound, undefined, began + 1, 'old'],
  ['one of another kind', id, other, undefined, began, 'its record is not of an inbound call'],
  ['one of another kind, reported live', id, other, { reported: ['ringing'] }, began, 'not inbound'],
  ['one of another kind, known', id, other, { reported: [], unreported: 'why' }, began, 'not inbound'],
  ['one of another kind, too old', id, other, undefined, began + 1, 'not inbound'],
];
for (const [what, of, recorded, known, since, decided] of rows)
  test(`what is done about ${what}`, () => {
    const decision = decideCall(of, recorded, known, since);
    if ('skipped' in decision) assert.equal(decision.skipped, decided);
    else if ('unreported' in decision) assert.deepEqual(decision, { unreported: decided });
    else
      assert.deepEqual(
        decision.events.map(({ status, caller_id }) => (caller_id ? `${status} ${caller_id}` : status)),
        decided,
      );
  });

test('a caller without a number is noted as such', () => {
  const decision = decideCall(
    id,
    { ...inbound, number: { reason: 'no-number', why: 'why' } },
    undefined,
    began,
  );
  assert.deepEqual(decision, { unreported: 'why', reason: 'no-number' });
});

test('times of the PBX are given only to a call that was not heard live', () => {
  const timesOf = (reported: 'ringing'[]) => {
    const decision = decideCall(id, answered, { reported }, began);
    return 'events' in decision && decision.events.map((event) => event.extras?.at !== undefined);
  };
  assert.deepEqual(timesOf([]), [true, false, true]);
  assert.deepEqual(timesOf(['ringing']), [false, false]);
});

test('an event is as old as its call, but never old enough to expire nor younger than now', () => {
  const event = { id, direction: 'inbound', status: 'ringing', from: '+31201234567', extras: {} } as const;
  const age = (now: number) => now - newEvent(event, now, false).queuedAt;
  assert.deepEqual(
    [-5_000, 5_000, 600_000, 700_000].map((later) => age(began + later)),
    [0, 5_000, 600_000, 600_000],
  );
  const { extras: _, ...plain } = event;
  assert.deepEqual(JSON.parse(newEvent(event, began, false).body), plain);
  assert.deepEqual(JSON.parse(newEvent(event, began, true).body), event);
});
