import { channelName, firstLine } from '../../calls/line-break.ts';
import type { FieldKey, Fields } from './frame.ts';
import { layoutOf, longestKey, longestText, useOf } from './layout.ts';
import { hasWholeChannels, type PlacedLine, type Reading, readAs } from './reading.ts';

/** A frame as the framer cut it: an event's (`event` is its name), or another ('') . */
export type Frame = { readonly bytes: Buffer; readonly event: string; readonly at: number };

type Whole = Extract<Reading, { kind: 'whole' }>;

/** The event in hand: what it began with, and the frames that are in its values so far. */
type InHand =
  | { readonly kind: 'none' }
  /** It is cut in a value. */
  | { readonly kind: 'cut'; readonly frames: readonly Frame[] }
  /** `behind`: the frames behind it, which may be in one of its values. */
  | {
      readonly kind: 'whole';
      readonly frames: readonly Frame[];
      readonly reading: Whole;
      readonly behind: readonly Frame[];
    };

export type GuardState = {
  readonly inHand: InHand;
  /** How many bytes of the next frames may be in a value of an event that was cut, and whose rest is not found. */
  readonly doubtful: number;
};

export type GuardEvent =
  /** The next frame. What is kept of it is copied. */
  | { readonly type: 'frame'; readonly frame: Frame }
  /** Nothing else has come: Asterisk writes each event at once. */
  | { readonly type: 'settle' }
  /** The event in hand ends, whatever comes next. */
  | { readonly type: 'end' };

export type GuardEffect =
  | { readonly type: 'event'; readonly event: string; readonly fields: Fields; readonly at: number }
  | { readonly type: 'other'; readonly frame: Frame }
  | { readonly type: 'line-break' | 'refused'; readonly event: string };

type Step = { readonly state: GuardState; readonly effects: readonly GuardEffect[] };
type IsAnswer = (bytes: Buffer) => boolean;
type WholeInHand = Extract<InHand, { kind: 'whole' }>;

const none: InHand = { kind: 'none' };
export const newGuard: GuardState = { inHand: none, doubtful: 0 };

/**
 * Tells the lines that Asterisk wrote from those in a value: Asterisk writes numbers, extensions and names of channels as
 * they are, so a caller can put line breaks, lines and whole frames into an event.
 *
 * An event whose lines end too early goes on in the frames behind it, to the rest of its lines. An event that is whole is
 * handed on when more has come behind it than can be in one of its values, or when nothing else has come (`settle`): until
 * then, its end may be that of a value, and lines behind it may be its own.
 *
 * If an event is cut and its rest cannot be recognised, what comes within the length of a value is refused.
 * @param isAnswer true for the answer to an action of ours.
 */
export function nextGuard(state: GuardState, event: GuardEvent, isAnswer: IsAnswer): Step {
  switch (event.type) {
    case 'frame':
      return take(state, event.frame, isAnswer);
    case 'settle':
      return settle({ ...state, doubtful: 0 }, isAnswer);
    case 'end':
      return end(state, isAnswer);
  }
}

function take(before: GuardState, frame: Frame, isAnswer: IsAnswer): Step {
  const room = before.doubtful;
  const state = room === 0 ? before : { ...before, doubtful: room - Math.min(room, frame.bytes.length) };
  if (room > 0 && lastLineOf(frame) < room && !isAnswer(frame.bytes)) return refuse(state, frame.event);
  return place(state, frame, isAnswer);
}

/** What a frame is, given the event in hand. */
type Verdict =
  /** The beginning of an event, or more of the one in hand, which now reads like this. */
  | { readonly type: 'part'; readonly reading: Reading }
  /** `next`: the next event; `answer`: of ours, in no value; `undecided`: in a value or the next event, what follows will tell. */
  | { readonly type: 'next' | 'answer' | 'undecided' }
  /** `doubtful`: it cannot be told which of the frames are the event in hand; `wrong`: Asterisk does not write this. */
  | { readonly type: 'doubtful' | 'wrong' }
  /** Not for the guard. `isCut`: it ends in the name of a channel. */
  | { readonly type: 'other'; readonly isCut: boolean };

