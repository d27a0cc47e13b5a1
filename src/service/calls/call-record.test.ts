import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { table } from '../../../test/table.ts';
import { type CallStatus, callStatuses, isForward } from '../../shared/api/contract/call-status.ts';
import { type CallRecord, moveCall, progressOf, rangFor, talkedFor } from './call-record.ts';

type Step = readonly [status: CallStatus, at: number, callerId?: string];

const nobody = () => ({ number: '110', customer: null, segment: null, priority: null });

function after(...steps: Step[]): CallRecord | undefined {
  let call: CallRecord | undefined;
  for (const [status, at, callerId = null] of steps) {
    const step = { id: 'c', integration: 1, status, from: '110', callerId };
    call = moveCall(call, step, at, nobody) ?? call;
  }
  return call;
}

/** The call after the service has closed it from this status. */
const closed = (call: CallRecord | undefined, closes: CallStatus) =>
  moveCall(
    call,
    { id: 'c', integration: 1, status: 'completed', from: '', callerId: null, closes },
    9_000,
    nobody,
  );

const stepsOf = (text: string) =>
  text.split(' ').map((step): Step => {
    const [status, at, callerId] = step.split(/[@:]/) as [CallStatus, string, string?];
    return callerId === undefined ? [status, Number(at)] : [status, Number(at), callerId];
  });

/** A call that does this: status, who answered, rang for, talked for, missed. A step is `ringing@10` or `answered@30:1001`. */
const rows = table<[name: string, steps: string, expected: string]>(`
  rings                                       | ringing@10                                     | ringing - - - -
  is answered                                 | ringing@10 answered@30:1001                    | answered 1001 20 - -
  is answered and ends                        | ringing@10 answered@30:1001 completed@90       | completed 1001 20 60 false
  is missed                                   | ringing@10 completed@50                        | completed - 40 - true
  is missed, though a phone was named while it rang | ringing@10:1001 completed@50             | completed 1001 40 - true
  was answered, as its end alone reports      | ringing@10 completed@50:1001                   | completed 1001 40 - false
  begins answered                             | answered@30                                    | answered - - - -
  begins completed                            | completed@30                                   | completed - - - true
  hears of its ringing too late               | answered@30:1 ringing@40:2 completed@90        | completed 1 - 60 false
  hears of its answer too late                | ringing@10 completed@50 answered@60:1          | completed - 40 - true
  is reported twice                           | ringing@10 ringing@20 answered@30 answered@40  | answered - 20 - -
  is answered by another in the end           | answered@30:1001 completed@90:1002             | completed 1002 - 60 false
  meets a clock that goes back                | ringing@100 answered@40 completed@20           | completed - 0 0 false
`);
for (const [name, script, expected] of rows)
  test(`a call that ${name}`, () => {
    const call = after(...stepsOf(script)) as CallRecord;
    const found = [call.status, call.callerId, rangFor(call), talkedFor(call), call.missed];
    assert.equal(found.map((it) => it ?? '-').join(' '), expected);
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
const lateRows = table<[name: string, known: string, late: string]>(`
  was answered and is over       | ringing@10                | answered@9100:1001 completed@9200
  is talked on                   | ringing@10                | answered@9100:1001
  was answered, as its end says  | ringing@10                | completed@9200:1001
  was missed, as was guessed     | ringing@10                | completed@9200
  is over at last                | ringing@10 answered@20:1  | completed@9200
  hears its end twice            | ringing@10                | completed@9200 completed@9300:1001 answered@9400:1
  hears of its ringing again     | ringing@10                | ringing@9100 answered@9200:1 completed@9300
`);
for (const [name, known, late] of lateRows)
  test(`a call that the service had closed ${name}: it is what its events say`, () => {
    const before = after(...stepsOf(known)) as CallRecord;
    let call = closed(before, before.status) as CallRecord;
    assert.equal(call.closedFrom, before.status);
    for (const [status, at, callerId = null] of stepsOf(late)) {
      const next = moveCall(call, { id: 'c', integration: 1, status, from: '110', callerId }, at, nobody);
      if (next) assert.ok(progressOf(next) > progressOf(call));
      call = next ?? call;
    }
    assert.deepEqual(call, after(...stepsOf(known), ...stepsOf(late)));
  });

test('a closed call that is answered later can be closed again', () => {
  const talks = moveCall(
    closed(after(['ringing', 10]), 'ringing'),
    { id: 'c', integration: 1, status: 'answered', from: '110', callerId: '1001' },
    9_100,
    nobody,
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
        const next = moveCall(call, { id: 'c', integration: 1, status, from: '1', callerId }, at, nobody);
        assert.equal(next !== undefined, isForward(call?.status, status));
        if (next === undefined) continue;
        call = next;
      }
      assert.ok((call?.status === 'completed') === (call?.missed !== null));
    }),
  );
});
