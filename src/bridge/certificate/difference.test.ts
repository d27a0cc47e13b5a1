import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReportRule, whyIgnored } from '../calls/report-rules.ts';
import { createCallTable } from './call-table.ts';
import { type Books, type CallSeen, type Difference, differenceOf } from './difference.ts';
import { readMonth } from './month.ts';
import { groupsOf, summaryOf, verdictOf } from './summary.ts';

const HOUR = 3_600_000;
const now = Date.UTC(2026, 10, 20);
const day = (nth: number) => Date.UTC(2026, 10, nth);

/** A bridge since the 2nd, whose ledger has the events since the 13th. */
const books: Books = { recordsUntil: now - HOUR, stateSince: day(2), ledgerSince: day(13), api: {} };
const withoutApi: Books = { ...books, api: undefined };
const began = day(15);
const firm = {
  reportRules: ['report called +4930123*', 'ignore *'].flatMap((text) => readReportRule(text) ?? []),
};
const over = { began, event: 'delivered', isCompleted: true, queuedAt: day(15) } as const;
const inbound = { ...over, record: 'inbound' } as const;
const recordOnly = { began, record: 'inbound' } as const;

// biome-ignore format: one case a line
const cases: readonly (readonly [what: string, call: CallSeen, expected: Difference | undefined, of?: Books])[] = [
  ['in all three', { ...inbound, api: 'completed' }, undefined],
  ['confirmed, and the API cannot be compared', inbound, undefined, withoutApi],
  ['confirmed, and not there', inbound, 'missing-at-api'],
  ['confirmed, and not there, without a record', over, 'missing-at-api'],
  ['confirmed, and there without its end', { ...inbound, api: 'answered' }, 'unfinished-at-api'],
  ['rejected', { ...inbound, event: 'dead' }, 'given-up'],
  ['rejected, and the API cannot be compared', { ...inbound, event: 'dead' }, 'given-up', withoutApi],
  ['its first event was rejected, its end is there', { ...inbound, event: 'dead', api: 'completed' }, undefined],
  ['waiting', { ...inbound, event: 'waiting' }, 'waiting'],
  ['waiting, its first event is there', { ...inbound, event: 'waiting', api: 'ringing' }, 'waiting'],
  ['waiting, and the API cannot be compared', { ...inbound, event: 'waiting' }, 'waiting', withoutApi],
  ['delivered since the ledger was read', { ...inbound, event: 'waiting', api: 'completed' }, undefined],
  ['never reported', recordOnly, 'never-reported'],
  ['never reported, and the API cannot be compared', recordOnly, 'never-reported', withoutApi],
  ['of before the damage', recordOnly, 'damaged-outbox', { ...books, damagedAt: day(16) }],
  ['of after the damage', recordOnly, 'never-reported', { ...books, damagedAt: day(14) }],
  ['of before the bridge', { ...recordOnly, began: day(1) }, 'before-state'],
  ['of before the bridge, and there', { ...recordOnly, began: day(1), api: 'completed' }, 'pruned'],
  ['no longer in the ledger', { ...recordOnly, began: day(5) }, 'not-at-api'],
  ['no longer in the ledger, and there', { ...recordOnly, began: day(5), api: 'completed' }, 'pruned'],
  ['no longer in the ledger, and the API cannot be compared', { ...recordOnly, began: day(5) }, 'ledger-pruned', withoutApi],
  ['no longer in the ledger, nor kept by the API', { ...recordOnly, began: day(5) }, 'deleted-at-api', { ...books, api: { since: day(6) } }],
  ['confirmed, and no longer kept by the API', { ...inbound, began: day(5) }, 'deleted-at-api', { ...books, api: { since: day(6) } }],
  ['another state has reported it', { ...recordOnly, api: 'completed' }, 'not-in-ledger'],
  ['without a number', { ...recordOnly, recordWhy: 'no number' }, 'by-rule'],
  ['by a rule that could not be asked', { ...recordOnly, recordWhy: whyIgnored(firm, {}) }, 'rule-undecided'],
  ['the same, decided in a gap', { ...recordOnly, unreported: whyIgnored(firm, {}), recordWhy: 'no number' }, 'rule-undecided'],
  ['the same, decided live', { ...recordOnly, unreported: whyIgnored(firm, { called: '+4930999' }), recordWhy: whyIgnored(firm, {}) }, 'by-rule'],
  ['decided live', { ...recordOnly, unreported: 'dialled over a trunk' }, 'by-rule'],
  ['decided live, without a record', { began, unreported: 'dialled over a trunk' }, undefined],
  ['a call of the house', { began, record: 'other' }, undefined],
  ['reported without a record', { ...over, api: 'completed' }, 'no-record'],
  ['reported without a record, and the API cannot be compared', over, 'no-record', withoutApi],
  ['only there', { began, api: 'completed' }, 'no-record'],
  ['reported, of the house by its record', { ...over, record: 'other', api: 'completed' }, 'other-record'],
  ['in progress', { began, event: 'delivered', queuedAt: began, isOpen: true, api: 'answered' }, 'in-progress'],
  ['in progress, and nothing reported', { began, record: 'inbound', isOpen: true }, 'in-progress'],
  ['just over: its record comes later', { ...over, began: now - 2 * HOUR, queuedAt: now, api: 'completed' }, 'in-progress'],
  ['reported late, of a gap: its record is gone', { ...over, queuedAt: now, api: 'completed' }, 'no-record'],
  ['just over, and lost', { ...inbound, began: now - 2 * HOUR, queuedAt: now }, 'missing-at-api'],
];

