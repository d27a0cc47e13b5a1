/**
 * AMI framing on bytes: a greeting line, then frames, each some lines and a blank one.
 * Only a frame's first line is looked at here, so that the many events nobody needs cost next to nothing.
 * Survives any split of the bytes, lines that end in CR LF or LF alone, and lines without end: what is too
 * long costs that frame alone, and never more memory than one frame may take.
 */
export type Framer = {
  /** Takes the next bytes. The framer keeps no reference to them. */
  push(chunk: Buffer): void;
};

export type FramerHandlers = {
  /** The first line, without its line end; cut off when it is too long. */
  onGreeting(line: string): void;
  /** Whether frames of events with this name are handed on. */
  wants(event: string): boolean;
  /** An event that is wanted. `frame` ends with a blank line and is valid only during the call. */
  onEvent(frame: Buffer, event: string): void;
  onResponse(frame: Buffer): void;
  /** An event nobody wants; '' for a frame that is neither event nor response. */
  onIgnored(event: string): void;
  /** A frame too long to keep; `name` is its event's, 'Response', or ''. */
  onLost(name: string): void;
  /** Sees every whole frame before it is handed on or ignored: the recorder's tap. */
  onFrame?: ((frame: Buffer) => void) | undefined;
};

/** Bytes of a greeting; Asterisk's own has 30. */
const maxGreeting = 256;
/** Bytes of an event's name; Asterisk's longest has 30. */
const maxName = 64;
/** Bytes of a line without its line end. Asterisk's own lines stay under 1 KB. */
export const maxLine = 16 * 1024;
/** Bytes of a frame with its line ends. */
export const maxFrame = 64 * 1024;

const LF = 10;
const CR = 13;
const eventPrefix = Buffer.from('Event: ');
const responsePrefix = Buffer.from('Response: ');

export function createFramer(handlers: FramerHandlers): Framer {
  /** `overlong`: in the rest of a greeting that was handed on cut off. */
  let phase: 'greeting' | 'overlong' | 'frames' = 'greeting';
  /** What earlier chunks held of the frame in hand. */
  const carried = Buffer.allocUnsafe(maxFrame);
  let carriedLength = 0;
  /** How much of the line in hand earlier chunks held. */
  let lineLength = 0;
  /** Whether the line in hand is blank so far. */
  let blank = true;
  let tooLong = false;

  function push(chunk: Buffer): void {
    const length = chunk.length;
    let start = phase === 'frames' ? 0 : takeGreeting(chunk);
    let lineStart = start;
    for (let at = start; at < length; at++) {
      const byte = chunk[at];
      if (byte === LF) {
        if (lineLength + at - lineStart > maxLine) tooLong = true;
        if (blank) {
          endFrame(chunk, start, at + 1);
          start = at + 1;
        }
        lineStart = at + 1;
        lineLength = 0;
        blank = true;
      } else if (byte !== CR) {
        blank = false;
      }
    }
    lineLength += length - lineStart;
    if (start < length) carry(chunk, start, length);
  }

  /** Gives where the frames begin in the chunk. */
  function takeGreeting(chunk: Buffer): number {
    const end = chunk.indexOf(LF);
    if (phase === 'greeting') {
      carry(chunk, 0, Math.min(end < 0 ? chunk.length : end, maxGreeting));
      if (end < 0 && carriedLength < maxGreeting) return chunk.length;
      const line = carried.toString('latin1', 0, Math.min(carriedLength, maxGreeting));
      carriedLength = 0;
      handlers.onGreeting(line.replace(/\r+$/, ''));
    }
    phase = end < 0 ? 'overlong' : 'frames';
    return end < 0 ? chunk.length : end + 1;
  }

  function carry(chunk: Buffer, start: number, end: number): void {
    // What does not fit is left out, but the beginning, which has the name, stays.
    if (end - start > maxFrame - carriedLength) tooLong = true;
    if (carriedLength < maxFrame) carriedLength += chunk.copy(carried, carriedLength, start, end);
  }

  function endFrame(chunk: Buffer, start: number, end: number): void {
    if (carriedLength > 0) {
      carry(chunk, start, end);
      finish(carried, 0, carriedLength);
    } else {
      if (end - start > maxFrame) tooLong = true;
      finish(chunk, start, end);
    }
    carriedLength = 0;
    tooLong = false;
  }

  function finish(bytes: Buffer, start: number, end: number): void {
    if (isBlank(bytes, start, end)) return;
    const event = nameAfter(eventPrefix, bytes, start, end);
    const response = event === '' && startsWith(responsePrefix, bytes, start);
    if (tooLong) {
      handlers.onLost(response ? 'Response' : event);
      return;
    }
    handlers.onFrame?.(bytes.subarray(start, end));
    if (response) handlers.onResponse(bytes.subarray(start, end));
    else if (event !== '' && handlers.wants(event)) handlers.onEvent(bytes.subarray(start, end), event);
    else handlers.onIgnored(event);
  }

  return { push };
}

/** A frame that is only a blank line: what `\r\n\r\n\n` leaves behind. */
function isBlank(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (bytes[at] === CR) at++;
  return at === end - 1;
}

function startsWith(prefix: Buffer, bytes: Buffer, start: number): boolean {
  for (let at = 0; at < prefix.length; at++) if (bytes[start + at] !== prefix[at]) return false;
  return true;
}

/** The rest of a first line that begins with the prefix; '' when it does not, or is too long to be a name. */
function nameAfter(prefix: Buffer, bytes: Buffer, start: number, end: number): string {
  if (!startsWith(prefix, bytes, start)) return '';
  const from = start + prefix.length;
  const limit = Math.min(end, from + maxName + 1);
  let to = from;
  while (to < limit && bytes[to] !== LF && bytes[to] !== CR) to++;
  return to === limit ? '' : bytes.toString('latin1', from, to);
}
