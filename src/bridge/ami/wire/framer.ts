import { responsePrefix } from './frame.ts';

/** The names of events are slices of a bigger string: a name that is kept must be copied. */
type FramerHandlers = {
  /** The first line, without its line end; cut off when it is too long. */
  onGreeting(line: string): void;
  /**
   * A whole frame and its event's name, '' if it is none. It ends with a blank line and is valid only during the call.
   */
  onFrame(frame: Buffer, event: string): void;
  /** A frame too long to keep; `name` is its event's, 'Response', or ''. */
  onTooLong(name: string): void;
};

/** Bytes of a greeting; Asterisk's own has 30. */
const maxGreeting = 256;
/** Characters of an event's name; Asterisk's longest has 30. */
const maxName = 64;
/** Bytes of a line without its line feed. Asterisk's own lines stay under 1 KB. */
export const maxLine = 16 * 1024;
/** Bytes of a frame with its line ends. */
export const maxFrame = 64 * 1024;

const LF = 10;
const CR = 13;
const eventPrefix = 'Event: ';
/** Text is searched with one character for each byte, since a string's own search is the fastest. */
const blankLine = /\r*\n/y;
const blankLineBehind = /\n\r*\n/g;

/**
 * AMI framing on bytes: a greeting line, then frames, each some lines and a blank one.
 * Only a frame's first line is read here: most events are not needed.
 * Survives any split of the bytes, lines that end in CR LF or LF alone, and lines without end: what is too
 * long costs that frame alone, and never more memory than one frame may take.
 */
export function createFramer(handlers: FramerHandlers) {
  /** `overlong`: in the rest of a greeting that was handed on cut off. */
  let phase: 'greeting' | 'overlong' | 'frames' = 'greeting';
  /** What earlier chunks held of the frame in hand. */
  const carried = createFrameBuffer();
  /** Whether the line in hand is blank so far. */
  let blank = true;
  let stopped = false;

  /** Takes the next bytes. The framer keeps no reference to them. */
  function push(chunk: Buffer): void {
    const from = phase === 'frames' ? 0 : takeGreeting(chunk);
    const text = chunk.toString('latin1');
    let start = from;
    for (let end = frameEnd(text, start, blank); end > 0 && !stopped; end = frameEnd(text, start, blank)) {
      endFrame(chunk, text, start, end);
      start = end;
    }
    if (start === chunk.length) return;
    carried.add(chunk, start, chunk.length);
    let last = text.length - 1;
    while (last > start && text.charCodeAt(last) === CR) last--;
    if (text.charCodeAt(last) !== CR) blank = text.charCodeAt(last) === LF;
  }

  /** Returns where the frames begin in the chunk. */
  function takeGreeting(chunk: Buffer): number {
    const end = chunk.indexOf(LF);
    if (phase === 'greeting') {
      carried.add(chunk, 0, Math.min(end < 0 ? chunk.length : end, maxGreeting));
      if (end < 0 && carried.length() < maxGreeting) return chunk.length;
      const line = carried.bytes().toString('latin1', 0, maxGreeting);
      carried.clear();
      handlers.onGreeting(line.replace(/\r+$/, ''));
    }
    phase = end < 0 ? 'overlong' : 'frames';
    return end < 0 ? chunk.length : end + 1;
  }

  function endFrame(chunk: Buffer, text: string, start: number, end: number): void {
    if (carried.length() > 0) {
      carried.add(chunk, start, end);
      const bytes = carried.bytes();
      handOn(handlers, bytes, bytes.toString('latin1'), 0, bytes.length, carried.isTooLong());
      carried.clear();
    } else handOn(handlers, chunk, text, start, end, end - start > maxFrame);
    blank = true;
  }

  return {
    push,
    /** True if a part of a frame has come, and the rest has not. */
    hasPart: () => carried.length() > 0,
    /** Stops: no more frames are handed on, not even those left in the present chunk. */
    stop() {
      stopped = true;
    },
  };
}

/** Holds the parts of a frame until its end comes: at most `maxFrame` bytes. */
export function createFrameBuffer() {
  const buffer = Buffer.allocUnsafe(maxFrame);
  let length = 0;
  let tooLong = false;

  return {
    /** What does not fit is left out, but the beginning, which has the name, stays. */
    add(chunk: Buffer, start: number, end: number) {
      if (end - start > maxFrame - length) tooLong = true;
      if (length < maxFrame) length += chunk.copy(buffer, length, start, end);
    },
    /** Valid until the next `add`. */
    bytes: () => buffer.subarray(0, length),
    length: () => length,
    isTooLong: () => tooLong,
    clear() {
      length = 0;
      tooLong = false;
    },
  };
}

/** Where a frame ends, behind its blank line; 0 if that has not come yet. `blank`: the line in hand is, so far. */
function frameEnd(text: string, from: number, blank: boolean): number {
  blankLine.lastIndex = from;
  if (blank && blankLine.test(text)) return blankLine.lastIndex;
  blankLineBehind.lastIndex = from;
  return blankLineBehind.test(text) ? blankLineBehind.lastIndex : 0;
}

/** Hands on the frame of these bytes, which are also `text`, unless it is blank. */
function handOn(
  handlers: FramerHandlers,
  bytes: Buffer,
  text: string,
  start: number,
  end: number,
  tooLong: boolean,
): void {
  if (isBlank(text, start, end)) return;
  const event = eventName(text, start);
  if (tooLong || (end - start > maxLine && hasLongLine(text.slice(start, end))))
    handlers.onTooLong(event === '' && text.startsWith(responsePrefix, start) ? 'Response' : event);
  else handlers.onFrame(bytes.subarray(start, end), event);
}

/** A frame that is only a blank line: what `\r\n\r\n\n` leaves behind. */
function isBlank(text: string, start: number, end: number): boolean {
  let at = start;
  while (text.charCodeAt(at) === CR) at++;
  return at === end - 1;
}

function hasLongLine(frame: string): boolean {
  return frame.split('\n').some((line) => line.length > maxLine);
}

/** '' when the frame is no event's, or the name is too long to be one. */
function eventName(text: string, start: number): string {
  if (!text.startsWith(eventPrefix, start)) return '';
  const from = start + eventPrefix.length;
  let to = from;
  while (to - from <= maxName && text.charCodeAt(to) !== LF && text.charCodeAt(to) !== CR) to++;
  return to - from > maxName ? '' : text.slice(from, to);
}
