import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { type CallRecord, noExtras } from '../calls/call-record.ts';
import { createScreens } from '../calls/screens.ts';
import { MAX_NOTE_LENGTH } from '../rules/limits.ts';
import { aboutCallers, sendAboutCallers } from './who-calls.ts';
import type { CallerFacts } from './who-calls-store.ts';

/** Characters of three bytes, as many as a name can have. */
const longName = '名'.repeat(255);
const extensions = new Map([
  ['1001', { account: 1, extension: '1001', name: longName, user: null, userName: null }],
]);
const directory = {
  extensions: () => extensions,
  accounts: () => [{ id: 1, timeZone: 'Asia/Tokyo' }],
} as unknown as ServiceDirectory;
const call = (id: string, fields: Partial<CallRecord> = {}) =>
  ({
    id,
    status: 'ringing',
    from: '+493012345678',
    number: '+493012345678',
    startedAt: 1_000,
    past: false,
    ringingAt: 1_000,
    answeredAt: null,
    completedAt: null,
    missed: null,
    closedFrom: null,
    callerId: null,
    priority: 1,
    integration: 1,
    customer: { reference: 'r'.repeat(64), name: longName },
    segment: longName.slice(0, 80),
    rang: null,
    talked: null,
    extras: noExtras,
    ...fields,
  }) as CallRecord;

const nothing: CallerFacts = { last: null, note: null, missed: 0 };
const most: CallerFacts = {
  last: { by: '1001', at: 1_800_000_000_000 },
  note: { by: longName.slice(0, 80), at: 1_800_000_000_000, text: '語\n '.repeat(MAX_NOTE_LENGTH / 3) },
  missed: 100,
};

function partsOf(facts: CallerFacts) {
  const asked: { number: string; since: number }[] = [];
  const callerFacts = async (_: number, number: string, since: number) => {
    asked.push({ number, since });
    return facts;
  };
  // Half past midnight of the second of January, in Tokyo.
  const clock = () => Date.parse('2026-01-01T15:30:00Z');
  return { asked, parts: { store: { customers: { callerFacts } }, directory, clock } };
}

test('screens of users get what is known of a caller who rings, in one frame of at most 2 kB', async () => {
  const { asked, parts } = partsOf(most);
  const screens = createScreens(() => extensions);
  const [user, token]: [string[], string[]] = [[], []];
  screens.subscribe({ account: 1, user: {} }, (frame) => user.push(frame));
  screens.subscribe({ account: 1, user: null }, (frame) => token.push(frame));
  sendAboutCallers(screens, parts);
  screens.publish(1, call('a'));
  await setImmediate();
  assert.deepEqual([user.length, token.length], [2, 1]);
  const [, frame = ''] = user;
  assert.match(frame, /^event: about\ndata: /);
  const [told] = JSON.parse(frame.slice(frame.indexOf('{'))).calls;
  assert.deepEqual(Object.keys(told.about), ['last', 'note', 'missed_today']);
  assert.equal(told.about.last.by, '1001');
  assert.match(told.about.note.text, /^語 語 語 .*…$/);
  for (const one of user) assert.ok(Buffer.byteLength(one) <= 2_048, `${Buffer.byteLength(one)} bytes`);
  assert.deepEqual(asked, [{ number: '+493012345678', since: Date.parse('2026-01-01T15:00:00Z') }]);
});

test('nothing is read or said of calls that do not ring, and of callers of whom nothing is known', async () => {
  const { asked, parts } = partsOf(nothing);
  const screens = createScreens(() => extensions);
  const frames: string[] = [];
  screens.subscribe({ account: 1, user: {} }, (frame) => frames.push(frame));
  sendAboutCallers(screens, parts);
  screens.publish(1, call('a', { status: 'answered', callerId: '1001', answeredAt: 2_000 }));
  await setImmediate();
  assert.deepEqual(asked, []);
  screens.publish(1, call('b'));
  await setImmediate();
  assert.deepEqual([asked.length, frames.length], [1, 2]);
  assert.equal((await aboutCallers(parts, 1, [call('c')])).size, 0);
});

test('it is said again after a note and after the end of another call of the caller, also that nothing is known', async () => {
  const known = [most, { ...nothing, missed: 1 }, nothing];
  const { asked, parts } = partsOf(nothing);
  const callerFacts = async (_: number, number: string, since: number) => {
    asked.push({ number, since });
    return known.shift() ?? nothing;
  };
  const screens = createScreens(() => extensions);
  const frames: string[] = [];
  screens.subscribe({ account: 1, user: {} }, (frame) => frames.push(frame));
  const sendAgain = sendAboutCallers(screens, { ...parts, store: { customers: { callerFacts } } });
  screens.publish(1, call('a'));
  await setImmediate();
  const abouts = () =>
    frames
      .filter((frame) => frame.startsWith('event: about'))
      .map((frame) => JSON.parse(frame.slice(frame.indexOf('{'))).calls);
  assert.equal(abouts().length, 1);
  const ended = { status: 'completed', completedAt: 3_000, missed: true } as const;
  screens.publish(1, call('b', { ...ended, number: '+49301', from: '+49301', customer: null }));
  await setImmediate();
  assert.equal(asked.length, 1, 'of somebody else');
  screens.publish(1, call('c', { ...ended, number: '+49302', from: '+49302' }));
  await setImmediate();
  assert.deepEqual(abouts()[1], [{ id: 'a', about: { missed_today: 1 } }]);
  sendAgain(1);
  await setImmediate();
  assert.deepEqual(abouts()[2], [{ id: 'a', about: {} }]);
  screens.publish(1, call('a', { status: 'answered', callerId: '1001', answeredAt: 4_000 }));
  sendAgain(1);
  await setImmediate();
  assert.equal(abouts().length, 3, 'it rings no longer');
});
