import type { JournalEntry } from '../../calls/effect.ts';
import { compare } from '../../delivery/compare.ts';
import type { HistoryEntry } from '../../delivery/history-page.ts';
import type { Reader } from '../../outbox/reader.ts';
import type { ToldEvent } from '../../outbox/tables/history.ts';
import { attemptText } from '../attempt-text.ts';

export type Line = {
  /** Unix ms. */
  readonly at: number;
  readonly what: 'seen' | 'decided' | 'delivered' | 'failed';
  readonly text: string;
};

/** All that is known of a call, in the order of time. */
export type Story = {
  readonly callId: string;
  readonly lines: readonly Line[];
  readonly events: readonly ToldEvent[];
  readonly journal: readonly JournalEntry[];
};

export type CallVerdict = {
  readonly state: 'told' | 'waiting' | 'parked' | 'not told';
  readonly why: string;
};

/**
 * The story of the channel with this Uniqueid, and of the legs that were dialled for it; undefined if nothing is known.
 * An id may be a Linkedid: the channel of that Uniqueid then, since that is what a Linkedid is.
 */
export function storyOf(reader: Reader, uniqueid: string, pbxId: string): Story | undefined {
  const callId = `${pbxId}-${uniqueid}`;
  const events = reader.events({ callId, limit: 10 }).reverse();
  const direct = parse(
    reader.journal([`"${uniqueid}"`]),
    (entry) => entry.uniqueid === uniqueid || entry.linkedid === uniqueid,
  );
  if (events.length === 0 && direct.length === 0) return undefined;
  const legs = new Set(direct.map((entry) => entry.uniqueid).slice(0, mostLegs));
  // Once more, for what was said of the legs later: all in the order in which it was written.
  const journal = parse(
    reader.journal([uniqueid, ...legs].map((id) => `"${id}"`)),
    (entry) =>
      entry.uniqueid === uniqueid ||
      entry.linkedid === uniqueid ||
      (legs.has(entry.uniqueid) && entry.linkedid === undefined),
  );
  // Told by a bridge that kept no journal, or from Asterisk's own records: when is known, why is not.
  const isWritten = journal.some((entry) => entry.kind === 'reported' && entry.uniqueid === uniqueid);
  const taken = isWritten ? [] : events.map(takenLine);
  const lines = [...journal.map(lineOf), ...taken, ...events.flatMap(attempts)].sort((a, b) => a.at - b.at);
  return { callId, lines, events, journal: journal.filter((entry) => entry.uniqueid === uniqueid) };
}

/** Of a call to a big ring group, so many are enough to understand it. */
const mostLegs = 50;

function parse(lines: readonly string[], isMeant: (entry: JournalEntry) => boolean): JournalEntry[] {
  return lines.map((line) => JSON.parse(line) as JournalEntry).filter(isMeant);
}

function lineOf({ at, kind, text }: JournalEntry): Line {
  if (kind === 'reported') return { at, what: 'decided', text: `told: ${text}` };
  if (kind === 'not-reported') return { at, what: 'decided', text: `not told: ${text}` };
  return { at, what: kind === 'decided' ? 'decided' : 'seen', text };
}

function takenLine({ status, takenAt }: ToldEvent): Line {
  return { at: takenAt, what: 'decided', text: `told: ${status}` };
}

function attempts({ status, tale }: ToldEvent): Line[] {
  return tale.map((attempt) => ({
    at: attempt.at,
    what: attempt.outcome === 'delivered' ? 'delivered' : 'failed',
    text: `${status} ${attemptText(attempt)}`,
  }));
}

/** The plain last line: what has become of the call, and why. */
export function verdictOf(
  { events, journal }: Story,
  farSide: readonly HistoryEntry[] | string | undefined,
): CallVerdict {
  const dead = events.filter(({ state }) => state === 'dead');
  if (dead.length > 0) {
    const why = dead[0]?.tale.at(-1)?.error ?? 'no reason was kept';
    const again = 'pbx-bridge outbox retry sends it again when the cause is gone';
    return { state: 'parked', why: `${names(dead)} was given up: ${why}; ${again}` };
  }
  const waiting = events.filter(({ state }) => state === 'waiting');
  if (waiting.length > 0) {
    const last = waiting[0]?.tale.at(-1);
    const why =
      last === undefined
        ? 'not tried yet (is delivery paused? see pbx-bridge status)'
        : last.outcome === 'delivered'
          ? 'it was confirmed before, but the API did not keep it'
          : attemptText(last);
    return { state: 'waiting', why: `${names(waiting)} still to be delivered: ${why}` };
  }
  if (events.length > 0) return told(events, farSide);
  const reason = journal.findLast(({ kind }) => kind === 'not-reported');
  if (reason !== undefined)
    return { state: 'not told', why: `because ${reason.text.replace(/^channel .*?: /, '')}` };
  const leg = journal.find(({ kind, linkedid, uniqueid }) => kind === 'appeared' && linkedid !== uniqueid);
  if (leg !== undefined)
    return { state: 'not told', why: `because this is ${leg.text.replace(/^.*: /, '')}; ask for that` };
  if (journal.some(({ kind }) => kind === 'reported'))
    return { state: 'told', why: 'its events were delivered, and are forgotten since (OUTBOX_KEEP)' };
  return { state: 'waiting', why: 'it has come in, but has not rung yet, or its number is still awaited' };
}

function told(
  events: readonly ToldEvent[],
  farSide: readonly HistoryEntry[] | string | undefined,
): CallVerdict {
  const why = `${names(events)}; the API confirmed each`;
  if (!Array.isArray(farSide)) return { state: 'told', why };
  const there = new Set((farSide as readonly HistoryEntry[]).map((entry) => entry.told));
  const delivered = events.map(({ seq, callId, status, settledAt = 0 }) => ({
    seq,
    callId,
    status,
    at: settledAt,
  }));
  const { missing, overtaken } = compare(delivered, {
    told: new Map([[events[0]?.callId ?? '', there]]),
    unsure: new Set(),
  });
  if (missing.length > 0)
    return {
      state: 'not told',
      why: `${names(missing)} was confirmed by the API, but its history does not have it: is API_TOKEN that of another account? The bridge sends it again within minutes (RECONCILE_EVERY), pbx-bridge verify --resend at once`,
    };
  if (overtaken.length > 0)
    return {
      state: 'told',
      why: `${why}, but its history does not have ${names(overtaken)}; it has a later state, which counts`,
    };
  return { state: 'told', why: `${why}, and its history has them` };
}

function names(events: readonly Pick<ToldEvent, 'status'>[]): string {
  return events.map(({ status }) => status).join(', ');
}
