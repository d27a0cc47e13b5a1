import type { CallEvent, CallStatus } from '../api/contract/call-event.ts';
import type { EndedUnseen } from '../calls/input.ts';
import type { Rules } from '../calls/rules.ts';
import type { Log } from '../log/log.ts';
import type { Appended, NewEvent, Outbox } from '../outbox/outbox.ts';
import { readCheckpoint, writeCheckpoint } from './cdr-checkpoint.ts';
import { beganAt, type CdrRecord } from './cdr-record.ts';
import { type Entry, type RecordSource, RecordsRefused } from './cdr-source.ts';
import { judge, missingOf } from './cdr-verdict.ts';
import { createPendingCalls, type PendingCall } from './pending-calls.ts';
import { createRecordTimeouts } from './record-timeouts.ts';

/** Calls as seen live over AMI. Keys are uniqueids. */
export type LiveCalls = {
  /** Number of snapshots of the PBX; each one ends a gap. */
  snapshots(): number;
  rules(): Rules;
  /** Endpoints of trunks. */
  trunks(): ReadonlySet<string>;
  /** True for a call that is being reported, or was when the link ended. */
  isOpen(uniqueid: string): boolean;
  /** True for a channel seen while the bridge was connected: it was reported if necessary. */
  wasSeen(uniqueid: string): boolean;
  /** Open calls that are gone from the PBX, and whose end was not seen. */
  lost(): ReadonlySet<string>;
  /** Ends one of those. */
  end(ended: Omit<EndedUnseen, 'type'>): void;
};

export type GapFillerOptions = {
  /** Asterisk's call records; closed with the gap filler. */
  readonly source: RecordSource<unknown>;
  /** The file of the checkpoint. */
  readonly checkpointFile: string;
  /** Interval between two reads, ms; default 2000. */
  readonly everyMs?: number | undefined;
};

export type GapFiller = {
  start(): Promise<void>;
  /** Waits for a running read. */
  stop(): Promise<void>;
  /** Reads the records now. Resolves with true if there are more to read. */
  read(): Promise<boolean>;
};

/**
 * A call is decided two reads after its first record: by then its other records are there, as Asterisk writes them
 * together, and its hang-up was received over AMI, if it was received at all.
 */
const readsBeforeDecision = 2;

/** Maximum time to wait for the disk, ms; until it has all live events, the checkpoint is not moved. */
const writtenMs = 500;

/** One of so many reads is thorough even without a gap. */
const thoroughEvery = 300;

/** Maximum age given to events of past calls, ms: current calls are sent first, and none expires. */
const maxAgeMs = 600_000;

/**
 * Fills gaps from call records (CDR): reports calls that began and ended while the bridge was not connected, each
 * exactly once. Calls that the bridge has seen, holds open or has in its outbox are skipped. It reads continuously, a
 * few seconds behind Asterisk, so that little is left to read after a gap.
 */
