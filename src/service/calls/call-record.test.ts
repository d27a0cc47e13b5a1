import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CallStatus, callStatuses, isForward } from '../../shared/api/contract/call-status.ts';
import { type CallRecord, moveCall, progressOf, rangFor, talkedFor } from './call-record.ts';

type Step = readonly [status: CallStatus, at: number, callerId?: string];

const unknownCaller = () => ({ number: '110', customer: null, segment: null, priority: null });

function after(...steps: Step[]): CallRecord | undefined {
  let call: CallRecord | undefined;
  for (const [status, at, callerId = null] of steps) {
    const step = { id: 'c', integration: 1, status, from: '110', callerId };
    call = moveCall(call, step, at, unknownCaller) ?? call;
  }
  return call;
}

/** The call after the service has closed it from this status. */
const closed = (call: CallRecord | undefined, closes: CallStatus) =>
  moveCall(
    call,
    { id: 'c', integration: 1, status: 'completed', from: '', callerId: null, closes },
    9_000,
    unknownCaller,
  );

const unknown = { callerId: null, rang: null, talked: null, missed: null };

/** What a call is after these steps; what is not named is null. */
// biome-ignore format: one case a line
const cases: [name: string, steps: Step[], expected: Partial<Omit<CallRecord, 'rang' | 'talked'> & { rang: number; talked: number }>][] = [
  ['rings', [['ringing', 10]], { status: 'ringing' }],
  ['is answered', [['ringing', 10], ['answered', 30, '1001']], { status: 'answered', callerId: '1001', rang: 20 }],
  ['is answered and ends',
    [['ringing', 10], ['answered', 30, '1001'], ['completed', 90]], { status: 'completed', callerId: '1001', rang: 20, talked: 60, missed: false }],
  ['is missed', [['ringing', 10], ['completed', 50]], { status: 'completed', rang: 40, missed: true }],
  ['is missed, though a phone was named while it rang',
    [['ringing', 10, '1001'], ['completed', 50]], { status: 'completed', callerId: '1001', rang: 40, missed: true }],
  ['was answered, as its end alone reports',
    [['ringing', 10], ['completed', 50, '1001']], { status: 'completed', callerId: '1001', rang: 40, missed: false }],
  ['begins answered', [['answered', 30]], { status: 'answered' }],
  ['begins completed', [['completed', 30]], { status: 'completed', missed: true }],
  ['hears of its ringing too late',
    [['answered', 30, '1'], ['ringing', 40, '2'], ['completed', 90]], { status: 'completed', callerId: '1', talked: 60, missed: false }],
  ['hears of its answer too late',
    [['ringing', 10], ['completed', 50], ['answered', 60, '1']], { status: 'completed', rang: 40, missed: true }],
  ['is reported twice', [['ringing', 10], ['ringing', 20], ['answered', 30], ['answered', 40]], { status: 'answered', rang: 20 }],
  ['is answered by another in the end',
    [['answered', 30, '1001'], ['completed', 90, '1002']], { status: 'completed', callerId: '1002', talked: 60, missed: false }],
  ['meets a clock that goes back',
    [['ringing', 100], ['answered', 40], ['completed', 20]], { status: 'completed', rang: 0, talked: 0, missed: false }],
];
for (const [name, steps, expected] of cases)
  test(`a call that ${name}`, () => {
    const call = after(...steps) as CallRecord;
    const { status, callerId, missed } = call;
    const found = { status, callerId, rang: rangFor(call), talked: talkedFor(call), missed };
    assert.deepEqual(found, { ...unknown, ...expected });
  });

test('a call is closed from one status only, at the time of its last event', () => {
  const rings = after(['ringing', 10]);
  const talks = after(['ringing', 10], ['answered', 30, '1001']);
  const figures = (call: CallRecord | undefined) =>
    call && [call.status, call.completedAt, call.missed, call.callerId, call.from];
  assert.deepEqual(figures(closed(rings, 'ringing')), ['completed', 10, true, null, '110']);
  assert.deepEqual(figures(closed(talks, 'answered')), ['completed', 30, false, '1001', '110']);
  assert.equal(closed(talks, 'ringing'), undefined, 'answered in the meantime');
  assert.equal(closed(closed(rings, 'ringing'), 'ringing'), undefined);
  assert.equal(closed(undefined, 'ringing'), undefined);
});

/** What the service has closed, what comes then, and the call after it: the same as without the closing. */
// biome-ignore format: one case a line
const lateCases: [name: string, known: Step[], late: Step[]][] = [
  ['was answered and is over', [['ringing', 10]], [['answered', 9_100, '1001'], ['completed', 9_200]]],
  ['is talked on', [['ringing', 10]], [['answered', 9_100, '1001']]],
  ['was answered, as its end says', [['ringing', 10]], [['completed', 9_200, '1001']]],
  ['was missed, as was guessed', [['ringing', 10]], [['completed', 9_200]]],
  ['is over at last', [['ringing', 10], ['answered', 20, '1']], [['completed', 9_200]]],
  ['hears its end twice', [['ringing', 10]], [['completed', 9_200], ['completed', 9_300, '1001'], ['answered', 9_400, '1']]],
  ['hears of its ringing again', [['ringing', 10]], [['ringing', 9_100], ['answered', 9_200, '1'], ['completed', 9_300]]],
];
for (const [name, known, late] of lateCases)
  test(`a call that the service had closed ${name}: it is what its events say`, () => {
    const before = after(...known) as CallRecord;
    let call = closed(before, before.status) as CallRecord;
    assert.equal(call.closedFrom, before.status);
    for (const [status, at, callerId = null] of late) {
      const next = moveCall(
        call,
        { id: 'c', integration: 1, status, from: '110', callerId },
        at,
        unknownCaller,
      );
      if (next) assert.ok(progressOf(next) > progressOf(call));
      call = next ?? call;
    }
    assert.deepEqual(call, after(...known, ...late));
  });

test('a closed call that is answered later can be closed again', () => {
  const talks = moveCall(
    closed(after(['ringing', 10]), 'ringing'),
    { id: 'c', integration: 1, status: 'answered', from: '110', callerId: '1001' },
    9_100,
    unknownCaller,
  );
  const { status, answeredAt, completedAt, missed, closedFrom } = closed(talks, 'answered') as CallRecord;
  assert.deepEqual(
    [status, answeredAt, completedAt, missed, closedFrom],
    ['completed', 9_100, 9_100, false, 'answered'],
  );
});

test('any events in any order: forward only', () => {
  const step = fc.tuple(fc.constantFrom(...callStatuses), fc.nat(1000), fc.constantFrom(undefined, '1001'));
  fc.assert(
    fc.property(fc.array(step, { minLength: 1 }), (steps) => {
      let call: CallRecord | undefined;
      for (const [status, at, callerId = null] of steps) {
        const next = moveCall(
          call,
          { id: 'c', integration: 1, status, from: '1', callerId },
          at,
          unknownCaller,
        );
        assert.equal(next !== undefined, isForward(call?.status, status));
        if (next === undefined) continue;
        call = next;
      }
      assert.ok((call?.status === 'completed') === (call?.missed !== null));
    }),
  );
});