function place(state: GuardState, frame: Frame, isAnswer: IsAnswer): Step {
  const { inHand } = state;
  const frames = inHand.kind === 'none' ? [] : inHand.frames;
  const behind = inHand.kind === 'whole' ? inHand.behind : [];
  const all = [...frames, ...behind, frame];
  const verdict = verdictOn(inHand, frame, all, isAnswer);
  switch (verdict.type) {
    case 'part':
      return hold(state, all, verdict.reading);
    case 'undecided':
      return {
        state: { ...state, inHand: { ...(inHand as WholeInHand), behind: [...behind, copyOf(frame)] } },
        effects: [],
      };
    case 'next':
      return then(settle(state, isAnswer), (settled) => take(settled, frame, isAnswer));
    case 'answer':
      return then(end(state, isAnswer), (ended) => place(ended, frame, isAnswer));
    case 'doubtful': {
      const doubted = drop({ ...state, doubtful: longestText }, all);
      return takeAll(doubted, all.slice(inHand.kind === 'whole' ? frames.length : 1), isAnswer);
    }
    case 'wrong':
      return drop(state, all);
    case 'other':
      return {
        state: verdict.isCut ? { ...state, doubtful: longestText } : state,
        effects: [{ type: 'other', frame }],
      };
    default:
      return verdict satisfies never;
  }
}

function verdictOn(inHand: InHand, frame: Frame, all: readonly Frame[], isAnswer: IsAnswer): Verdict {
  if (inHand.kind === 'none') return asFirst(frame, isAnswer);
  if (isBeginning(frame) && isAnswer(frame.bytes)) return { type: 'answer' };
  if (inHand.kind === 'whole') return afterWhole(inHand, frame, all);
  const reading = read(all);
  // If the event does not go on, it was none, or bytes were lost. What came since may be right.
  return isReadable(reading) ? { type: 'part', reading } : { type: 'doubtful' };
}

function asFirst(frame: Frame, isAnswer: IsAnswer): Verdict {
  if (layoutOf(frame.event) === undefined)
    return { type: 'other', isCut: !hasWholeChannels(frame.bytes.toString('latin1')) };
  const reading = isBeginning(frame) ? read([frame]) : unreadable;
  if (isReadable(reading)) return { type: 'part', reading };
  // An answer of ours has no value that goes on and no line twice, and its lines are in another order.
  return isAnswer(frame.bytes) && !hasRepeatedKeys(frame)
    ? { type: 'other', isCut: false }
    : { type: 'wrong' };
}

/** A frame behind an event that is whole: it may be in one of its values all the same. */
function afterWhole({ frames, reading, behind }: WholeInHand, frame: Frame, all: readonly Frame[]): Verdict {
  const room = reachOf(frames, reading) - sizeOf(behind);
  const begins = isBeginning(frame);
  const plainly = begins ? unreadable : read(all);
  const mayGoOn = !isReadable(plainly) && (!begins || (room > 0 && hasBodyLine(frame, room)));
  const joined = mayGoOn ? read(all, true) : plainly;
  const goesOn =
    joined.kind === 'whole' && (!begins || goesOnIn(frame, joined, sizeOf(frames) + sizeOf(behind)));
  if (goesOn && !joined.isDisputed && (joined.broken === 1 || (!begins && behind.length === 0)))
    return { type: 'part', reading: joined };
  // It may also be that it does not, and that what one caller has written into two values leads on to another's event.
  if (goesOn || joined.kind === 'several') return { type: 'doubtful' };
  if (frame.bytes.length <= room && (begins || joined.kind === 'cut')) return { type: 'undecided' };
  return begins || behind.some((each) => isReadable(read([each]))) ? { type: 'next' } : { type: 'wrong' };
}

/** Refuses the event that these frames begin with. */
function drop(state: GuardState, [first]: readonly Frame[]): Step {
  return refuse({ ...state, inHand: none }, (first as Frame).event);
}

