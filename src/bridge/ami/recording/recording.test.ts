import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatRecordedFrame, formatRecordingHeader, parseRecording, type Recording } from './recording.ts';

const formatRecording = (recording: Recording) =>
  formatRecordingHeader(recording) + recording.frames.map(formatRecordedFrame).join('');

const header = {
  asterisk: '22.10.0',
  row: 'busy',
  startedAt: 1_800_000_000_000,
  channels: ['Event: CoreShowChannel\r\nChannel: PJSIP/1001-00000001'],
  bridges: [],
};

test('a recording reads back as it was written, whatever bytes its frames hold', () => {
  const frame = fc.record(
    {
      ms: fc.nat(),
      frame: fc.oneof(
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        fc.string({ unit: 'binary' }).map((text) => Buffer.from(text, 'utf8')),
      ),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(frame), (frames) => {
      const recording = { ...header, frames };
      assert.deepEqual(parseRecording(formatRecording(recording)), recording);
    }),
  );
});

test('a recording whose last line was never finished is read up to there', () => {
  const whole = `${formatRecordingHeader(header)}{"ms":1,"frame":"Event: Hangup"}\n`;
  assert.equal(parseRecording(`${whole}{"ms":2,"fra`).frames.length, 1);
  assert.equal(parseRecording(`${whole}{"ms":2,"frame":"Event: X"}`).frames.length, 2);
});
