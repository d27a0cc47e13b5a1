import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nothing } from './fault.ts';
import { asItShould, merged, type Row } from './table.ts';

const row = (fault: string, rest: Partial<Row> = {}, broken: string[] = []): Row => ({
  ...{ fault, size: '2 kills', control: false, seconds: 1, date: '2026-11-20', commit: 'abc' },
  outcome: { ...nothing, runs: 2, seed: 1, broken, note: 'a | b' },
  ...rest,
});
const place = { machine: 'a machine', order: ['first', 'second'] };
const faultsIn = (file: string) => [...file.matchAll(/^\| (\w+) \| 2/gm)].map(([, fault]) => fault);

test('a row takes the place of its earlier one, in the order of the table; other machines keep theirs', () => {
  const before = merged('', [row('second'), row('first')], place);
  const after = merged(before, [row('second', { commit: 'def' })], place);
  assert.deepEqual(faultsIn(after), ['first', 'second']);
  assert.match(after, /^\| second .*\| def \| a \/ b \|$/m);
  assert.match(after, /^\| first .*\| abc \|/m);
  const elsewhere = merged(after, [row('first', { commit: 'ghi' })], { ...place, machine: 'another' });
  assert.deepEqual(faultsIn(elsewhere), ['first', 'second', 'first']);
  assert.deepEqual(merged(elsewhere, [], place), elsewhere);
});

test('a row must hold, and a control must break', () => {
  assert.deepEqual(
    [
      row('a'),
      row('a', {}, ['1 lost']),
      row('a', { control: true }),
      row('a', { control: true }, ['1 lost']),
    ].map(asItShould),
    [true, false, false, true],
  );
});
