import { channelName, firstLine } from '../../calls/line-break.ts';
import type { FieldKey, Fields } from './frame.ts';
import { isUsed, layoutOf, longestKey, longestText } from './layout.ts';
import { hasWholeChannels, type Reading, readAs } from './reading.ts';

/** A frame as the framer cut it: an event's (`event` is its name), or another ('') . */
type Frame = { readonly bytes: Buffer; readonly event: string; readonly at: number };

export type EventGuardHandlers = {
  /** An event whose lines the bridge knows. `fields` has what Asterisk wrote, and is valid only during the call. */
  onEvent(event: string, fields: Fields, at: number): void;
  /** Any other frame, valid only during the call. */
  onOther(frame: Frame): void;
  /** True for the answer to an action of ours, by its ActionID, which nobody else can know. */
  isAnswer(bytes: Buffer): boolean;
  /** A value of this event had a line break. The event itself is handed on, without what the value added. */
  onLineBreak(event: string): void;
  /** The event is not as Asterisk writes it, or it is not certain which of its lines Asterisk wrote. */
  onRefused(event: string): void;
};

type Whole = Extract<Reading, { kind: 'whole' }>;

/**
 * Tells the lines that Asterisk wrote from those in a value: Asterisk writes numbers, extensions and names of channels as
 * they are, so a caller can put line breaks, lines and whole frames into an event.
 *
 * An event whose lines end too early goes on in the frames behind it, to the rest of its lines. An event that is whole is
 * handed on when more has come behind it than can be in one of its values, or when nothing else has come (`settle`): until
 * then, its end may be that of a value, and lines behind it may be its own.
 *
 * If an event is cut and its rest cannot be told, what comes within the length of a value is refused.
 */
export function createEventGuard(handlers: EventGuardHandlers) {
  /** The frames of the event in hand: what it began with, and what is in its values so far. */
  let held: Frame[] = [];
  /** What they are together; undefined while an event is cut in a value. */
  let reading: Whole | undefined;
  /** The frames behind an event that is whole, which may be in one of its values. */
  let behind: Frame[] = [];
  /** How many bytes of the next frames may be in a value of an event that was cut, and whose rest is not found. */
  let doubtful = 0;

  /** Takes the next frame, which is valid only during the call. */
  function push(frame: Frame): void {
    const room = doubtful;
    doubtful -= Math.min(doubtful, frame.bytes.length);
    if (room > 0 && lastLineOf(frame) < room && !handlers.isAnswer(frame.bytes))
      handlers.onRefused(frame.event);
    else if (held.length === 0) begin(frame);
    else if (isBeginning(frame) && handlers.isAnswer(frame.bytes)) {
      end();
      begin(frame);
    } else if (reading === undefined) goOn(frame);
    else follow(frame);
  }

  function begin(frame: Frame): void {
    if (layoutOf(frame.event) === undefined) {
      handlers.onOther(frame);
      if (!hasWholeChannels(frame.bytes.toString('latin1'))) doubtful = longestText;
      return;
    }
    const it = isBeginning(frame) ? read([frame]) : unreadable;
    if (isReadable(it)) hold([frame], it);
    // It has no value that goes on and no line twice: what answers us is written in another order.
    else if (handlers.isAnswer(frame.bytes) && !hasRepeatedKeys(frame)) handlers.onOther(frame);
    else handlers.onRefused(frame.event);
  }

  /** A frame behind one that was cut. */
  function goOn(frame: Frame): void {
    const frames = [...held, frame];
    const it = read(frames);
    if (isReadable(it)) {
      hold(frames, it);
      return;
    }
    // The event does not go on: it was none, or bytes were lost. What came since may be right.
    distrust(frames.slice(1));
  }

  /** A frame behind an event that is whole. */
  function follow(frame: Frame): void {
    const others = [...behind, frame];
    const room = reachOf(held, reading) - sizeOf(behind);
    const before = sizeOf(held) + sizeOf(behind);
    const begins = isBeginning(frame);
    const all = [...held, ...others];
    const plainly = begins ? unreadable : read(all);
    const mayGoOn = !isReadable(plainly) && (!begins || (room > 0 && hasBodyLine(frame, room)));
    const joined = mayGoOn ? read(all, true) : plainly;
    const goesOn = joined.kind === 'whole' && (!begins || goesOnIn(frame, joined, before));
    if (goesOn && (joined.broken === 1 || (!begins && behind.length === 0))) {
      behind = [];
      hold(all, joined);
    } else if (goesOn || joined.kind === 'several') {
      // Or it does not, and what one caller has written into two values leads on to another's event.
      distrust(others);
    } else if (frame.bytes.length <= room && (begins || joined.kind === 'cut')) behind.push(copyOf(frame));
    else if (begins || behind.some((each) => isReadable(read([each])))) {
      settle();
      push(frame);
    } else drop();
  }

  /** Refuses the event in hand. */
  function drop(): void {
    const { event } = held[0] as Frame;
    held = [];
    behind = [];
    reading = undefined;
    handlers.onRefused(event);
  }

  /** Refuses it, and of the frames behind it those that may be in one of its values. */
  function distrust(others: readonly Frame[]): void {
    drop();
    doubtful = longestText;
    for (const each of others) push(each);
  }

  function hold(frames: readonly Frame[], it: Reading): void {
    // The frame's bytes are valid only now.
    held = frames.map((frame) => (held.includes(frame) ? frame : copyOf(frame)));
    reading = it.kind === 'whole' ? it : undefined;
  }

  /** Hands on the event in hand if it is whole, and what is behind it: Asterisk writes each event at once. */
  function settle(): void {
    while (reading !== undefined && held.length > 0) {
      const [frames, it, others] = [held, reading, behind];
      held = [];
      behind = [];
      reading = undefined;
      const { event, at } = frames[0] as Frame;
      if (it.broken > 0) handlers.onLineBreak(event);
      handlers.onEvent(event, fieldsOf(frames, it), at);
      for (const each of others) push(each);
    }
  }

  /** Ends the event in hand, whatever comes next. */
  function end(): void {
    settle();
    if (held.length === 0) return;
    const others = held.slice(1);
    drop();
    for (const each of others) push(each);
    end();
  }

  return {
    push,
    settle() {
      doubtful = 0;
      settle();
    },
    end,
  };
}

