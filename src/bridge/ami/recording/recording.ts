import { isUtf8 } from 'node:buffer';
import type { Input } from '../../calls/input.ts';
import { toInput, toPriorityStatus, toSnapshotBridge, toSnapshotChannel, toStatus } from '../events.ts';
import { createEventGuard } from '../wire/event-guard.ts';
import { type Fields, readFields } from '../wire/frame.ts';

/** What was on the PBX when the recording began. */
type RecordingHeader = {
  /** Asterisk's version, such as `22.10.0`; '' when unknown. */
  readonly asterisk: string;
  /** The row of the matrix, or another name for the recording. */
  readonly row: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Whether numbers and names have stand-ins; undefined if the recorder did not say so. */
  readonly masked?: boolean;
  /** CoreShowChannel frames, one for each channel. */
  readonly channels: readonly string[];
  /** BridgeListItem frames, one for each bridge. */
  readonly bridges: readonly string[];
};

/** One AMI frame as Asterisk sent it: its lines joined by CR LF, without the blank line that ends it. */
export type RecordedFrame = {
  /** Milliseconds since the header's startedAt. */
  readonly ms: number;
  readonly frame: Buffer;
};

export type Recording = RecordingHeader & { readonly frames: readonly RecordedFrame[] };

/** A recording that cannot be read; the message names the line. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

/** The first line of a recording, with its line feed. */
export function formatRecordingHeader(header: RecordingHeader): string {
  const { asterisk, row, startedAt, masked, channels, bridges } = header;
  return `${JSON.stringify({ recording: 1, asterisk, row, startedAt, masked, channels, bridges })}\n`;
}

/**
 * One frame's line, with its line feed. Bytes that are not UTF-8 are kept as they were, one character
 * each, under `frameLatin1`, so that a replay puts exactly the same bytes on the wire.
 */
export function formatRecordedFrame({ ms, frame }: RecordedFrame): string {
  const text = isUtf8(frame) ? { frame: frame.toString('utf8') } : { frameLatin1: frame.toString('latin1') };
  return `${JSON.stringify({ ms, ...text })}\n`;
}

/**
 * Reads a whole recording. A last line without its line feed is left out when it does not parse: the
 * recorder was killed while it wrote.
 * @throws RecordingError for anything else that is not a recording.
 */
export function parseRecording(text: string): Recording {
  const lines = text.split('\n');
  const unfinished = lines.pop() ?? '';
  const header = parseHeader(lines[0] ?? unfinished);
  const frames = lines.slice(1).map((line, index) => parseFrame(line, index + 2));
  if (unfinished !== '' && lines.length > 0) {
    try {
      frames.push(parseFrame(unfinished, lines.length + 1));
    } catch {
      // The recorder was killed while it wrote this line.
    }
  }
  return { ...header, frames };
}

function parseHeader(line: string): RecordingHeader {
  const it = parseObject(line, 1);
  if (it.recording !== 1) throw new RecordingError('line 1: not a recording (it lacks "recording":1)');
  const { asterisk, row, startedAt, masked, channels, bridges } = it;
  if (typeof asterisk !== 'string' || typeof row !== 'string' || !isTime(startedAt)) {
    throw new RecordingError('line 1: asterisk, row and startedAt must be there');
  }
  if (!isTexts(channels) || !isTexts(bridges)) {
    throw new RecordingError('line 1: channels and bridges must be lists of frames as text');
  }
  const is = typeof masked === 'boolean' ? { masked } : {};
  return { asterisk, row, startedAt, ...is, channels, bridges };
}

function parseFrame(line: string, number: number): RecordedFrame {
  const { ms, frame, frameLatin1 } = parseObject(line, number);
  if (!isTime(ms)) throw new RecordingError(`line ${number}: ms must be a number, 0 or more`);
  if (typeof frame === 'string') return { ms, frame: Buffer.from(frame, 'utf8') };
  if (typeof frameLatin1 === 'string') return { ms, frame: Buffer.from(frameLatin1, 'latin1') };
  throw new RecordingError(`line ${number}: neither frame nor frameLatin1 is there`);
}

function parseObject(line: string, number: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new RecordingError(`line ${number}: not JSON`);
  }
  if (typeof value !== 'object' || value === null) throw new RecordingError(`line ${number}: not an object`);
  return value as Record<string, unknown>;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** The tracker's inputs from a recording: the snapshot that it begins with, then every event in its time. */
export function inputsOf({ startedAt, channels, bridges, frames }: Recording): Input[] {
  const snapshot: Input = {
    type: 'snapshot',
    at: startedAt,
    channels: rows(channels, toSnapshotChannel),
    bridges: rows(bridges, toSnapshotBridge),
  };
  return [snapshot, ...read(timed({ startedAt, frames }), inputOf)];
}

/** The Uniqueids of the callers whose priority the dialplan had asked for when it dialled the first phone. */
export function lookedUpIn(recording: Recording): Set<string> {
  const found = read(timed(recording), (event, fields) => {
    if (event !== 'Status' || !toPriorityStatus(fields)) return undefined;
    return toStatus(fields).uniqueid;
  });
  return new Set(found);
}

const timed = ({ startedAt, frames }: Pick<Recording, 'startedAt' | 'frames'>) =>
  frames.map(({ ms, frame }) => ({ frame, at: startedAt + ms }));

function rows<Row>(texts: readonly string[], toRow: (fields: Fields) => Row | undefined): Row[] {
  const frames = texts.map((text) => ({ frame: Buffer.from(text), at: 0 }));
  return read(frames, (_event, fields) => toRow(fields), { areAnswers: true });
}

/** What `toResult` makes of each event that Asterisk wrote, as on a connection. */
function read<Result>(
  frames: readonly { readonly frame: Buffer; readonly at: number }[],
  toResult: (event: string, fields: Fields, at: number) => Result | undefined,
  { areAnswers = false } = {},
): Result[] {
  const results: Result[] = [];
  const nothing = (): void => {};
  const add = (...said: Parameters<typeof toResult>): void => {
    const result = toResult(...said);
    if (result !== undefined) results.push(result);
  };
  const guard = createEventGuard({
    onEvent: add,
    onOther({ bytes, event, at }) {
      if (areAnswers) add(event, readFields(bytes), at);
    },
    isAnswer: () => areAnswers,
    onLineBreak: nothing,
    onRefused: nothing,
  });
  for (const { frame, at } of frames)
    guard.push({ bytes: Buffer.concat([frame, blankLine]), event: eventOf(frame), at });
  guard.end();
  return results;
}

const blankLine = Buffer.from('\r\n\r\n');

function eventOf(frame: Buffer): string {
  return /^Event: ([^\r\n]*)/.exec(frame.toString('latin1', 0, 100))?.[1] ?? '';
}

function inputOf(event: string, fields: Fields, at: number): Input | undefined {
  const isAnswer = event === 'Status' && toPriorityStatus(fields) === undefined;
  const status = isAnswer ? toStatus(fields) : undefined;
  return status?.uniqueid ? { type: 'presentation', at, ...status } : toInput(event, fields, at);
}
