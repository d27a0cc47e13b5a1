import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MissedPerson, ScreenCall } from '../rules/screen-call.ts';
import {
  type Board,
  boardOf,
  empty,
  inOrder,
  inShownOrder,
  isChosen,
  moved,
  nextShown,
  nothingShown,
  ownCall,
  type Shown,
  type State,
  shownAt,
  tidied,
  withDetails,
  withPeople,
} from './board.ts';

/** A number for each. */
const numberOf = (id: string) => `+4930${Array.from(id, (letter) => letter.charCodeAt(0)).join('')}`;
const call = (id: string, fields: Partial<ScreenCall> = {}): ScreenCall => ({
  id,
  status: 'ringing',
  from: id,
  number: numberOf(id),
  number_shown: id,
  integration: 1,
  started_at: 1000,
  customer: null,
  segment: null,
  priority: null,
  caller_id: null,
  answered_by: null,
  answered_at: null,
  completed_at: null,
  missed: null,
  ...fields,
});
const answered = (id: string, at: number) => call(id, { status: 'answered', answered_at: at });
const ended = (id: string, at: number) =>
  call(id, { status: 'completed', answered_at: 1500, completed_at: at, missed: false });

const shown = (board: Board, now = 2000, live = true) => {
  const { ringing, others } = shownAt(board, now, live);
  const ids = (calls: readonly ScreenCall[]) => calls.map(({ id }) => id);
  return { ringing: ids(ringing), others: ids(others) };
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
  const unseen = moved(empty, call('m', { status: 'completed', missed: true, completed_at: 2000 }));
  assert.deepEqual([[...unseen.keys()], shown(unseen).others], [['m'], []]);
  assert.deepEqual([...tidied(board, 5999).keys()], ['a']);
  assert.equal(tidied(board, 6000).size, 0);
});

test('people to call back: the highest priority first, then who has waited longest; changes add, replace and remove', () => {
  const person = (name: string, since: number, priority: number | null = null): MissedPerson => ({
    ...call(name, { status: 'completed', missed: true, priority }),
    person: name,
    times: 1,
    since,
    taken_by: null,
    due_at: null,
  });
  const people = withPeople(new Map(), {
    missed: [person('late', 30), person('early', 10), person('emergency', 40, 9), person('low', 5, -1)],
  });
  const names = (of: typeof people) => inOrder(of.values(), 'Ann', 100).map((one) => one.person);
  assert.deepEqual(names(people), ['emergency', 'low', 'early', 'late']);
  const after = withPeople(people, {
    missed: [{ ...person('late', 30), taken_by: 'Ann' }, person('new', 20)],
    gone: ['emergency', 'not there'],
  });
  assert.deepEqual(names(after), ['low', 'early', 'new', 'late']);
  assert.equal(after.get('late')?.taken_by, 'Ann');
  const reminded = (due_at: number, taken_by = 'Ann') =>
    names(withPeople(after, { missed: [{ ...person('late', 30), taken_by, due_at }] }));
  assert.deepEqual(reminded(100), ['late', 'low', 'early', 'new'], 'she wanted to call by now');
  assert.deepEqual(reminded(101), ['low', 'early', 'new', 'late']);
  assert.deepEqual(reminded(100, 'Ben'), ['low', 'early', 'new', 'late'], 'a colleague wanted to');
});

test('who calls is known when customers change, and is sorted by its priority; a call stays as far as it is', () => {
  const board = boardOf([call('first'), answered('second', 1500), call('third', { started_at: 2000 })]);
  const who = { customer: { reference: '7', name: 'Ann' }, segment: 'VIP', priority: 9 };
  const after = withDetails(board, [
    { id: 'third', ...who },
    { id: 'second', ...who },
    { id: 'not on the board', ...who },
  ]);
  assert.deepEqual(shown(after), { ringing: ['third', 'first'], others: ['second'] });
  assert.deepEqual(after.get('second'), { ...board.get('second'), ...who });
  const removed = { id: 'third', customer: null, segment: null, priority: null };
  assert.deepEqual(shown(withDetails(after, [removed])).ringing, ['first', 'third']);
});

