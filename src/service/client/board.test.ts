import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Board,
  boardOf,
  type Call,
  empty,
  isChosen,
  missedOf,
  moved,
  ownCall,
  shownAt,
  tidied,
  withCustomers,
  withMissed,
} from './board.js';

/** A number for each. */
const numberOf = (id: string) => `+4930${Array.from(id, (letter) => letter.charCodeAt(0)).join('')}`;
const call = (id: string, fields: Partial<Call> = {}): Call => ({
  ...{ id, status: 'ringing', number: numberOf(id), number_shown: id, integration: 1, started_at: 1000 },
  ...{ customer: null, segment: null, priority: null, caller_id: null, answered_by: null },
  ...{ answered_at: null, completed_at: null, missed: null },
  ...fields,
});
const answered = (id: string, at: number) => call(id, { status: 'answered', answered_at: at });
const missed = (id: string, at: number, fields: Partial<Call> = {}) =>
  call(id, { status: 'completed', completed_at: at, missed: true, ...fields });
const ended = (id: string, at: number) =>
  call(id, { status: 'completed', answered_at: 1500, completed_at: at, missed: false });

const shown = (board: Board, now = 2000, live = true) => {
  const { ringing, others, missed: lost } = shownAt(board, now, live);
  const ids = (calls: readonly Call[]) => calls.map(({ id }) => id);
  return { ringing: ids(ringing), others: ids(others), missed: lost.map(ids) };
};

test('ringing calls are sorted by priority, then by waiting time; without a priority, last', () => {
  const board = boardOf([
    call('none'),
    call('late', { priority: 5, started_at: 3 }),
    call('early', { priority: 5, started_at: 2 }),
    call('low', { priority: -1, started_at: 1 }),
    call('high', { priority: 9, started_at: 4 }),
  ]);
  assert.deepEqual(shown(board).ringing, ['high', 'early', 'late', 'low', 'none']);
});

test('an answered call stays for a moment after its end; an unknown ended call does not show', () => {
  const board = moved(moved(moved(empty, answered('a', 1500)), ended('a', 2000)), ended('unseen', 2000));
  assert.deepEqual(shown(board, 2000).others, ['a']);
  assert.deepEqual(shown(board, 5999).others, ['a']);
  assert.deepEqual(shown(board, 6000).others, []);
  assert.deepEqual([...tidied(board, 5999).keys()], ['a']);
  assert.equal(tidied(board, 6000).size, 0);
});

test('missed calls are grouped by caller, newest first, until they are called back', () => {
  const board = boardOf([
    missed('1', 10, { number: '+49301' }),
    missed('2', 20),
    missed('3', 30, { number: '+49301' }),
  ]);
  assert.deepEqual(shown(board).missed, [['3', '1'], ['2']]);
  const left = withMissed(board, [missed('2', 20)]);
  assert.deepEqual(shown(left, 999_999_999).missed, [['2']]);
  assert.equal(tidied(board, 999_999_999).size, 3);
});

test('who calls is known when customers change, and is sorted by its priority; a call stays as far as it is', () => {
  const board = boardOf([call('first'), answered('second', 1500), call('third', { started_at: 2000 })]);
  const who = { customer: { reference: '7', name: 'Ann' }, segment: 'VIP', priority: 9 };
  const after = withCustomers(board, [
    { id: 'third', ...who },
    { id: 'second', ...who },
    { id: 'not on the board', ...who },
  ]);
  assert.deepEqual(shown(after), { ringing: ['third', 'first'], others: ['second'], missed: [] });
  assert.deepEqual(after.get('second'), { ...board.get('second'), ...who });
  const removed = { id: 'third', customer: null, segment: null, priority: null };
  assert.deepEqual(shown(withCustomers(after, [removed])).ringing, ['first', 'third']);
});

test('a caller who gets through is no longer missed; one who rings again is', () => {
  const board = boardOf([missed('1', 10, { number: '+49301' }), missed('2', 20)]);
  const again = call('3', { number: '+49301' });
  assert.deepEqual(shown(moved(board, again)).missed, [['2'], ['1']]);
  const through = { ...again, status: 'answered' as const, answered_at: 1500 };
  assert.deepEqual(shown(moved(moved(board, again), through)).missed, [['2']]);
});

test('callers beyond those that a screen shows count as the others do, until they get through', () => {
  const others = ['2', '3'].map((id) => ({ id, number: numberOf(id), times: 600, taken_by: null }));
  const board = boardOf(missedOf({ missed: [missed('1', 10)], others }));
  assert.deepEqual(shown(board).missed, [['1'], ['2'], ['3']]);
  const again = moved(board, missed('4', 20, { number: numberOf('3') }));
  assert.deepEqual(shown(again).missed, [['4', '3'], ['1'], ['2']]);
  const through = moved(again, call('5', { number: numberOf('2') }));
  const left = moved(through, call('5', { number: numberOf('2'), status: 'answered', answered_at: 30 }));
  assert.deepEqual(shown(left).missed, [['4', '3'], ['1']]);
});

test('a withheld number is not to be called back', () => {
  const board = boardOf([missed('1', 10), missed('2', 20, { number: 'anonymous' })]);
  assert.deepEqual(shown(board).missed, [['1']]);
});

test('a call whose end was not reported does not ring for ever', () => {
  const board = boardOf([call('rings'), answered('talks', 1000)]);
  const hour = 3_600_000;
  assert.deepEqual(shown(board, 1000 + 2 * hour - 1), { ringing: ['rings'], others: ['talks'], missed: [] });
  assert.deepEqual(shown(board, 1000 + 2 * hour), { ringing: [], others: ['talks'], missed: [] });
  assert.deepEqual(shown(board, 1000 + 24 * hour), { ringing: [], others: [], missed: [] });
});

test('the user chooses by extension, segment and phone system; who is not answered yet may be for anybody', () => {
  const everything = { mine: null, segments: [], integrations: [] };
  const call = { caller_id: '1001', segment: 'VIP', integration: 1 };
  for (const [choice, chosen, of] of [
    [{}, true],
    [{ mine: ['1001', '1002'] }, true],
    [{ mine: ['1002'] }, false],
    [{ mine: [] }, true, { caller_id: null }],
    [{ segments: ['VIP'] }, true],
    [{ segments: ['VIP'] }, false, { segment: null }],
    [{ integrations: [2] }, false],
    [{ integrations: [1], segments: ['Gold'] }, false],
  ] as const)
    assert.equal(isChosen({ ...call, ...of }, { ...everything, ...choice }), chosen, JSON.stringify(choice));
});

test('my call is the last that one of my extensions answered, until it ends', () => {
  const by = (id: string, caller_id: string | null, at: number) => ({ ...answered(id, at), caller_id });
  const calls = [
    by('held', '1001', 1500),
    by('now', '1002', 1600),
    by('colleague', '1003', 1700),
    by('nobody knows', null, 1800),
    call('rings', { caller_id: '1001' }),
    { ...ended('over', 1900), caller_id: '1001' },
  ];
  assert.equal(ownCall(calls, ['1001', '1002'])?.id, 'now');
  assert.equal(ownCall(calls, ['1001'])?.id, 'held');
  assert.equal(ownCall(calls, []), undefined);
});