/** The frames' bytes are valid only now, but for those that are held already. */
function hold(state: GuardState, frames: readonly Frame[], reading: Reading): Step {
  const { inHand } = state;
  const held = inHand.kind === 'none' ? [] : inHand.frames;
  const copies = frames.map((frame) => (held.includes(frame) ? frame : copyOf(frame)));
  const next: InHand =
    reading.kind === 'whole'
      ? { kind: 'whole', frames: copies, reading, behind: [] }
      : { kind: 'cut', frames: copies };
  return { state: { ...state, inHand: next }, effects: [] };
}

/** Hands on the event in hand if it is whole, and what is behind it. */
function settle(state: GuardState, isAnswer: IsAnswer): Step {
  const { inHand } = state;
  if (inHand.kind !== 'whole') return { state, effects: [] };
  const { frames, reading, behind } = inHand;
  const { event, at } = frames[0] as Frame;
  const handedOn: GuardEffect = { type: 'event', event, fields: fieldsOf(frames, reading), at };
  const step: Step = {
    state: { ...state, inHand: none },
    effects:
      reading.broken > 0 || reading.isDisputed ? [{ type: 'line-break', event }, handedOn] : [handedOn],
  };
  return behind.length === 0 ? step : then(takeAll(step, behind, isAnswer), (next) => settle(next, isAnswer));
}

function end(state: GuardState, isAnswer: IsAnswer): Step {
  return then(settle(state, isAnswer), (settled) => {
    const { inHand } = settled;
    if (inHand.kind === 'none') return { state: settled, effects: [] };
    const dropped = drop(settled, inHand.frames);
    return then(takeAll(dropped, inHand.frames.slice(1), isAnswer), (next) => end(next, isAnswer));
  });
}

function takeAll(step: Step, frames: readonly Frame[], isAnswer: IsAnswer): Step {
  return frames.reduce((so, frame) => then(so, (state) => take(state, frame, isAnswer)), step);
}

function then({ state, effects }: Step, go: (state: GuardState) => Step): Step {
  const next = go(state);
  return { state: next.state, effects: effects.length === 0 ? next.effects : [...effects, ...next.effects] };
}

function refuse(state: GuardState, event: string): Step {
  return { state, effects: [{ type: 'refused', event }] };
}

const unreadable: Reading = { kind: 'unreadable' };
/** Of an event with two layouts, what one of them says is believed before what the other one says. */
const certainty: readonly Reading['kind'][] = ['unreadable', 'cut', 'several'];
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

/** True if a line within this distance is not one of those with which every event and answer begins. */
function hasBodyLine({ bytes }: Frame, room: number): boolean {
  const keys = bytes.toString('latin1', 0, room + longestKey).matchAll(/^[^:\r\n]+(?=:)/gm);
  return keys.some(({ 0: key, index }) => index <= room && !/^(Event|Privilege|ActionID|Channel)$/.test(key));
}

function read(frames: readonly Frame[], hasEvents = false): Reading {
  const text = bytesOf(frames).toString('latin1');
  const known = layoutOf(frames[0]?.event ?? '');
  let best = unreadable;
  for (const layout of known?.layouts ?? []) {
    const reading = readAs(text, layout, known?.keys as ReadonlySet<string>, useOf, hasEvents);
    if (reading.kind === 'whole') return reading;
    if (certainty.indexOf(reading.kind) > certainty.indexOf(best.kind)) best = reading;
  }
  return best;
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
    const isAsked = (line: PlacedLine) =>
      line.key === key &&
      (name === '' || bytes.toString('latin1', line.value, line.value + name.length) === name);
    const line = lines.find(isAsked);
    if (line === undefined || line.isDisputed || lines.findLast(isAsked) !== line) return undefined;
    if (isName(key)) return channelName(bytes.toString('utf8', line.value, line.behind));
    return firstLine(bytes.toString('utf8', line.value + name.length, line.end));
  };
}

function isName(key: string): boolean {
  return key.endsWith('Channel') || key === 'Newname';
}
