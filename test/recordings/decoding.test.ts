import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isCallEvent, toInput } from '../../src/ami/events.ts';
import { inputsOf } from '../../src/ami/recording/recorded-inputs.ts';
import { createFramer } from '../../src/ami/wire/framer.ts';
import type { Input } from '../../src/calls/input.ts';
import { readScenarios } from './library.ts';

const at = 1_795_000_000_000;

/** The inputs of the call events in a stream that arrives in pieces of these sizes, used again and again. */
function decode(stream: Buffer, sizes: readonly number[]): Input[] {
  const inputs: Input[] = [];
  const framer = createFramer({
    onGreeting: () => {},
    wants: isCallEvent,
    onEvent(frame, event) {
      const input = toInput(event, frame, at);
      if (input) inputs.push(input);
    },
    onResponse: () => {},
    onIgnored: () => {},
    onTooLong: assert.fail,
  });
  let index = 0;
  for (let start = 0; start < stream.length; ) {
    const size = sizes[index++ % sizes.length] ?? 1;
    // Overwritten afterwards: nothing that is kept may be a part of it.
    const piece = Buffer.from(stream.subarray(start, start + size));
    framer.push(piece);
    piece.fill('X');
    start += size;
  }
  return inputs;
}

for (const { name, recording } of readScenarios()) {
  test(`${name}: the same inputs, however its bytes are split and its lines end`, () => {
    const expected = inputsOf(recording)
      .filter(({ type }) => type !== 'snapshot' && type !== 'presentation')
      .map((input) => ({ ...input, at }));
    const text = `Asterisk Call Manager/9.0.0\r\n${recording.frames
      .map(({ frame }) => `${frame.toString('latin1')}\r\n\r\n`)
      .join('')}`;
    const streams = [text, text.replaceAll('\r\n', '\n')].map((it) => Buffer.from(it, 'latin1'));
    const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3_000 })), {
      minLength: 1,
    });
    fc.assert(
      fc.property(fc.constantFrom(...streams), sizes, (stream, split) => {
        assert.deepEqual(decode(stream, split), expected);
      }),
      { numRuns: 10 },
    );
  });
}
