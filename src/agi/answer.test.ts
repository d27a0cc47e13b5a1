import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type AnswerOptions, commandsFor, type PriorityAnswer, safeValue } from './answer.ts';

const plain: AnswerOptions = { defaultPriority: '0', setQueuePrio: false, queuePrio: {}, verbose: false };
const found = (value: string): PriorityAnswer => ({ status: 'FOUND', value });

describe('what the channel is told', () => {
  const priority = (value: string, status: string) => [
    `SET VARIABLE CALLER_PRIORITY ${value}`,
    `SET VARIABLE CALLER_PRIORITY_STATUS ${status}`,
  ];
  const queue = (prio: number) => `SET VARIABLE QUEUE_PRIO ${prio}`;
  const map = { gold: 20, '1': 9, '0': 3 };
  const rows: [string, PriorityAnswer, Partial<AnswerOptions>, boolean | undefined, string[]][] = [
    ['found', found('10'), {}, undefined, priority('10', 'FOUND')],
    ['not found', { status: 'NOTFOUND' }, {}, undefined, priority('0', 'NOTFOUND')],
    ['too late', { status: 'TIMEOUT' }, { defaultPriority: 'low' }, undefined, priority('low', 'TIMEOUT')],
    ['failed', { status: 'ERROR' }, {}, undefined, priority('0', 'ERROR')],
    [
      'QUEUE_PRIO by setting',
      found('10'),
      { setQueuePrio: true },
      undefined,
      [...priority('10', 'FOUND'), queue(10)],
    ],
    ['QUEUE_PRIO by the dialplan', found('-5'), {}, true, [...priority('-5', 'FOUND'), queue(-5)]],
    ['no QUEUE_PRIO by the dialplan', found('10'), { setQueuePrio: true }, false, priority('10', 'FOUND')],
    ['a word is mapped', found('gold'), { queuePrio: map }, true, [...priority('gold', 'FOUND'), queue(20)]],
    ['a number is mapped', found('1'), { queuePrio: map }, true, [...priority('1', 'FOUND'), queue(9)]],
    [
      'the default is mapped',
      { status: 'ERROR' },
      { queuePrio: map },
      true,
      [...priority('0', 'ERROR'), queue(3)],
    ],
    [
      'a number that is not mapped',
      found('2'),
      { queuePrio: map },
      true,
      [...priority('2', 'FOUND'), queue(2)],
    ],
    [
      'a word that is not mapped',
      found('tin'),
      { queuePrio: map },
      true,
      [...priority('tin', 'FOUND'), queue(0)],
    ],
    [
      'a word that every object knows',
      found('constructor'),
      { queuePrio: map },
      true,
      [...priority('constructor', 'FOUND'), queue(0)],
    ],
    ['no whole number', found('1.5'), {}, true, [...priority('1.5', 'FOUND'), queue(0)]],
    ['too big for Queue()', found('12345678901'), {}, true, [...priority('12345678901', 'FOUND'), queue(0)]],
    [
      "shown in Asterisk's console, last",
      found('10'),
      { verbose: true },
      true,
      [...priority('10', 'FOUND'), queue(10), 'VERBOSE "pbx-bridge: caller priority 10 (FOUND)" 1'],
    ],
  ];
  for (const [name, answer, options, queuePrio, expected] of rows)
    test(name, () => assert.deepEqual(commandsFor(answer, { ...plain, ...options }, queuePrio), expected));
});

test('whatever the API says, only these patterns are ever written', () => {
  const patterns = [
    /^SET VARIABLE CALLER_PRIORITY -?[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/,
    /^SET VARIABLE CALLER_PRIORITY_STATUS (FOUND|NOTFOUND|TIMEOUT|ERROR)$/,
    /^SET VARIABLE QUEUE_PRIO -?\d{1,9}$/,
    /^VERBOSE "pbx-bridge: caller priority -?[A-Za-z0-9][A-Za-z0-9_.-]{0,31} \([A-Z]+\)" 1$/,
  ];
  const hostile = fc.constantFrom(
    '1\nEXEC System(id)',
    '1\r',
    '"',
    '1 2',
    '\\',
    '$' + '{X}',
    '',
    ' ',
    '1\0',
    '١',
    '-',
  );
  const value = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), hostile, fc.integer().map(String));
  let written = 0;
  fc.assert(
    fc.property(value, (text) => {
      const commands = commandsFor(found(text), { ...plain, setQueuePrio: true, verbose: true });
      assert.equal(commands.length, patterns.length);
      for (const [i, command] of commands.entries()) assert.match(command, patterns[i] as RegExp);
      if (commands[0]?.endsWith(` ${text}`) && text !== '0') written += 1;
      assert.equal(safeValue.test(text), commands[0] === `SET VARIABLE CALLER_PRIORITY ${text}`);
    }),
    { numRuns: 5_000 },
  );
  assert.ok(written > 100);
});
