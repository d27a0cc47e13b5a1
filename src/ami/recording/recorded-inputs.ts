import type { Input } from '../../calls/input.ts';
import { isCallEvent, toInput, toPresentation, toSnapshotBridge, toSnapshotChannel } from '../events.ts';
import { frameFields, recordable } from '../wire/frame.ts';
import type { Recording } from './recording.ts';

/** What the tracker would have heard of a recording: the snapshot that it begins with, then every event in its time. */
export function inputsOf({ startedAt, channels, bridges, frames }: Recording): Input[] {
  const rows = (texts: readonly string[]) => texts.map((text) => objectOf(Buffer.from(text)));
  const snapshot: Input = {
    type: 'snapshot',
    at: startedAt,
    channels: rows(channels).flatMap((row) => toSnapshotChannel(row) ?? []),
    bridges: rows(bridges).flatMap((row) => toSnapshotBridge(row) ?? []),
  };
  const heard = frames.flatMap(({ ms, frame }): Input[] => {
    const event = objectOf(frame);
    const at = startedAt + ms;
    if (event.event === 'Status') return presentation(event, frame, at);
    return isCallEvent(event.event ?? '') ? [toInput(event, at) ?? []].flat() : [];
  });
  return [snapshot, ...heard];
}

function presentation(
  event: Readonly<Record<string, string | undefined>>,
  frame: Buffer,
  at: number,
): Input[] {
  const uniqueid = event.uniqueid ?? '';
  const lines = frame.toString('utf8').matchAll(/^Variable: ([^=\r\n]+)=(.*)$/gm);
  const variables = Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
  const said = { presentation: toPresentation(variables), dnid: event.dnid };
  return uniqueid === '' ? [] : [{ type: 'presentation', at, uniqueid, ...said }];
}

/** Keys in lower case, values as UTF-8: as the link has them. */
function objectOf(frame: Buffer): Record<string, string | undefined> {
  return Object.fromEntries(
    [...frameFields(recordable(frame))].map(([key, value]) => [
      key.toLowerCase(),
      Buffer.from(value, 'latin1').toString('utf8'),
    ]),
  );
}
