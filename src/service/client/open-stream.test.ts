import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MissedPerson, ScreenCall, ScreenSystem } from '../rules/screen-call.ts';
import { next, nothingKnown } from './open-stream.ts';

const call = (id: string, fields: Partial<ScreenCall> = {}) =>
  ({ id, status: 'ringing', ...fields }) as ScreenCall;
const person = (id: string) => ({ person: id }) as MissedPerson;
const system = (name: string) => ({ name }) as ScreenSystem;
const first = {
  now: 1,
  systems: [system('HQ')],
  calls: [call('a')],
  missed: [person('p')],
  count: 3,
  more: true,
};
const live = next(nothingKnown, { type: 'calls', data: first });

test('the first event of a connection replaces what is known, and makes it live', () => {
  const before = next(next(nothingKnown, { type: 'call', data: call('old') }), {
    type: 'asked',
    status: 401,
  });
  assert.deepEqual([before.signedOut, [...before.board.keys()]], [true, ['old']]);
  const now = next(before, { type: 'calls', data: first });
  assert.deepEqual(now, live);
  assert.deepEqual([now.live, now.signedOut, now.count, now.more], [true, false, 3, true]);
  assert.deepEqual([[...now.board.keys()], [...now.people.keys()]], [['a'], ['p']]);
});

test('calls and people change one by one, and changed customers are counted', () => {
  const answered = next(live, { type: 'call', data: call('a', { status: 'answered' }) });
  assert.equal(answered.board.get('a')?.status, 'answered');
  const about = { missed_today: 2 };
  const calls = [{ id: 'a', about }];
  const changed = next(live, { type: 'customers', data: { calls } });
  assert.deepEqual([changed.customers, changed.board.get('a')?.about], [1, about]);
  const told = next(live, { type: 'about', data: { calls } });
  assert.deepEqual([told.customers, told.board.get('a')?.about], [0, about]);
  const data = { missed: [person('q')], gone: ['p'], count: 1, more: false };
  const missed = next(live, { type: 'missed', data });
  assert.deepEqual([[...missed.people.keys()], missed.count, missed.more], [['q'], 1, false]);
  const beat = next(live, { type: 'beat', data: { now: 2, systems: [system('Branch')] } });
  assert.deepEqual(beat, { ...live, systems: [system('Branch')] });
});

test('a lost connection keeps what was known; only a 401 is a user who is signed out', () => {
  assert.deepEqual(next(live, { type: 'lost' }), { ...live, live: false });
  for (const status of [undefined, 200, 502])
    assert.equal(next({ ...live, signedOut: true }, { type: 'asked', status }).signedOut, false);
  assert.equal(next(live, { type: 'asked', status: 401 }).signedOut, true);
});
