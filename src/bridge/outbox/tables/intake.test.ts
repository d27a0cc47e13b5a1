import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behind, numberEvents, repeated } from './intake.ts';

test('new events are numbered, those behind another one of their call wait', () => {
  let number = 10;
  const { numbers, values, touched } = numberEvents(
    [
      'a',
      'ringing',
      '1',
      'a',
      'answered',
      '2',
      'a',
      'ringing',
      '3',
      'b',
      'completed',
      '4',
      'b',
      'ringing',
      '5',
    ],
    [100, 300, 200, 400, 350],
    new Map([['b', { statuses: ['ringing'], next: 7, waiting: true }]]),
    () => number++,
  );
  assert.deepEqual(numbers, [10, behind, repeated, behind, repeated]);
  assert.deepEqual(values, [
    10,
    'a',
    'ringing',
    '1',
    100,
    100,
    11,
    'a',
    'answered',
    '2',
    300,
    null,
    12,
    'b',
    'completed',
    '4',
    400,
    null,
  ]);
  assert.deepEqual(
    [...touched],
    [
      [10, 300],
      [7, 400],
    ],
  );
});