const unreadable: Reading = { kind: 'unreadable' };
const isReadable = ({ kind }: Reading) => kind === 'whole' || kind === 'cut';

const copyOf = (frame: Frame): Frame => ({ ...frame, bytes: Buffer.from(frame.bytes) });
const sizeOf = (frames: readonly Frame[]) => frames.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** Whether the event that is read like this has its last lines in the frame that begins at `start`, and not in its channel's name. */
function goesOnIn(frame: Frame, { lines }: Whole, start: number): boolean {
  if ((lines.at(-1)?.value ?? 0) <= start) return false;
  const alone = read([frame]);
  if (alone.kind !== 'whole') return true;
  const place = Math.max(...lines.filter(({ value }) => value < start).map(({ behind }) => behind)) - start;
  return !alone.lines.some(
    ({ key, value, end, behind }) => isName(key) && behind > end && place >= value && place < behind,
  );
}

/** How many bytes behind the event one of its values could reach at most, as it is read now, with the end of its line. */
function reachOf(frames: readonly Frame[], it: Whole | undefined): number {
  const raws = layoutOf(frames[0]?.event ?? '')?.raws;
  let reach = 0;
  // Behind the value of its last line, it has no more.
  for (const { key, value } of it?.lines.slice(0, -1) ?? [])
    reach = Math.max(reach, value + (raws?.get(key) ?? 0) + '\r\n'.length);
  return reach - sizeOf(frames);
}

/** True if one of the lines that begin so near is none of those with which each event and answer begins. */
function hasBodyLine({ bytes }: Frame, room: number): boolean {
  const keys = bytes.toString('latin1', 0, room + longestKey).matchAll(/^[^:\r\n]+(?=:)/gm);
  return keys.some(({ 0: key, index }) => index <= room && !/^(Event|Privilege|ActionID|Channel)$/.test(key));
}

function read(frames: readonly Frame[], hasEvents = false): Reading {
  const text = bytesOf(frames).toString('latin1');
  const known = layoutOf(frames[0]?.event ?? '');
  const readings = known?.layouts.map((layout) => readAs(text, layout, known.keys, isUsed, hasEvents)) ?? [];
  return (
    readings.find(({ kind }) => kind === 'whole') ??
    readings.find(({ kind }) => kind === 'several') ??
    readings.find(({ kind }) => kind === 'cut') ??
    unreadable
  );
}

/** Where the value of its last line begins, if it is an event that the bridge knows; where it ends, if not. */
function lastLineOf(frame: Frame): number {
  const it = read([frame]);
  return (it.kind === 'whole' && it.lines.at(-1)?.value) || frame.bytes.length;
}

/** A channel has several variables. */
function hasRepeatedKeys({ bytes }: Frame): boolean {
  const keys = bytes.toString('latin1').match(/^[^:\r\n]+(?=:)/gm) ?? [];
  const others = keys.filter((key) => key !== 'Variable');
  return new Set(others).size < others.length;
}

/** True if the frame begins as Asterisk begins each event and answer. */
function isBeginning({ bytes }: Frame): boolean {
  return /^(?:Event: [^\r\n]+\r*\n(?:Privilege|ActionID): |Response: [^\r\n]+\r*\nActionID: )/.test(
    bytes.toString('latin1', 0, 200),
  );
}

function bytesOf(frames: readonly Frame[]): Buffer {
  return frames.length === 1 ? (frames[0] as Frame).bytes : Buffer.concat(frames.map(({ bytes }) => bytes));
}

/** The values of the lines that Asterisk wrote; of keys that are repeated, none. */
function fieldsOf(frames: readonly Frame[], { lines }: Whole): Fields {
  const bytes = bytesOf(frames);
  return (fieldKey: FieldKey) => {
    const colon = fieldKey.indexOf(':');
    const key = fieldKey.slice(1, colon);
    /** What the value begins with: the name of a variable. */
    const name = fieldKey.slice(colon + 1).trimStart();
    const found = lines.filter(
      (line) => line.key === key && bytes.toString('latin1', line.value, line.value + name.length) === name,
    );
    const [line] = found;
    if (line === undefined || found.length > 1) return undefined;
    if (isName(key)) return channelName(bytes.toString('utf8', line.value, line.behind));
    return firstLine(bytes.toString('utf8', line.value + name.length, line.end));
  };
}

function isName(key: string): boolean {
  return key.endsWith('Channel') || key === 'Newname';
}
