import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchCallClass } from './call-class.ts';

for (const [what, looks, verdicts] of [
  ['nobody calls', [['a'], ['a'], ['a']], [false, false, false]],
  [
    'a channel comes, and no event by the next look',
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [false, true],
  ],
  ['a channel goes, and no event by the next look', [[], []], [false, true]],
  ['one goes as another comes', [['b'], ['b']], [false, true]],
  ['it is gone again by the next look', [['a', 'b'], ['a']], [false, true]],
] as const) {
  test(`without an event: ${what}`, () => {
    const watch = watchCallClass(['a']);
    assert.deepEqual(
      looks.map((channels) => watch.lacksCallClass(channels, 0)),
      verdicts,
    );
  });
}

test('an event that comes late clears the suspicion', () => {
  const watch = watchCallClass([]);
  assert.equal(watch.lacksCallClass(['a'], 0), false);
  assert.equal(watch.lacksCallClass(['a'], 1), false);
});
