import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type AnswerOptions,
  commandsFor,
  type PriorityAnswer,
  safeName,
  safeValue,
} from './priority-answer.ts';

const plain: AnswerOptions = { defaultPriority: '0', setQueuePrio: false, queuePrio: {} };
const found = (value: string): PriorityAnswer => ({ status: 'FOUND', value });

describe('the AGI commands of an answer', () => {
  const reported = (value: string, status: string, queuePrio?: number) => [
    `SET VARIABLE CALLER_PRIORITY ${value}`,
    ...(queuePrio === undefined ? [] : [`SET VARIABLE QUEUE_PRIO ${queuePrio}`]),
    `SET VARIABLE CALLER_PRIORITY_STATUS ${status}`,
    // For Asterisk's console.
    `VERBOSE "pbx-bridge: caller priority ${value} (${status})" 1`,
  ];
  const map = { gold: 20, '1': 9, '0': 3 };
  const rows: [string, PriorityAnswer, Partial<AnswerOptions>, boolean | undefined, string[]][] = [
    ['found', found('10'), {}, undefined, reported('10', 'FOUND')],
    ['not found', { status: 'NOTFOUND' }, {}, undefined, reported('0', 'NOTFOUND')],
    ['too late', { status: 'TIMEOUT' }, { defaultPriority: 'low' }, undefined, reported('low', 'TIMEOUT')],
    ['failed', { status: 'ERROR' }, {}, undefined, reported('0', 'ERROR')],
    ['QUEUE_PRIO by setting', found('10'), { setQueuePrio: true }, undefined, reported('10', 'FOUND', 10)],
    ['QUEUE_PRIO by the dialplan', found('-5'), {}, true, reported('-5', 'FOUND', -5)],
    ['no QUEUE_PRIO by the dialplan', found('10'), { setQueuePrio: true }, false, reported('10', 'FOUND')],
    ['a word is mapped', found('gold'), { queuePrio: map }, true, reported('gold', 'FOUND', 20)],
    ['a number is mapped', found('1'), { queuePrio: map }, true, reported('1', 'FOUND', 9)],
    ['the default is mapped', { status: 'ERROR' }, { queuePrio: map }, true, reported('0', 'ERROR', 3)],
    ['a number that is not mapped', found('2'), { queuePrio: map }, true, reported('2', 'FOUND', 2)],
    ['a word that is not mapped', found('tin'), { queuePrio: map }, true, reported('tin', 'FOUND', 0)],
    [
      'a word that every object knows',
      found('constructor'),
      { queuePrio: map },
      true,
      reported('constructor', 'FOUND', 0),
    ],
    ['no whole number', found('1.5'), {}, true, reported('1.5', 'FOUND', 0)],
    ['too big for Queue()', found('12345678901'), {}, true, reported('12345678901', 'FOUND', 0)],
  ];
  for (const [name, answer, options, queuePrio, expected] of rows)
    test(name, () =>
      assert.deepEqual(
        commandsFor(answer, { ...plain, ...options }, queuePrio === undefined ? {} : { queuePrio }),
        expected,
      ),
    );
});

test('only safe values are written, whatever the API responds', () => {
  const patterns = [
    /^SET VARIABLE CALLER_PRIORITY -?[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/,
    /^SET VARIABLE QUEUE_PRIO -?\d{1,9}$/,
    /^SET VARIABLE CALLER_PRIORITY_STATUS (FOUND|NOTFOUND|TIMEOUT|ERROR)$/,
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
      const commands = commandsFor(found(text), { ...plain, setQueuePrio: true });
      assert.equal(commands.length, patterns.length);
      for (const [i, command] of commands.entries()) assert.match(command, patterns[i] as RegExp);
      if (commands[0]?.endsWith(` ${text}`) && text !== '0') written += 1;
      assert.equal(safeValue.test(text), commands[0] === `SET VARIABLE CALLER_PRIORITY ${text}`);
    }),
    { numRuns: 5_000 },
  );
  assert.ok(written > 100);
});

