import type { Input } from '../../calls/input.ts';
import { isCallEvent, toInput, toSnapshotBridge, toSnapshotChannel, toStatus } from '../events.ts';
import { allFields, type Fields, readFields } from '../wire/frame.ts';
import type { Recording } from './recording.ts';

/** The tracker's inputs from a recording: the snapshot that it begins with, then every event in its time. */
export function inputsOf({ startedAt, channels, bridges, frames }: Recording): Input[] {
  const snapshot: Input = {
    type: 'snapshot',
    at: startedAt,
    channels: rows(channels, toSnapshotChannel),
    bridges: rows(bridges, toSnapshotBridge),
  };
  return [snapshot, ...frames.flatMap(({ ms, frame }) => inputOf(frame, startedAt + ms) ?? [])];
}

function rows<Row>(texts: readonly string[], read: (fields: Fields) => Row | undefined): Row[] {
  return texts.flatMap((text) => read(readFields(Buffer.from(text))) ?? []);
}

function inputOf(frame: Buffer, at: number): Input | undefined {
  const event = allFields(frame).get('Event') ?? '';
  if (isCallEvent(event)) return toInput(event, frame, at);
  const status = event === 'Status' ? toStatus(readFields(frame)) : undefined;
  return status?.uniqueid ? { type: 'presentation', at, ...status } : undefined;
}