test('what is shown keeps its order while somebody aims at it, and what is new comes last', () => {
  const calls = ['urgent', 'a', 'b', 'c'].map((id) => call(id));
  const order = (shown: string[]) => inShownOrder(shown, calls).map(({ id }) => id);
  assert.deepEqual(order(['c', 'gone', 'a']), ['c', 'a', 'urgent', 'b']);
  assert.deepEqual(order([]), ['urgent', 'a', 'b', 'c']);
});

test('what is known of a caller stays when the call moves', () => {
  const rings = withDetails(boardOf([call('a')]), [{ id: 'a', about: { missed_today: 2 } }]);
  assert.equal(moved(rings, answered('a', 1500)).get('a')?.about?.missed_today, 2);
});

test('a call that rings for more than three minutes is doubtful: below the others, the newest first', () => {
  const late = call('late', { started_at: 2000 });
  const board = boardOf([call('rings', { priority: 9 }), late, answered('talks', 1000)]);
  const at = (now: number, live = true) => {
    const { doubtful } = shownAt(board, now, live);
    return { ...shown(board, now, live), doubtful: doubtful.map(({ id }) => id) };
  };
  const others = ['talks'];
  assert.deepEqual(at(181_000), { ringing: ['rings', 'late'], others, doubtful: [] });
  assert.deepEqual(at(181_001), { ringing: ['late'], others, doubtful: ['rings'] });
  assert.deepEqual(at(90_000_000), { ringing: [], others, doubtful: ['late', 'rings'] });
  assert.deepEqual(at(90_000_000, false), { ringing: [], others: [], doubtful: [] });
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
    by('unknown', null, 1800),
    call('rings', { caller_id: '1001' }),
    { ...ended('over', 1900), caller_id: '1001' },
  ];
  assert.equal(ownCall(calls, ['1001', '1002'])?.id, 'now');
  assert.equal(ownCall(calls, ['1001'])?.id, 'held');
  assert.equal(ownCall(calls, []), undefined);
});

test('a call that was closed as missed and turns out to be answered is shown; a late word of the closing changes nothing', () => {
  const missed = call('a', { status: 'completed', completed_at: 1000, missed: true });
  const closed = moved(boardOf([call('a')]), missed);
  assert.deepEqual(shown(closed), { ringing: [], others: [] });
  const talks = moved(closed, answered('a', 1500));
  assert.deepEqual(shown(talks).others, ['a']);
  assert.equal(moved(talks, missed), talks);
  const over = moved(talks, ended('a', 1900));
  assert.equal(over.get('a')?.status, 'completed');
  for (const late of [missed, answered('a', 1500), call('a')]) assert.equal(moved(over, late), over);
});

const page = { choice: { mine: null, segments: [], integrations: [] }, made: 500 };
const said = (calls: readonly ScreenCall[], fields: Partial<State> = {}): State => ({
  ...nothingShown.stream,
  live: true,
  now: 2000,
  calls,
  ...fields,
});
const after = (before: Shown, calls: readonly ScreenCall[], fields: Partial<State> = {}) =>
  nextShown(before, said(calls, fields), page);

test('the first state is no news, but moves what the page does not have yet', () => {
  const { shown: first, effects } = after(nothingShown, [call('old', { started_at: 499 }), call('new')]);
  assert.equal(first.loaded, true);
  assert.deepEqual(effects, [{ type: 'moved', what: ['new'] }]);
  assert.deepEqual(after(first, [call('old'), call('new')]).effects, []);
});

test('a call that moves is news, rings no more when it is answered, and those that were lost are none', () => {
  const { shown: first } = after(nothingShown, [call('a')]);
  const lost = call('lost', { started_at: -1e8 });
  const { effects } = after(first, [answered('a', 1500), lost]);
  assert.deepEqual(effects, [
    { type: 'quiet', id: 'a' },
    { type: 'news', call: answered('a', 1500) },
    { type: 'moved', what: ['a', 'lost'] },
  ]);
});

test('a call that the user did not choose moves the page and is not news', () => {
  const { shown: first } = after(nothingShown, []);
  const choice = { ...page.choice, segments: ['VIP'] };
  const { shown: second, effects } = nextShown(first, said([call('a')]), { ...page, choice });
  assert.deepEqual([second.board.size, second.all.size], [0, 1]);
  assert.deepEqual(effects, [{ type: 'moved', what: ['a'] }]);
});

