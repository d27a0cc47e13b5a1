import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRecord } from '../calls/call-record.ts';
import type { CallerAction, MissedCall, MissedCaller } from '../store/caller-store.ts';
import { callBacks } from './call-backs.ts';

const missed = (id: string, number: string, at: number, reachedAt?: number): MissedCall => ({
  call: { id, number, startedAt: at - 5, completedAt: at } as CallRecord,
  reached: reachedAt === undefined ? null : { id: 'through', at: reachedAt, by: '1001' },
});
const did = (kind: CallerAction['kind'], at: number, number = '110'): CallerAction => ({
  ...{ kind, at, number, user: 'Ann', text: null },
});
/** Their callers, as the store gives them: the calls are oldest first. */
const callersOf = (calls: readonly MissedCall[]): MissedCaller[] =>
  [...Map.groupBy(calls, ({ call }) => call.number).values()].map((ofOne) => {
    const newest = ofOne.at(-1) as MissedCall;
    const spans = ofOne.map(({ call }) => ({ since: call.startedAt, until: call.completedAt ?? 0 }));
    const answered = ofOne.flatMap(({ reached }) => reached?.at ?? []);
    return { ...newest, calls: spans.toReversed(), answeredAt: answered.at(-1) ?? null };
  });
/** Each caller in one line. */
const list = (calls: readonly MissedCall[], actions: readonly CallerAction[] = []) =>
  callBacks(callersOf(calls), actions).map(({ number, call, times, since, taken, closed }) =>
    [
      ...[number, call.id, times > 1 && `×${times} since ${since}`],
      ...[taken && `taken by ${taken.user}`, closed?.how],
    ]
      .filter(Boolean)
      .join(' '),
  );

for (const [what, calls, actions, expected] of [
  [
    'a caller once, newest first',
    [missed('a', '110', 10), missed('b', '112', 20), missed('c', '110', 30)],
    [],
    ['110 c ×2 since 5', '112 b'],
  ],
  ['who got through is closed', [missed('a', '110', 10, 20)], [], ['110 a reached']],
  ['missed again after that', [missed('a', '110', 10, 20), missed('b', '110', 30)], [], ['110 b']],
  ['taken', [missed('a', '110', 10)], [did('taken', 11)], ['110 a taken by Ann']],
  [
    'taken, and missed again: still hers',
    [missed('a', '110', 10), missed('b', '110', 20)],
    [did('taken', 11)],
    ['110 b ×2 since 5 taken by Ann'],
  ],
  ['released', [missed('a', '110', 10)], [did('taken', 11), did('released', 12)], ['110 a']],
  ['done', [missed('a', '110', 10)], [did('taken', 11), did('done', 12)], ['110 a done']],
  [
    'missed again after Done: to be called back anew, by anybody',
    [missed('a', '110', 10), missed('b', '110', 20)],
    [did('taken', 11), did('done', 12)],
    ['110 b'],
  ],
  ['undone', [missed('a', '110', 10)], [did('done', 12), did('reopened', 13)], ['110 a']],
  [
    'undone: still hers who had taken the caller, however often Done was pressed',
    [missed('a', '110', 10)],
    [did('taken', 11), did('done', 12), did('done', 13), did('reopened', 14)],
    ['110 a taken by Ann'],
  ],
  [
    'undone: an earlier Done, for an earlier call, stays',
    [missed('a', '110', 10), missed('b', '110', 20)],
    [did('taken', 11), did('done', 12), did('done', 25), did('reopened', 26)],
    ['110 b'],
  ],
  [
    'done twice',
    [missed('a', '110', 10)],
    [did('done', 12), did('reopened', 13), did('done', 14)],
    ['110 a done'],
  ],
  [
    'a note changes nothing',
    [missed('a', '110', 10)],
    [did('taken', 11), did('note', 12)],
    ['110 a taken by Ann'],
  ],
  ['done, later through: it was done', [missed('a', '110', 10, 30)], [did('done', 20)], ['110 a done']],
  [
    'through, and Done pressed after it: it was through',
    [missed('a', '110', 10, 15)],
    [did('done', 20)],
    ['110 a reached'],
  ],
  ['of other numbers nothing counts', [missed('a', '110', 10)], [did('done', 12, '112')], ['110 a']],
  [
    'a caller without a number cannot be called back',
    [missed('a', 'anonymous', 10), missed('b', '', 20)],
    [],
    [],
  ],
] as const)
  test(what, () => assert.deepEqual(list(calls, actions), expected));
