import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amiEvent } from '../../../../test/tools/fakes/ami-event.ts';
import { fieldKey } from './frame.ts';
import { type Frame, type GuardEffect, type GuardState, newGuard, nextGuard } from './guard-state.ts';

const state = (uniqueid: string, number = '+4930') =>
  amiEvent('Newstate', {
    Channel: 'PJSIP/trunk-00000001',
    CallerIDNum: number,
    Exten: '300',
    Uniqueid: uniqueid,
    Linkedid: uniqueid,
  });
const frame = (text: string): Frame => ({
  bytes: Buffer.from(`${text}\r\n\r\n`),
  event: /^Event: (.*)\r$/m.exec(text)?.[1] ?? '',
  at: 1,
});
const settle = { type: 'settle' } as const;
const isAnswer = (bytes: Buffer) => bytes.includes('\nActionID: ours-');

/** What is handed on of frames and events in turn, and where that leads. */
function follow(...events: readonly (string | typeof settle | { readonly type: 'end' })[]) {
  let guard: GuardState = newGuard;
  const handedOn = events.map((event) => {
    const taken = typeof event === 'string' ? ({ type: 'frame', frame: frame(event) } as const) : event;
    const { state, effects } = nextGuard(guard, taken, isAnswer);
    guard = state;
    return effects.map(nameOf).join(', ');
  });
  return { handedOn, guard };
}

function nameOf(effect: GuardEffect): string {
  if (effect.type === 'event') return `event ${effect.fields(fieldKey('Uniqueid'))}`;
  return effect.type === 'other' ? `other ${effect.frame.event}` : effect.type;
}

test('guard: an event is held until nothing else has come, or the next one has', () => {
  const { handedOn, guard } = follow(state('1.1'), state('1.2'), settle, settle);
  assert.deepEqual(handedOn, ['', 'event 1.1', 'event 1.2', '']);
  assert.deepEqual(guard, newGuard);
  assert.equal(follow(state('1.1')).guard.inHand.kind, 'whole');
});

test('guard: an event that is cut in a value goes on in the next frame', () => {
  const [first = '', second = ''] = state('1.1', '+4930\r\n\r\nx').split('\r\n\r\n');
  const cut = follow(first);
  assert.equal(cut.guard.inHand.kind, 'cut');
  assert.deepEqual(follow(first, second, settle).handedOn, ['', '', 'line-break, event 1.1']);
});

test('guard: the rest of an event that was cut is not found: it is refused, and what is near is doubtful', () => {
  const [first = ''] = state('1.1', '+4930\r\n\r\nx').split('\r\n\r\n');
  const { handedOn, guard } = follow(first, { type: 'end' });
  assert.deepEqual(handedOn, ['', 'refused']);
  assert.equal(guard.inHand.kind, 'none');
  const lost = follow(first, `Event: VarSet\r\nPrivilege: dialplan,all\r\nValue: ${'x'.repeat(300)}`);
  assert.deepEqual(lost.handedOn, ['', 'refused, other VarSet']);
  const doubtful: GuardState = { ...newGuard, doubtful: 255 };
  const near = nextGuard(doubtful, { type: 'frame', frame: frame('Event: VarSet') }, isAnswer);
  assert.deepEqual(near.effects.map(nameOf), ['refused']);
  assert.equal(nextGuard(doubtful, settle, isAnswer).state.doubtful, 0);
});

test('guard: an answer to us ends the event in hand, which callers cannot write', () => {
  const answer = 'Response: Success\r\nActionID: ours-1';
  assert.deepEqual(follow(state('1.1'), answer).handedOn, ['', 'event 1.1, other ']);
});

test('guard: what is held are copies', () => {
  const held = frame(state('1.1'));
  const { state: guard } = nextGuard(newGuard, { type: 'frame', frame: held }, isAnswer);
  held.bytes.fill('X');
  assert.deepEqual(nextGuard(guard, settle, isAnswer).effects.map(nameOf), ['event 1.1']);
});
