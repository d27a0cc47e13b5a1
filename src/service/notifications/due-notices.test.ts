import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Extensions } from '../accounts/account.ts';
import { type CallRecord, FORGOTTEN, noExtras } from '../calls/call-record.ts';
import { formatsFor } from '../kit/formats.ts';
import type { CallBack } from '../people/call-backs.ts';
import { languages } from '../words/words.ts';
import { dueNotices, isQuiet, isTime, type Notice } from './due-notices.ts';
import { missedMail, missedPush } from './notice-texts.ts';
import { type Choice, everyMissedCall } from './notification.ts';

const MINUTE = 60_000;
const noon = Date.parse('2026-11-27T11:00:00Z');
const own = { account: 1, extension: '101', name: '', user: 5, userName: 'Ann' };
const line = { account: 1, extension: '+49891234', name: 'Sales line', user: null, userName: null };
const extensions: Extensions = new Map([own, line].map((one) => [one.extension, one]));

/** A call that was missed `ago` minutes before noon, after 35 seconds. */
const call = (ago: number, change: Partial<CallRecord> = {}): CallRecord => ({
  id: `call-${ago}`,
  integration: 1,
  status: 'completed',
  from: '030 901820',
  number: '+4930901820',
  customer: null,
  segment: null,
  priority: null,
  callerId: null,
  startedAt: noon - ago * MINUTE - 35_000,
  ringingAt: noon - ago * MINUTE - 35_000,
  answeredAt: null,
  completedAt: noon - ago * MINUTE,
  updatedAt: noon - ago * MINUTE,
  missed: true,
  closedFrom: null,
  past: false,
  rang: null,
  talked: null,
  extras: noExtras,
  ...change,
});
const notice = (ago: number, change: Partial<CallRecord> = {}, blocked = false): Notice => ({
  row: ago,
  at: noon - ago * MINUTE,
  call: call(ago, change),
  blocked,
});
/** Who waits for a call back by this number since the first missed call, `ago` minutes before noon. */
const waiting = (number: string, ago: number, change: Partial<CallBack> = {}): CallBack => ({
  person: number,
  numbers: [number],
  call: call(ago),
  times: 1,
  since: call(ago).startedAt,
  taken: null,
  due: null,
  note: null,
  tried: null,
  closed: null,
  ...change,
});
/** What is told of these calls at noon, the rows that are told and those that are done with. */
function due(notices: readonly Notice[], choice: Partial<Choice> = {}, people: readonly CallBack[] = []) {
  const user = { id: 5, choice: { ...everyMissedCall, ...choice }, extensions };
  const { tell, told, done } = dueNotices(notices, user, people, noon);
  return { tell: tell.map(({ call: { id }, times }) => `${id} ×${times}`), told, done };
}
const isTold = (change: Partial<CallRecord>, choice: Partial<Choice> = {}, blocked = false) =>
  due([notice(1, change, blocked)], choice).told.length > 0;

test('the calls of a person are told together, at once or when nobody has called back in time', () => {
  const calls = [notice(9), notice(4, { number: '+4930901821' }), notice(2)];
  const all = { tell: ['call-2 ×2', 'call-4 ×1'], told: [9, 2, 4], done: [] };
  assert.deepEqual(due(calls), all);
  // Who is told at all is told whole: the second call would be a second message.
  assert.deepEqual(due(calls, { after: 5 }), { tell: ['call-2 ×2'], told: [9, 2], done: [] });
  assert.deepEqual(due(calls, { after: 10 }), { tell: [], told: [], done: [] });
});

test('who was called back, taken, or called again and was answered is not told', () => {
  const number = '+4930901820';
  const calls = [notice(9), notice(2)];
  const told = (change: Partial<CallBack>) => due(calls, { after: 5 }, [waiting(number, 9, change)]).told;
  assert.deepEqual(told({}), [9, 2]);
  assert.deepEqual(told({ taken: { user: 'Ben', at: noon } }), []);
  // Who is taken before the time is up may be released again.
  const taken = [waiting(number, 9, { taken: { user: 'Ben', at: noon } })];
  assert.deepEqual(due(calls, { after: 5 }, taken).done, [9, 2]);
  assert.deepEqual(due(calls, { after: 10 }, taken).done, []);
  assert.deepEqual(told({ closed: { how: 'done', at: noon, user: 'Ben' } }), []);
  assert.deepEqual(told({ closed: { how: 'reached', at: noon, by: '101' } }), []);
  // Missed again after being called back: only the later call counts, from its own time on.
  assert.deepEqual(due(calls, {}, [waiting(number, 2)]), { tell: ['call-2 ×1'], told: [2], done: [9] });
  assert.deepEqual(due(calls, { after: 5 }, [waiting(number, 2)]), { tell: [], told: [], done: [9] });
  // By another number of the same customer.
  const customer = { reference: '7', name: 'Ann' };
  const numbers = [number, '+4930901829'];
  const called = waiting(number, 9, { numbers, closed: { how: 'done', at: noon, user: 'Ben' } });
  assert.deepEqual(due([notice(1, { number: '+4930901829', customer })], {}, [called]).done, [1]);
});