for (const [what, call, expected, of = books] of cases)
  test(`certificate: ${what}`, () => {
    assert.equal(differenceOf(call, of)?.difference, expected);
  });

test('the three books are joined by id, also where a column has cut one off', () => {
  using table = createCallTable();
  const id = (nth: number | string) => `pbx-${began / 1_000}.${nth}`;
  table.addRecords([
    { id: id(1), record: 'inbound', isCut: false },
    { id: id(2), record: 'inbound', isCut: true },
    { id: id(3), record: 'inbound', isCut: true },
    { id: `pbx-berlin-${began / 1_000}.4`, record: 'inbound', why: 'no number', isCut: false },
  ]);
  const event = { state: 'delivered', queuedAt: began } as const;
  table.addEvents([
    { ...event, callId: id(1), status: 'completed' },
    { ...event, callId: id(1), status: 'ringing', state: 'dead' },
    { ...event, callId: id(21), status: 'completed' },
  ]);
  table.addApi([
    { id: id(1), status: 'completed' },
    { id: id(21), status: 'completed' },
  ]);
  table.joinCutIds();
  assert.deepEqual({ ...table.counts() }, { records: 4, bridge: 2, api: 2 });
  assert.deepEqual(table.heads().sort(), ['pbx-', 'pbx-berlin-']);
  assert.deepEqual(
    [...table.differences(books)].map(({ id, difference, why }) => [id, difference, why]),
    [
      [id(3), 'never-reported', undefined],
      [`pbx-berlin-${began / 1_000}.4`, 'by-rule', 'no number'],
    ],
  );
});

test('a summary has few reasons, those that matter first; the verdict is by the worst', () => {
  const found = [
    ...Array.from({ length: 12 }, (_, nth) => ({ id: `${nth}`, difference: 'no-record' as const })),
    ...Array.from({ length: 90 }, (_, nth) => ({
      ...{ id: `rule ${nth}`, difference: 'by-rule' as const },
      why: `rule ${nth}`,
    })),
    { id: 'lost', difference: 'missing-at-api' as const },
  ];
  const groups = groupsOf({ *differences() { yield* found; } }, books); // biome-ignore format: short
  const summary = summaryOf(groups);
  assert.deepEqual(summary[0]?.calls, ['lost']);
  assert.ok(summary.length <= 50, String(summary.length));
  assert.equal(
    summary.reduce((all, { count }) => all + count, 0),
    103,
  );
  assert.equal(summary.at(-1)?.calls.length, 10);
  assert.equal(verdictOf(groups, true), 'missing');
  const explained = groups.filter(({ weight }) => weight === 'explained');
  assert.deepEqual([verdictOf(explained, true), verdictOf(explained, false)], ['complete', 'unproven']);
});

test('a month begins and ends by the clock of the machine, and the present one ends now', () => {
  const at = (month: number) => new Date(2026, month, 1).getTime();
  assert.deepEqual(readMonth('2026-10', at(10) + 5), { month: '2026-10', since: at(9), until: at(10) });
  assert.equal(readMonth('2026-11', at(10) + 2_500).until, at(10) + 2_000);
  assert.throws(() => readMonth('2026-12', at(10)), /^Error: 2026-12 has not begun yet$/);
  for (const text of ['2026-13', '2026-1', '11/2026', '', '2026-11-01'])
    assert.throws(() => readMonth(text, now), /--month takes a month such as 2026-11/);
});
