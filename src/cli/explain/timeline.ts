import { callIdOf } from '../../bridge/calls/open-call.ts';
import type { Reader } from '../../bridge/outbox/reader.ts';
import type { StoredEvent } from '../../bridge/outbox/tables/history.ts';
import { compare } from '../../shared/delivery/compare.ts';
import type { HistoryEntry } from '../../shared/delivery/history-page.ts';
import { attemptText } from '../text/format-text.ts';
import { journalText, reasonText, type StoredEntry } from './journal-text.ts';

export type Line = {
  /** Unix ms. */
  readonly at: number;
  readonly what: 'seen' | 'decided' | 'delivered' | 'failed';
  readonly text: string;
};

/** Everything recorded about a call, oldest first. */
export type Timeline = {
  readonly callId: string;
  readonly lines: readonly Line[];
  readonly events: readonly StoredEvent[];
  readonly journal: readonly StoredEntry[];
};

type Conclusion = {
  readonly state: 'reported' | 'waiting' | 'dead letter' | 'not reported';
  readonly why: string;
};

/**
 * The timeline of the channel with this Uniqueid and of the legs dialled for it; undefined if nothing is recorded.
 * A Linkedid works too, as it is the Uniqueid of the caller's channel.
 */
export function timelineOf(reader: Reader, uniqueid: string, pbxId: string): Timeline | undefined {
  const callId = callIdOf(pbxId, uniqueid);
  const events = reader.events({ callId, limit: 10 }).reverse();
  const direct = parse(
    reader.journal([`"${uniqueid}"`]),
    (entry) => entry.uniqueid === uniqueid || entry.linkedid === uniqueid,
  );
  if (events.length === 0 && direct.length === 0) return undefined;
  const legs = new Set(direct.map((entry) => entry.uniqueid).slice(0, maxLegs));
  // Read again with the legs' own ids, so that all lines come in the order of writing.
  const journal = parse(
    reader.journal([uniqueid, ...legs].map((id) => `"${id}"`)),
    (entry) =>
      entry.uniqueid === uniqueid ||
      entry.linkedid === uniqueid ||
      (legs.has(entry.uniqueid) && entry.linkedid === undefined),
  );
  // Reported without a journal, or from Asterisk's call records: the time is known, the reason is not.
  const inJournal = journal.some((entry) => entry.kind === 'reported' && entry.uniqueid === uniqueid);
  const stored = inJournal ? [] : events.map(storedLine);
  const lines = [...journal.map(lineOf), ...stored, ...events.flatMap(attempts)].sort((a, b) => a.at - b.at);
  return { callId, lines, events, journal: journal.filter((entry) => entry.uniqueid === uniqueid) };
}

/** Enough to understand a call to a big ring group. */
const maxLegs = 50;

function parse(lines: readonly string[], matches: (entry: StoredEntry) => boolean): StoredEntry[] {
  return lines.map((line) => JSON.parse(line) as StoredEntry).filter(matches);
}

function lineOf(entry: StoredEntry): Line {
  const { at, kind } = entry;
  const text = journalText(entry);
  if (kind === 'reported') return { at, what: 'decided', text: `reported: ${text}` };
  if (kind === 'not-reported') return { at, what: 'decided', text: `not reported: ${text}` };
  return { at, what: kind === 'decided' ? 'decided' : 'seen', text };
}

function storedLine({ status, queuedAt }: StoredEvent): Line {
  return { at: queuedAt, what: 'decided', text: `reported: ${status}` };
}

function attempts({ status, attemptLog }: StoredEvent): Line[] {
  return attemptLog.map((attempt) => ({
    at: attempt.at,
    what: attempt.outcome === 'delivered' ? 'delivered' : 'failed',
    text: `${status} ${attemptText(attempt)}`,
  }));
}

/** What became of the call, and why. */
export function conclusionOf(
  { events, journal }: Timeline,
  apiHistory: readonly HistoryEntry[] | string | undefined,
): Conclusion {
  const dead = events.filter(({ state }) => state === 'dead');
  if (dead.length > 0) {
    const why = dead[0]?.attemptLog.at(-1)?.error ?? 'unknown reason';
    const todo = `after removing the cause, run pbx-bridge outbox retry ${dead.map(({ seq }) => seq).join(' ')}`;
    return { state: 'dead letter', why: `${names(dead)} not delivered: ${why}; ${todo}` };
  }
  const waiting = events.filter(({ state }) => state === 'waiting');
  if (waiting.length > 0) {
    const last = waiting[0]?.attemptLog.at(-1);
    const why =
      last === undefined
        ? 'not attempted yet; pbx-bridge status shows whether delivery is paused'
        : last.outcome === 'delivered'
          ? 'the API confirmed it before, but lost it'
          : attemptText(last);
    return { state: 'waiting', why: `${names(waiting)} not delivered yet: ${why}` };
  }
  if (events.length > 0) return reportedConclusion(events, apiHistory);
  const reason = journal.findLast(({ kind }) => kind === 'not-reported');
  if (reason !== undefined) return { state: 'not reported', why: reasonText(reason) };
  const leg = journal.find(({ kind, linkedid, uniqueid }) => kind === 'appeared' && linkedid !== uniqueid);
  if (leg !== undefined)
    return {
      state: 'not reported',
      why: `this is ${reasonText(leg)}; explain that call instead`,
    };
  if (journal.some(({ kind }) => kind === 'reported'))
    return { state: 'reported', why: 'its events were delivered, and deleted since (OUTBOX_KEEP)' };
  return { state: 'waiting', why: 'the call has not rung yet, or its number has not arrived' };
}

function reportedConclusion(
  events: readonly StoredEvent[],
  apiHistory: readonly HistoryEntry[] | string | undefined,
): Conclusion {
  const why = `${names(events)}; the API confirmed each`;
  if (!Array.isArray(apiHistory)) return { state: 'reported', why };
  const there = new Set((apiHistory as readonly HistoryEntry[]).map(({ status }) => status));
  const delivered = events.map(({ seq, callId, status, finishedAt = 0 }) => ({
    seq,
    callId,
    status,
    at: finishedAt,
  }));
  const { missing, overtaken } = compare(delivered, {
    recorded: new Map([[events[0]?.callId ?? '', there]]),
    unread: new Set(),
  });
  if (missing.length > 0)
    return {
      state: 'not reported',
      why: `the API confirmed ${names(missing)}, but its request history does not contain it. Check that API_TOKEN is of the right account. The bridge sends it again within minutes (RECONCILE_EVERY); pbx-bridge verify --resend sends it now`,
    };
  if (overtaken.length > 0)
    return {
      state: 'reported',
      why: `${why}, but its request history does not contain ${names(overtaken)}; it contains a later state, which is enough`,
    };
  return { state: 'reported', why: `${why}, and its request history contains them` };
}

function names(events: readonly Pick<StoredEvent, 'status'>[]): string {
  return events.map(({ status }) => status).join(', ');
}
