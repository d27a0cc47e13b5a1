import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createFrameBuffer, createFramer, maxFrame, maxLine } from './framer.ts';

type Seen = readonly [kind: 'greeting' | 'frame' | 'lost', text: string, event?: string];

function read(chunks: readonly Buffer[]): Seen[] {
  const seen: Seen[] = [];
  const framer = createFramer({
    onGreeting: (line) => seen.push(['greeting', line]),
    onFrame: (frame, event) => seen.push(['frame', frame.toString('latin1'), event]),
    onTooLong: (name) => seen.push(['lost', name]),
  });
  for (const chunk of chunks) framer.push(Buffer.from(chunk));
  return seen;
}

/** The same, as simply as it can be said, over all the bytes at once. */
function oracle(bytes: Buffer): Seen[] {
  const lines = bytes.toString('latin1').split('\n').slice(0, -1);
  const greeting = lines.shift();
  if (greeting === undefined) return [];
  const seen: Seen[] = [['greeting', greeting.replace(/\r+$/, '')]];
  let frame: string[] = [];
  for (const line of lines) {
    frame.push(line);
    if (/[^\r]/.test(line)) continue;
    const first = frame[0] ?? '';
    const text = `${frame.join('\n')}\n`;
    const event = /^Event: ([^\r]{1,64})(\r|$)/.exec(first)?.[1] ?? '';
    const tooLong = text.length > maxFrame || frame.some((row) => row.length > maxLine);
    const response = first.startsWith('Response: ');
    if (frame.length === 1) frame = [];
    else if (tooLong) seen.push(['lost', response ? 'Response' : event]);
    else seen.push(['frame', text, event]);
    frame = [];
  }
  return seen;
}

function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index]));
}

const hello = 'Asterisk Call Manager/9.0.0\r\n';
const lineEnd = fc.constantFrom('\r\n', '\n', '\r\r\n');
const hostileText = fc.oneof(
  fc.constantFrom('', '\r', 'Event: Hangup', 'a: b', ': ', '\u0000', 'Event: ', 'Response: Success'),
  fc.constantFrom('ÿþ', '\x1b[2J'),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.integer({ min: maxLine - 2, max: maxLine + 2 }).map((length) => `X: ${'x'.repeat(length - 3)}`),
);
const firstLine = fc.constantFrom(
  'Event: Hangup',
  'Event: Newchannel',
  'Event: VarSet',
  'Event: __proto__',
  'Event:Hangup',
  `Event: ${'n'.repeat(64)}`,
  `Event: ${'n'.repeat(65)}`,
  'Response: Success',
  'Responses: 1',
  'no colon',
);
const frame = fc
  .tuple(firstLine, fc.array(hostileText, { maxLength: 6 }), lineEnd, lineEnd)
  .map(([first, rest, between, last]) => `${[first, ...rest].join(between)}${between}${last}`);
const stream = fc
  .tuple(fc.array(fc.oneof({ weight: 4, arbitrary: frame }, hostileText, lineEnd), { maxLength: 8 }))
  .map(([parts]) => Buffer.from(hello + parts.join(''), 'utf8'));
const cuts = fc.oneof(
  fc.array(fc.nat(), { maxLength: 40 }),
  fc.constant(Array.from({ length: 400 }, (_, i) => i)),
);

test('hostile bytes in any split are framed as the oracle frames the whole', () => {
  fc.assert(
    fc.property(stream, cuts, (bytes, places) => {
      assert.deepEqual(read(split(bytes, places)), oracle(bytes));
    }),
    { numRuns: 400 },
  );
});

test('a frame one byte longer than the limit is lost, one of just the limit is not', () => {
  const head = 'Event: Hangup\r\n';
  const fill = (bytes: number): string => {
    const rows: string[] = [];
    for (let left = bytes; left > 0; left -= 1024) rows.push(`${'x'.repeat(Math.min(left, 1024) - 1)}\n`);
    return head + rows.join('');
  };
  for (const chunk of [7, 1000, 1_000_000]) {
    for (const [size, kind] of [
      [maxFrame, 'frame'],
      [maxFrame + 1, 'lost'],
    ] as const) {
      const bytes = Buffer.from(`${hello}${fill(size - head.length - 1)}\n`);
      const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, i) =>
        bytes.subarray(i * chunk, (i + 1) * chunk),
      );
      assert.deepEqual(
        read(chunks).map(([what]) => what),
        ['greeting', kind],
        `${size} bytes in chunks of ${chunk}`,
      );
    }
  }
});

test('a 10 MB line costs its own frame and hardly any memory; the stream goes on', () => {
  const seen: Seen[] = [];
  const framer = createFramer({
    onGreeting: () => {},
    onFrame: (_frame, event) => seen.push(['frame', event]),
    onTooLong: (name) => seen.push(['lost', name]),
  });
  framer.push(Buffer.from(`${hello}Event: Hangup\r\nUniqueid: 1.1\r\nCallerIDName: `));
  const chunk = Buffer.alloc(64 * 1024, 'x');
  global.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  for (let sent = 0; sent < 10 * 1024 * 1024; sent += chunk.length) framer.push(chunk);
  const grown = process.memoryUsage().arrayBuffers - before;
  framer.push(Buffer.from('\r\nUniqueid: 1.2\r\n\r\nEvent: Newchannel\r\nUniqueid: 1.3\r\n\r\n'));
  assert.deepEqual(seen, [
    ['lost', 'Hangup'],
    ['frame', 'Newchannel'],
  ]);
  assert.ok(grown < 1024 * 1024, `${grown} bytes more are held`);
});

test('a greeting without end is handed on cut off, so that its reader can refuse it', () => {
  assert.deepEqual(read([Buffer.alloc(100, 'x'), Buffer.alloc(200, 'x')]), [['greeting', 'x'.repeat(256)]]);
});

test('a frame that is too long for the buffer keeps its beginning', () => {
  const buffer = createFrameBuffer();
  buffer.add(Buffer.from('..Event: A'), 2, 10);
  assert.deepEqual([buffer.bytes().toString(), buffer.isTooLong()], ['Event: A', false]);
  buffer.add(Buffer.alloc(maxFrame), 0, maxFrame);
  assert.deepEqual([buffer.length(), buffer.isTooLong()], [maxFrame, true]);
  assert.equal(buffer.bytes().toString('latin1', 0, 8), 'Event: A');
  buffer.clear();
  assert.deepEqual([buffer.length(), buffer.isTooLong()], [0, false]);
});
