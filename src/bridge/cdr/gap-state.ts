import type { LogFields } from '../../shared/log/log.ts';
import type { MessageCode } from '../../shared/log/messages.ts';
import { type Checkpoint, nextSince, possibleSince } from './checkpoint.ts';

/** Since when (Unix ms) and why records cannot be read. */
export type Unreadable = { readonly source: string; readonly error: string; readonly since: number };

/** What was done since `cdr.filled` was logged. */
type Counts = Readonly<Record<'reported' | 'ended' | 'unrecorded' | 'notReported' | 'known' | 'old', number>>;

/** How far the gap filler is. Times are Unix ms. */
export type GapState = {
  /** The name of the source. */
  readonly source: string;
  /** Where reading goes on; undefined until that is determined. */
  readonly position: unknown;
  /** Calls that began before are not reported. */
  readonly since: number;
  /** The last checkpoint that was stored, and its `since`. */
  readonly stored: { readonly text: string; readonly since: number };
  readonly reads: number;
  /** Snapshots of the PBX whose gaps have been filled: each one ends a gap. */
  readonly filled: number;
  readonly counts: Counts;
  /** Absent while the records can be read. */
  readonly unreadable?: Unreadable | undefined;
};

export type GapEvent =
  /** A stored checkpoint was found, or there is none and reading begins at the end. */
  | { readonly type: 'going-on'; readonly text: string; readonly checkpoint: Checkpoint }
  | { readonly type: 'from-now'; readonly position: unknown; readonly now: number }
  | { readonly type: 'read-begins' }
  /** `since` may be in the future, if a clock was ahead. */
  | { readonly type: 'check-since'; readonly now: number }
  /** Records up to `next` are pending; `pending`: all uniqueids that are. */
  | {
      readonly type: 'chunk-read';
      readonly next: unknown;
      readonly atEnd: boolean;
      readonly pending: Iterable<string>;
      readonly now: number;
      readonly keepMs: number;
    }
  | { readonly type: 'count'; readonly what: keyof Counts }
  | { readonly type: 'stored'; readonly text: string; readonly since: number }
  /** A read has ended; `isQuiet`: all records are read, and no call waits for more. */
  | { readonly type: 'read-ended'; readonly isQuiet: boolean; readonly snapshots: number }
  | { readonly type: 'failed'; readonly error: string; readonly now: number };

/** A line for the log. */
type Say = { readonly code: MessageCode; readonly fields: LogFields };

const none: Counts = { reported: 0, ended: 0, unrecorded: 0, notReported: 0, known: 0, old: 0 };

/** Every 300th read, about every ten minutes, is thorough even without a gap. */
const THOROUGH_EVERY = 300;

/** How long the ledger keeps calls if their records cannot be read, ms. */
const LONGEST_GAP_MS = 90 * 86_400_000;

export function newGapState(source: string): GapState {
  return {
    source,
    position: undefined,
    since: 0,
    stored: { text: '', since: 0 },
    reads: 0,
    filled: 0,
    counts: none,
  };
}

export function nextGap(state: GapState, event: GapEvent): readonly [GapState, ...Say[]] {
  const { source, since } = state;
  switch (event.type) {
    case 'going-on': {
      const { text, checkpoint } = event;
      const { position, since } = checkpoint;
      return [{ ...state, position, since, stored: { text, since } }, say('cdr.going-on', { source })];
    }
    case 'from-now': {
      const { position, now } = event;
      return [
        { ...state, position, since: Math.floor(now / 1_000) * 1_000 },
        say('cdr.from-now', { source }),
      ];
    }
    case 'read-begins':
      return [{ ...state, reads: state.reads + 1 }];
    case 'check-since': {
      const possible = possibleSince(since, event.now);
      if (possible === since) return [state];
      const [was, is] = [since, possible].map((at) => new Date(at).toISOString());
      return [{ ...state, since: possible }, say('cdr.clock-was-ahead', { source, was, since: is })];
    }
    case 'chunk-read': {
      const { next, atEnd, pending } = event;
      return [{ ...state, position: next, since: atEnd ? nextSince(since, event, pending) : since }];
    }
    case 'count':
      return [{ ...state, counts: { ...state.counts, [event.what]: state.counts[event.what] + 1 } }];
    case 'stored':
      return [{ ...state, stored: { text: event.text, since: event.since } }];
    case 'read-ended':
      return endRead(state, event);
    case 'failed': {
      if (state.unreadable !== undefined) return [state];
      const { error, now } = event;
      return [
        { ...state, unreadable: { source, error, since: now } },
        say('cdr.unreadable', { source, error }),
      ];
    }
  }
}

function endRead(
  { unreadable, ...state }: GapState,
  { isQuiet, snapshots }: Extract<GapEvent, { type: 'read-ended' }>,
): readonly [GapState, ...Say[]] {
  const readable = unreadable === undefined ? [] : [say('cdr.readable', { source: state.source })];
  const { reported, ended, unrecorded, notReported } = state.counts;
  const isAfterGap = snapshots > state.filled;
  if (!isQuiet || (!isAfterGap && Math.max(reported, ended, unrecorded, notReported) === 0))
    return [state, ...readable];
  return [{ ...state, filled: snapshots, counts: none }, say('cdr.filled', state.counts), ...readable];
}

/** Whether the present read must miss no record for speed. */
export function isThorough({ reads, filled }: GapState, snapshots: number): boolean {
  return snapshots > filled || reads % THOROUGH_EVERY === 1;
}

/** `since`, but not longer ago than the ledger keeps calls. */
export function ledgerLimit(since: number, now: number): number {
  return Math.max(since, now - LONGEST_GAP_MS);
}

/** The checkpoint to store, if the oldest call that is still pending has its first record there. */
export function checkpointText({ source, since, position }: GapState, oldest: unknown): string {
  const reached: Checkpoint = { source, since, position: oldest ?? position };
  return JSON.stringify(reached);
}

function say(code: MessageCode, fields: LogFields): Say {
  return { code, fields };
}
