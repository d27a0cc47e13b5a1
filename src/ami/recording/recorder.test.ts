import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecorder } from './recorder.ts';
import { parseRecording } from './recording.ts';

test('events that arrive while the snapshot is read come after it, and a mask is asked about every frame', () => {
  const lines: string[] = [];
  const recorder = createRecorder({
    row: 'x',
    write: (text) => lines.push(text),
    mask: (frame) => Buffer.from(frame.toString().replace('4930', '#')),
  });
  const hear = (text: string, at: number): void => recorder.onFrame(Buffer.from(`${text}\r\n\r\n`), at);
  hear('Response: Success\r\nActionID: 1', 1000);
  hear('Event: Newchannel\r\nCallerIDNum: 4930', 1007);
  hear('Event: CoreShowChannel\r\nActionID: 2\r\nCallerIDNum: 4930', 1008);
  hear('Event: CoreShowChannelsComplete\r\nActionID: 2', 1009);
  assert.deepEqual(lines, []);
  hear('Response: Error\r\nActionID: 3\r\nMessage: Permission denied', 1010);
  hear('Event: Hangup\r\nCallerIDNum: 4930', 1012);
  hear('Event: CoreShowChannel\r\nActionID: 4\r\nCallerIDNum: 4930', 1013);
  hear('Event: Status\r\nActionID: 5\r\nVariable: CALLERID(num-pres)=prohib', 1014);
  hear('Event: StatusComplete\r\nActionID: 5', 1014);

  const recording = parseRecording(lines.join(''));
  assert.equal(recording.startedAt, 1000);
  assert.deepEqual(recording.channels, ['Event: CoreShowChannel\r\nActionID: 2\r\nCallerIDNum: #']);
  assert.deepEqual(
    recording.frames.map(({ ms, frame }) => [ms, frame.toString()]),
    [
      [7, 'Event: Newchannel\r\nCallerIDNum: #'],
      [12, 'Event: Hangup\r\nCallerIDNum: #'],
      [14, 'Event: Status\r\nActionID: 5\r\nVariable: CALLERID(num-pres)=prohib'],
    ],
  );
});
