import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { allFields, fieldKey, readFields, recordable } from './frame.ts';

const keys = ['Uniqueid', 'Channel', 'CallerIDNum', '__proto__', 'Event', 'Response'];

/** The values of these keys that are there. */
function valuesOf(frame: Buffer): Record<string, string> {
  const fields = readFields(frame);
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = fields(fieldKey(key));
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

test('fields: bytes that are not UTF-8 are replaced, in each value alone', () => {
  const frame = Buffer.from('Event: X\r\nChannel: a\xffb\xe2\r\nUniqueid: ü\r\n\r\n', 'latin1');
  assert.deepEqual(valuesOf(frame), { Channel: 'a\ufffdb\ufffd', Uniqueid: '\ufffd' });
  assert.deepEqual(valuesOf(Buffer.from('Event: X\nChannel: ü€😀\n\n')), { Channel: 'ü€😀' });
});

test('fields: whatever the lines are, each value is the one that a plain reading of the lines gives', () => {
  const hostile = fc.string({
    unit: fc.constantFrom('\0', '\r', '\n', ':', ' ', 'a', 'ü', '€', '😀', '\u2028'),
  });
  const line = fc.oneof(
    hostile,
    fc.tuple(fc.constantFrom(...keys), fc.constantFrom(':', ': ', ':  '), hostile).map((it) => it.join('')),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.constantFrom('\r\n', '\n', '\r\r\n'), (lines, end) => {
      const frame = Buffer.from(`Event: X${end}${lines.join(end)}${end}${end}`);
      const [, ...rest] = frame.toString().split('\n');
      const expected = new Map<string, string>();
      for (const text of rest) {
        const [key = ''] = text.split(':', 1);
        if (text.includes(':') && keys.includes(key) && !expected.has(key))
          expected.set(
            key,
            text
              .slice(key.length + 1)
              .replace(/^ /, '')
              .replace(/\r+$/, ''),
          );
      }
      assert.deepEqual(new Map(Object.entries(valuesOf(frame))), expected);
    }),
  );
});

test('many carriage returns are read in one pass: from each of them, it would take minutes', () => {
  const many = '\r'.repeat(400_000);
  const frame = Buffer.from(`Event: X${many}\nChannel: a${many}b\r\n\r\n`);
  assert.deepEqual([...allFields(frame)].slice(0, 2), [
    ['Event', 'X'],
    ['Channel', `a${many}b`],
  ]);
  assert.equal(`${recordable(frame)}`, `Event: X\r\nChannel: a${many}b`);
});

test('a value keeps neither the frame nor the bytes that it came in', () => {
  const padding = `CallerIDName: ${'x'.repeat(60_000)}`;
  const frame = Buffer.from(`Event: X\r\nChannel: PJSIP/trunk-0000002a\r\n${padding}\r\n\r\n`);
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: 500 }, () => readFields(frame)(fieldKey('Channel')));
  collect();
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(grown < 5_000_000, `${grown} bytes for ${kept.length} values`);
  frame.fill(0);
  assert.equal(kept[0], 'PJSIP/trunk-0000002a');
});

test('all fields, the first of each, whatever the line ends; in UTF-8 if asked for', () => {
  const frame = Buffer.from('Response: Success\nA: ü\r\r\nA: 2\r\nno colon\nB:\n\n');
  assert.deepEqual(Object.fromEntries(allFields(frame)), { Response: 'Success', A: 'Ã¼', B: '' });
  assert.deepEqual(Object.fromEntries(allFields(frame, 'utf8')), { Response: 'Success', A: 'ü', B: '' });
});