export function createGapFiller(
  { source, checkpointFile, everyMs = 2_000 }: GapFillerOptions,
  live: LiveCalls,
  tools: {
    readonly outbox: Pick<Outbox, 'append' | 'eventsOf'> & {
      /** Resolves with true if all events are on disk within `limitMs`. */
      readonly written: (limitMs: number) => Promise<boolean>;
    };
    readonly onAppended: (taken: Appended) => void;
    readonly log: Log;
    readonly now: () => number;
  },
): GapFiller {
  const { outbox, log, now } = tools;
  const pending = createPendingCalls();
  const timeouts = createRecordTimeouts();
  const { name } = source;
  let position: unknown;
  let since = 0;
  let reads = 0;
  let gaps = 0;
  let counts = noCounts();
  let saved = '';
  let isUnsaved = false;
  let isUnreadable = false;
  const warned = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<unknown> = Promise.resolve();
  let stopped = false;

  /** Determines where to start reading. Rejects while the source cannot be read. */
  async function begin(): Promise<void> {
    if (position !== undefined) return;
    const checkpoint = readCheckpoint(checkpointFile);
    const known = checkpoint?.source === name ? source.positionOf(checkpoint.position) : undefined;
    if (checkpoint !== undefined && known !== undefined) {
      position = known;
      since = checkpoint.since;
      log.say('cdr.going-on', { source: name });
      return;
    }
    position = await source.end();
    since = Math.floor(now() / 1_000) * 1_000;
    save(position);
    log.say('cdr.from-now', { source: name });
  }

  function add({ record, from }: Entry<unknown>): void {
    if (typeof record === 'string') warnOnce(record === 'bad' ? 'cdr.bad-line' : 'cdr.no-uniqueid');
    else pending.add(record, from, reads);
  }

  function warnOnce(code: 'cdr.bad-line' | 'cdr.no-uniqueid'): void {
    if (!warned.has(code)) log.say(code, { source: name });
    warned.add(code);
  }

  /** The events to report for a call; undefined if it must wait. */
  async function decide(uniqueid: string, { records, legs }: PendingCall): Promise<CallEvent[] | undefined> {
    const rules = live.rules();
    const verdict = judge({ rules, trunks: live.trunks(), legs }, records);
    if (live.lost().has(uniqueid)) {
      counts.ended += 1;
      live.end({ at: now(), uniqueid, ...(verdict.inbound ? endOf(verdict) : {}) });
      return [];
    }
    if (live.isOpen(uniqueid)) return undefined;
    if (!verdict.inbound) return [];
    const began = beganAt(records[0] as CdrRecord);
    const id = `${rules.pbxId}-${uniqueid}`;
    const skip = (reason: keyof typeof counts): CallEvent[] => {
      counts[reason] += 1;
      return [];
    };
    if (live.wasSeen(uniqueid)) return skip('seen');
    if (began < since) return skip('old');
    const events = await outbox.eventsOf(id);
    const missing = missingOf(
      events.map(({ status }) => status as CallStatus),
      verdict,
    );
    if (missing.length === 0) return skip('known');
    if (verdict.from === '') {
      log.say('call.no-number', {
        call: id,
        why: 'its record has no number, and neither MISSING_NUMBER nor WITHHELD_NUMBER is set',
      });
      return skip('withheld');
    }
    const { from, callerId } = verdict;
    return missing.map((status): CallEvent => {
      const event = { id, direction: 'inbound' as const, status, from };
      return status === 'ringing' || callerId === undefined ? event : { ...event, caller_id: callerId };
    });
  }

  function logReported({ id, from, caller_id }: CallEvent): void {
    counts.reported += 1;
    const outcome = caller_id === undefined ? 'missed' : `answered by ${caller_id}`;
    log.say('cdr.call-reported', {
      call: id,
      from,
      began: new Date(beganAt({ uniqueid: id })).toISOString(),
      outcome,
    });
  }

  async function decideAll(): Promise<void> {
    const decided: string[] = [];
    const missing: CallEvent[] = [];
    for (const [uniqueid, call] of pending.calls) {
      if (reads - call.read < readsBeforeDecision) continue;
      const events = await decide(uniqueid, call);
      if (events === undefined) continue;
      decided.push(uniqueid);
      missing.push(...events);
    }
    if (missing.length > 0) {
      const events = missing.map((event) => newEvent(event, now()));
      tools.onAppended(await outbox.append({ calls: [], trunks: [], events }));
      for (const event of missing) if (event.status === 'completed') logReported(event);
    }
    for (const uniqueid of decided) pending.calls.delete(uniqueid);
  }

  /** Ends calls for which Asterisk wrote no record, because it crashed during the call. */
  function giveUpLost(atEnd: boolean): void {
    for (const uniqueid of timeouts.expired(live.lost(), { reads, atEnd })) {
      if (pending.calls.has(uniqueid)) continue;
      counts.unrecorded += 1;
      live.end({ at: now(), uniqueid });
    }
  }

  function save(next: unknown): void {
    const checkpoint = JSON.stringify({ source: name, since, position: next });
    if (checkpoint === saved) return;
    try {
      writeCheckpoint(checkpointFile, checkpoint);
    } catch (error) {
      // Reading continues; the reported events are in the outbox.
      if (!isUnsaved) log.say('cdr.position-not-saved', { source: name, error: String(error) });
      isUnsaved = true;
      return;
    }
    saved = checkpoint;
    if (isUnsaved) log.say('cdr.position-saved', { source: name });
    isUnsaved = false;
  }

  function logCounts(): void {
    const isAfterGap = live.snapshots() > gaps;
    const { reported, ended, unrecorded, withheld } = counts;
    if (!isAfterGap && reported + ended + unrecorded + withheld === 0) return;
    gaps = live.snapshots();
    log.say('cdr.filled', counts);
    counts = noCounts();
  }

  /** Reads run one after the other. */
  function read(): Promise<boolean> {
    const mine = underWay.then(readOnce);
    underWay = mine;
    return mine;
  }

  async function readOnce(): Promise<boolean> {
    reads += 1;
    try {
      await begin();
      const thorough = live.snapshots() > gaps || reads % thoroughEvery === 1;
      const chunk = await source.read(position, { thorough });
      if (chunk.lost) log.say('cdr.lost-position', { source: name });
      for (const entry of chunk.entries) add(entry);
      position = chunk.next;
      await decideAll();
      giveUpLost(chunk.atEnd);
      const waiting = [...pending.calls.values()];
      // Live events that are only in memory may be lost: after a restart the records of their calls are needed again.
      if (await outbox.written(writtenMs)) save(waiting[0]?.from ?? position);
      const isQuiet = waiting.every(({ read }) => reads - read >= readsBeforeDecision);
      if (chunk.atEnd && isQuiet && live.lost().size === 0) logCounts();
      if (isUnreadable) log.say('cdr.readable', { source: name });
      isUnreadable = false;
      return !chunk.atEnd;
    } catch (error) {
      logUnreadable(error);
      giveUpLost(true);
      return false;
    }
  }

  function logUnreadable(error: unknown): void {
    const reason = error instanceof RecordsRefused ? `${error.message}. ${error.todo}` : String(error);
    if (!stopped && !isUnreadable) log.say('cdr.unreadable', { source: name, error: reason });
    isUnreadable = true;
  }

  async function run(): Promise<void> {
    while ((await read()) && !stopped);
    if (!stopped) timer = setTimeout(run, everyMs);
  }

  return {
    read,
    async start() {
      // A source that does not respond must not keep the bridge from starting.
      await begin().catch(logUnreadable);
      void run();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await underWay;
      await source.close();
    },
  };
}

function newEvent(event: CallEvent, now: number): NewEvent {
  const { id, status } = event;
  const queuedAt = Math.min(now, Math.max(beganAt({ uniqueid: id }), now - maxAgeMs));
  return { callId: id, status, body: JSON.stringify(event), queuedAt };
}

function noCounts() {
  return { reported: 0, ended: 0, unrecorded: 0, withheld: 0, known: 0, seen: 0, old: 0 };
}

function endOf({ from, callerId }: { from: string; callerId?: string }): {
  from?: string;
  callerId?: string;
} {
  return { ...(from === '' ? {} : { from }), ...(callerId === undefined ? {} : { callerId }) };
}
