import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JournalEntry } from '../bridge/calls/effect.ts';
import { callLines, compareCalls, maskedLine, parseExpected } from './expected-calls.ts';

describe('a file of expected calls', () => {
  test('remarks, empty lines and blanks do not count', () => {
    const text =
      '# before the upgrade\n\n  +4930123456   ->  answered by 101\r\nwithheld -> missed in queue 400\n';
    assert.deepEqual(parseExpected(text), [
      '+4930123456 -> answered by 101',
      'withheld -> missed in queue 400',
    ]);
  });

  // biome-ignore format: one case a line
  for (const line of [
    '+4930* -> answered by 101, then 102',
    '* -> answered by *, priority asked first',
    'no number -> not reported',
    '+49160* -> ignored',
    '0301234 -> answered elsewhere, not ended',
    '+4930123456 -> ringing, not ended',
    '+4930123456 -> missed',
    '+4930* -> answered by Front desk, then Back office, not ended',
    '+4930123456 -> missed by the dialplan, closed by Holidays, priority asked first',
  ])
    test(`it takes: ${line}`, () => assert.deepEqual(parseExpected(line), [line]));

  // biome-ignore format: one case a line
  for (const line of [
    '+4930123456 answered by 101',
    '+4930123456 -> answered',
    '+4930123456 -> lost',
    '+4930123456 -> missed queue 400',
    'Jane -> answered by 101',
    '+4930123456 -> answered by 101, priority not asked',
    '-> answered by 101',
    '+4930123456 -> answered by ',
  ])
    test(`it refuses, with the line: ${line}`, () =>
      assert.throws(() => parseExpected(`# remark\n+4930* -> missed\n${line}\n`), /^Error: line 3 is not a call such as /));
});

test('masked lines keep extensions, and match any number that begins in the same way', () => {
  const line = '+4930123456 -> answered by 101, then +491713920017';
  assert.equal(maskedLine(line), '+4930* -> answered by 101, then +491713*');
  assert.deepEqual(compareCalls([maskedLine(line)], [line]), [{ is: 'same', line }]);
});

test('what is written for a name with blanks is taken, and matches', () => {
  const by = { at: 0, call: 'pbx-1.1', uniqueid: '1.1', kind: 'reported' } as const;
  const [line = ''] = callLines([
    { ...by, event: { code: 'ringing', number: 'known', from: '+4930123456', how: '' } },
    { ...by, event: { code: 'answered', by: 'Front  desk' } },
  ] as unknown as JournalEntry[]);
  assert.deepEqual(compareCalls(parseExpected(maskedLine(line)), [line]), [{ is: 'same', line }]);
});

describe('calls are compared in order', () => {
  test('each line is made a pattern once', (t) => {
    const escaped = t.mock.method(RegExp, 'escape');
    const lines = (area: number) => Array.from({ length: 50 }, (_, n) => `+49${area}${n}* -> missed`);
    assert.equal(compareCalls(lines(30), lines(40)).length, 100);
    assert.ok(escaped.mock.callCount() <= 100, `${escaped.mock.callCount()} times`);
  });

  test('lines that are the same before and after a difference', () => {
    const same = (line: string) => ({ is: 'same', line });
    assert.deepEqual(compareCalls([a, a, b, a], [a, b, c, a]), [
      same(a),
      { is: 'lacks', line: a },
      same(b),
      { is: 'found', line: c },
      same(a),
    ]);
    assert.deepEqual(compareCalls([a, a], [a]), [same(a), { is: 'lacks', line: a }]);
  });

  const [a, b, c] = ['+491 -> missed', '+492 -> answered by 101', 'withheld -> not reported'] as const;

  test('one that is missing, one too many, one that went otherwise', () => {
    assert.deepEqual(compareCalls([a, b, c], [a, c]), [
      { is: 'same', line: a },
      { is: 'lacks', line: b },
      { is: 'same', line: c },
    ]);
    assert.deepEqual(compareCalls([a, c], [a, b, c]), [
      { is: 'same', line: a },
      { is: 'found', line: b },
      { is: 'same', line: c },
    ]);
    assert.deepEqual(compareCalls([a, b], [a, '+492 -> missed at 101']), [
      { is: 'same', line: a },
      { is: 'lacks', line: b },
      { is: 'found', line: '+492 -> missed at 101' },
    ]);
  });

  test('another order is another dialplan', () => {
    assert.deepEqual(
      compareCalls([a, b], [b, a]).map(({ is }) => is),
      ['lacks', 'same', 'found'],
    );
  });

  test('only * is special in a line', () => {
    assert.deepEqual(
      compareCalls(['+49* -> missed in menu a.b'], ['+4930 -> missed in menu aXb']).map(({ is }) => is),
      ['lacks', 'found'],
    );
    assert.deepEqual(
      compareCalls(['+49* -> missed'], ['+4930 -> missed at 101']).map(({ is }) => is),
      ['lacks', 'found'],
    );
  });
});
