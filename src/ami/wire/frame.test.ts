import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { frameKeys, normaliseEvent, normaliseResponse, recordable } from './frame.ts';

const keys = frameKeys(['Uniqueid', 'Channel', 'CallerIDNum']);

for (const [what, frame, text] of [
  [
    'only known keys get through',
    'Event: X\r\nPrivilege: call,all\r\nUniqueid: 1.1\r\n\r\n',
    'Uniqueid: 1.1\r\n',
  ],
  ['the first of a repeated key counts', 'Event: X\r\nUniqueid: 1\r\nUniqueid: 2\r\n\r\n', 'Uniqueid: 1\r\n'],
  ['line feeds alone', 'Event: X\nUniqueid: 1\nChannel: a\n\n', 'Uniqueid: 1\r\nChannel: a\r\n'],
  ['a stray carriage return', 'Event: X\r\r\nUniqueid: 1\r\r\n\r\n', 'Uniqueid: 1\r\n'],
  ['no space after the colon', 'Event: X\r\nUniqueid:1\r\n\r\n', 'Uniqueid: 1\r\n'],
  ['an empty value', 'Event: X\r\nCallerIDNum: \r\nChannel:\r\n\r\n', 'CallerIDNum: \r\nChannel: \r\n'],
  ['colons in a value', 'Event: X\r\nChannel: a: b:c\r\n\r\n', 'Channel: a: b:c\r\n'],
  ['lines without a colon', 'Event: X\r\nUniqueid\r\nnothing\r\nChannel: a\r\n\r\n', 'Channel: a\r\n'],
  ['keys of JavaScript', 'Event: X\r\n__proto__: 1\r\nconstructor: 2\r\n\r\n', ''],
  ['keys that would make it a response', 'Event: X\r\nResponse: Success\r\nEvent: Y\r\n\r\n', ''],
  ['no line at all', 'Event: X\r\n\r\n', ''],
] as const) {
  test(`event: ${what}`, () => {
    assert.equal(normaliseEvent(Buffer.from(frame), 'X', keys), `Event: X\r\n${text}\r\n`);
  });
}

test('event: bytes that are not UTF-8 are replaced', () => {
  const frame = Buffer.concat([
    Buffer.from('Event: X\r\nChannel: a'),
    Buffer.of(0xff),
    Buffer.from('b\r\n\r\n'),
  ]);
  assert.equal(normaliseEvent(frame, 'X', keys), 'Event: X\r\nChannel: a\ufffdb\r\n\r\n');
});

test('event: whatever the lines say, the text has one blank line, at its end, and only known keys', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (rows) => {
      const text = normaliseEvent(Buffer.from(`Event: X\r\n${rows.join('\r\n')}\r\n\r\n`), 'X', keys);
      const lines = text.split('\n');
      assert.ok(text.startsWith('Event: X\r\n') && text.endsWith('\r\n\r\n'));
      assert.equal(lines.filter((row) => row === '\r').length, 1);
      for (const row of lines.slice(1, -2)) assert.ok(keys.has(row.slice(0, row.indexOf(': '))), row);
    }),
  );
});

test('more keys than bits are refused', () => {
  assert.throws(() => frameKeys(Array.from({ length: 32 }, (_, index) => `Key${index}`)), RangeError);
});

for (const [what, frame, text] of [
  [
    'success',
    'Response: Success\r\nActionID: 7\r\nMessage: ok\r\n\r\n',
    'Success\r\nActionID: 7\r\nMessage: ok',
  ],
  ['error', 'Response: Error\nActionID: 7\nMessage: no\n\n', 'Error\r\nActionID: 7\r\nMessage: no'],
  ['what would start a command output', 'Response: Follows\r\nActionID: 7\r\n\r\n', 'Error\r\nActionID: 7'],
  ['a second ActionID', 'Response: Success\r\nActionID: 7\r\nActionid: 8\r\n\r\n', 'Success\r\nActionID: 7'],
  [
    'keys of JavaScript and of the library',
    'Response: Success\r\nconstructor: 1\r\n__proto__: 2\r\nEvent: close\r\nVariable: a=b\r\nActionID: 7\r\n\r\n',
    'Success\r\nActionID: 7',
  ],
] as const) {
  test(`response: ${what}`, () => {
    assert.deepEqual(normaliseResponse(Buffer.from(frame)), {
      actionId: '7',
      text: `Response: ${text}\r\n\r\n`,
    });
  });
}

test('a response to no action is not handed on', () => {
  assert.equal(normaliseResponse(Buffer.from('Response: Success\r\nMessage: ok\r\n\r\n')), undefined);
});

test('a recorded frame has its bytes, CR LF between its lines and no blank line', () => {
  const frame = Buffer.from('Event: X\nA: \xff\r\nB: 1\r\r\n\r\n', 'latin1');
  assert.equal(recordable(frame).toString('latin1'), 'Event: X\r\nA: \xff\r\nB: 1');
});