test('only safe names are written, whatever the API responds', () => {
  const hostile = fc.constantFrom(
    '"',
    '\\',
    '\\"',
    '\n',
    '\r\nHANGUP',
    '\0',
    '$' + '{X}',
    '\u2028',
    '\ud800',
    'ä',
  );
  const text = fc.array(fc.oneof(fc.string({ unit: 'binary' }), hostile)).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (raw) => {
      const name = safeName(raw);
      const commands = commandsFor({ ...found('1'), name }, plain, { setName: true });
      assert.equal(commands.length, name === '' ? 3 : 4);
      if (name === '') return;
      const argument = /^SET VARIABLE CALLERID\(name\) "((?:[^"\\]|\\["\\])*)"$/.exec(commands[1] ?? '')?.[1];
      assert.equal(argument?.replace(/\\(.)/gu, '$1'), name);
      assert.doesNotMatch(name, /[\p{C}]/u);
      assert.ok([...name].length <= 60);
    }),
    { numRuns: 5_000 },
  );
});

describe('what else is known of the caller', () => {
  const variables = (answer: PriorityAnswer) =>
    commandsFor(answer, plain, { more: true })
      .filter((command) => command.startsWith('SET VARIABLE CALLER_'))
      .map((command) => command.replace('SET VARIABLE CALLER_', ''));

  test('is set before the status, only if it is asked for', () => {
    const facts = {
      segment: 'VIP',
      lastExtension: '101',
      callbackExtension: '102',
      blocked: 'yes',
      language: 'de',
    };
    const answer = { ...found('1'), name: 'Zoë "Q" Weiß', facts };
    assert.deepEqual(variables(answer), [
      'PRIORITY 1',
      'SEGMENT "VIP"',
      'NAME "Zoë Q Weiß"',
      'LAST_EXTENSION "101"',
      'CALLBACK_EXTENSION "102"',
      'BLOCKED "yes"',
      'LANGUAGE "de"',
      'PRIORITY_STATUS FOUND',
    ]);
    assert.equal(commandsFor(answer, plain).length, 3);
  });

  test('what is not known is set too: no value of an earlier lookup stays', () => {
    for (const status of ['FOUND', 'NOTFOUND', 'TIMEOUT', 'ERROR'] as const)
      assert.deepEqual(variables({ status }).slice(1, -1), [
        'SEGMENT ""',
        'NAME ""',
        'LAST_EXTENSION ""',
        'CALLBACK_EXTENSION ""',
        'BLOCKED ""',
        'LANGUAGE ""',
      ]);
  });

  test('is words of letters and digits, whatever it is at the service', () => {
    const parts = [
      '\n',
      '"',
      '\\',
      '$' + '{EVAL(x)}',
      ')',
      ',',
      '&',
      '|',
      ';',
      "'",
      '\0',
      '<',
      '=',
      'ä',
      '1',
      ' ',
      '%',
      '/',
    ];
    const text = fc
      .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...parts)))
      .map((all) => all.join(''));
    let words = 0;
    fc.assert(
      fc.property(text, text, (name, other) => {
        const answer: PriorityAnswer = {
          ...found('1'),
          name: safeName(name),
          facts: {
            segment: name,
            lastExtension: other,
            callbackExtension: other,
            blocked: other,
            language: other,
          },
          why: other,
        };
        for (const command of variables(answer).slice(1, -1)) {
          const [, value = ''] =
            /^[A-Z_]+ "([\p{L}\p{M}\p{N}._ -]*)"$/u.exec(command) ?? assert.fail(command);
          assert.ok([...value].length <= 60);
          if (value !== '') words += 1;
        }
        const last = commandsFor(answer, plain, { more: true }).at(-1) ?? '';
        assert.match(last, /^VERBOSE "(?:[^"\\]|\\["\\])*" 1$/);
        assert.match(last, /^[\x20-\x7e]{1,1000}$/);
      }),
      { numRuns: 5_000 },
    );
    assert.ok(words > 100);
  });
});