test('a stream that is lost says so once; when it is back, anything may have moved', () => {
  const { shown: first } = after(nothingShown, []);
  const away = after(first, [], { live: false, now: 3000 });
  assert.deepEqual([away.shown.lostAt, away.effects], [3000, [{ type: 'lost', at: 3000 }]]);
  const still = after(away.shown, [], { live: false, now: 4000, signedOut: true });
  assert.deepEqual([still.shown.lostAt, still.effects], [3000, [{ type: 'signed-out' }]]);
  assert.deepEqual(after(still.shown, []).effects, [{ type: 'moved', what: undefined }]);
  assert.deepEqual(after(first, [], { customers: 1 }).effects, [{ type: 'moved', what: undefined }]);
});

test('people to call back move when they come, go or change', () => {
  const one = (person: string, times = 1) => ({ ...call(person), person, times }) as MissedPerson;
  const { shown: first } = after(nothingShown, [], { people: [one('a'), one('b'), one('c')] });
  const { effects } = after(first, [], { people: [one('b'), one('c', 2), one('d')] });
  assert.deepEqual(effects, [{ type: 'moved', what: ['a', 'c', 'd'] }]);
});

test('with only the own extensions, a call shows while it rings there, or one of them talks; where that is unknown, as before', () => {
  const choice = { mine: ['101'], segments: [], integrations: [] };
  const at = (by: string) => [{ by, name: by }];
  const chosen = (fields: Partial<ScreenCall>) => isChosen(call('a', fields), choice);
  const over = { status: 'completed', missed: true } as const;
  // biome-ignore format: one case a line
  const cases: [string, Partial<ScreenCall>, boolean][] = [
    ['nothing is known of who rings', {}, true],
    ['it rings at nobody yet', { rings: [], talks: [] }, false],
    ['it rings at mine', { rings: at('101'), talks: [] }, true],
    ['it rings at another', { rings: at('102'), talks: [] }, false],
    ['another answered, where only that is known', { status: 'answered', caller_id: '102' }, false],
    ['I answered, and handed it on', { status: 'answered', caller_id: '101', rings: [], talks: at('102') }, false],
    ['another answered, and handed it on to me', { status: 'answered', caller_id: '102', rings: [], talks: at('101') }, true],
    ['it is handed on, and rings at mine', { status: 'answered', caller_id: '102', rings: at('101'), talks: at('102') }, true],
    ['missed, and it rang at mine', { ...over, rang: [{ by: '101', from: 0, for: 9 }] }, true],
    ['missed, and it rang at another', { ...over, rang: [{ by: '102', from: 0, for: 9 }] }, false],
    ['missed, and it is unknown where', over, true],
  ];
  for (const [name, fields, expected] of cases) assert.equal(chosen(fields), expected, name);
});

test('a call that begins to ring at the own phone is news, also if it rang elsewhere before', () => {
  const choice = { mine: ['101'], segments: [], integrations: [] };
  const state = (calls: ScreenCall[]): State => ({ ...nothingShown.stream, live: true, now: 2_000, calls });
  const rings = (by: string) => call('a', { rings: [{ by, name: by }], talks: [] });
  const news = (before: Shown, one: ScreenCall) => {
    const { shown, effects } = nextShown(before, state([one]), { choice, made: 0 });
    return [shown, effects.map(({ type }) => type).filter((type) => type !== 'moved')] as const;
  };
  const [first] = news(nothingShown, rings('102'));
  const [second, told] = news(first, rings('101'));
  assert.deepEqual([[...second.board.keys()], told], [['a'], ['news']]);
  assert.deepEqual(news(second, rings('101'))[1], []);
  assert.deepEqual(news(second, rings('102'))[1], ['quiet'], 'it hunts on');
});

test('the own call is the one that the user talks on now', () => {
  const talks = (id: string, answerer: string, by: string) =>
    call(id, { status: 'answered', caller_id: answerer, rings: [], talks: [{ by, name: by }] });
  assert.equal(ownCall([talks('a', '101', '102')], ['101']), undefined);
  assert.equal(ownCall([talks('a', '102', '101')], ['101'])?.id, 'a');
});