test('only calls that a user has chosen are told: all filters must match', () => {
  assert.ok(isTold({}));
  assert.ok(isTold({ segment: 'VIP' }, { segments: ['VIP', 'Other'] }));
  assert.ok(!isTold({ segment: null }, { segments: ['VIP'] }));
  const called = (numberCalled: string) => ({ extras: { ...noExtras, numberCalled } });
  assert.ok(isTold(called('+49891234'), { numbersCalled: ['+49891234'] }));
  assert.ok(!isTold(called('+49891235'), { numbersCalled: ['+49891234'] }));
  assert.ok(!isTold({}, { numbersCalled: ['+49891234'] }));
  assert.ok(isTold({ rang: [{ by: '101', from: 0, for: 5 }] }, { mine: true }));
  assert.ok(!isTold({ rang: [{ by: '102', from: 0, for: 5 }] }, { mine: true }));
  assert.ok(!isTold({ rang: [] }, { mine: true }));
  assert.ok(isTold({ rang: null }, { mine: true }), 'it may have rung there');
  assert.ok(!isTold({ segment: 'VIP', rang: [] }, { mine: true, segments: ['VIP'] }));
});

test('withheld numbers are told; blocked callers, faxes, forgotten numbers and what is no missed call are not', () => {
  for (const number of ['anonymous', '', '0']) assert.ok(isTold({ number }), number);
  assert.ok(!isTold({}, {}, true), 'the customer is blocked');
  for (const where of ['blocked', 'fax'] as const) {
    const missed = { where, name: null, by: null, after: null, at: null };
    assert.ok(!isTold({ extras: { ...noExtras, missed } }), where);
  }
  assert.ok(!isTold({ number: FORGOTTEN }));
  assert.ok(!isTold({ missed: false }), 'closed as missed, and then the answer came');
  assert.ok(!isTold({ past: true }));
});

test('nobody hears of calls of more than a day ago', () => {
  assert.deepEqual(due([notice(24 * 60)]).told, [24 * 60]);
  assert.deepEqual(due([notice(24 * 60 + 1)]), { tell: [], told: [], done: [24 * 60 + 1] });
  assert.deepEqual(due([notice(24 * 60 + 1)], { after: 30 }).told, [24 * 60 + 1]);
});

test('messages wait for quiet hours, in the time zone of the account', () => {
  const quiet = (from: number, to: number) => ({ ...everyMissedCall, quiet: [from, to] as [number, number] });
  const at = (time: string, choice: Choice) =>
    isQuiet(choice, Date.parse(`2026-11-27T${time}Z`), 'Europe/Berlin');
  const night = quiet(22 * 60, 7 * 60);
  for (const time of ['21:00', '23:30', '00:00', '05:59']) assert.ok(at(time, night), time);
  for (const time of ['06:00', '12:00', '20:59']) assert.ok(!at(time, night), time);
  const lunch = quiet(12 * 60, 13 * 60);
  assert.ok(at('11:00', lunch));
  assert.ok(!at('12:00', lunch));
  assert.ok(!isQuiet(everyMissedCall, noon, 'Europe/Berlin'));
  const when = { now: noon, timeZone: 'Europe/Berlin', gatherMs: MINUTE };
  const is = (choice: Choice, ago: number) => isTime({ choice, oldest: noon - ago * MINUTE }, when);
  assert.ok(is(everyMissedCall, 1), 'all calls of a minute are one message');
  assert.ok(!is(everyMissedCall, 0.9));
  assert.ok(!is(lunch, 600));
  assert.ok(is({ ...everyMissedCall, after: 30 }, 31));
  assert.ok(!is({ ...everyMissedCall, after: 30 }, 30));
});

test('a mail says who called, which line, when, how long and what was noted; a push message is short', () => {
  const customer = { reference: '7', name: 'Ann\u202e <b>\r\nBcc: x@example.com' };
  const note = {
    number: '+4930901820',
    at: noon,
    user: 'Ben',
    kind: 'note',
    text: 'The roof\nleaks',
  } as const;
  const numberCalled = '+49891234';
  const ann = {
    call: call(2, { customer, segment: 'VIP', extras: { ...noExtras, numberCalled } }),
    times: 3,
    note,
  };
  const stranger = { call: call(1), times: 1, note: null };
  const readerIn = (language: string) => {
    const words = languages.get(language) ?? assert.fail();
    const formats = formatsFor('Europe/Berlin', words.locale);
    return { words, formats, extensions, office: 'Büro & Söhne', now: noon };
  };
  const origin = 'https://calls.example.com';
  const { subject, text } = missedMail([ann, stranger], origin, readerIn('en'));
  assert.equal(subject, 'Büro & Söhne: 4 missed calls');
  assert.equal(
    text,
    `Ann\ufffd <b>\ufffd\ufffdBcc: x@example.com
  Number: +49 30 901820
  Segment: VIP
  Number called: Sales line (+49 89 1234)
  Missed: Today, 11:58, waited 0:35, 3 times
  Note: The roof leaks (Ben, Today)

+49 30 901820
  Missed: Today, 11:59, waited 0:35

Call back: https://calls.example.com/call-back

You get this as you chose under Settings, Notifications: https://calls.example.com/notifications
`,
  );
  assert.equal(
    missedMail([stranger], origin, readerIn('de')).subject,
    'Büro & Söhne: Verpasster Anruf: +49 30 901820',
  );
  const push = missedPush([ann], readerIn('en'));
  assert.deepEqual(push, {
    title: 'Missed call: Ann\ufffd <b>\ufffd\ufffdBcc: x@example.com',
    body: 'Sales line (+49 89 1234) · 11:58 · 3 times',
    url: '/call-back',
  });
  // A flood is one message of a limited size.
  const flood = Array.from({ length: 500 }, () => ({
    ...ann,
    call: { ...ann.call, customer: { ...customer, name: 'x'.repeat(500) } },
  }));
  for (const language of languages.keys()) {
    const mail = missedMail(flood, origin, readerIn(language));
    assert.ok(mail.text.length < 20_000 && mail.text.includes('480'), language);
    assert.ok(Buffer.byteLength(JSON.stringify(missedPush(flood, readerIn(language)))) < 1_000, language);
  }
});
