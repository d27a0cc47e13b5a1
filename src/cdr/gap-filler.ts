import type { CallEvent, CallStatus } from '../api/contract/call-event.ts';
import { channelKind } from '../calls/channel.ts';
import type { EndedUnseen } from '../calls/input.ts';
import type { Rules } from '../calls/rules.ts';
import type { Log } from '../log/log.ts';
import type { Appended, NewEvent, Outbox } from '../outbox/outbox.ts';
import { readCheckpoint, writeCheckpoint } from './cdr-checkpoint.ts';
import { beganAt, type CdrRecord } from './cdr-record.ts';
import { type Entry, type RecordSource, RecordsRefused } from './cdr-source.ts';
import { judge, missingOf } from './cdr-verdict.ts';
import { createDialledLegs, createRestartDetector, type DialledLegs } from './dialled-legs.ts';
import { createRecordTimeouts } from './record-timeouts.ts';

/** Calls as seen live over AMI. Keys are uniqueids. */
export type LiveCalls = {
  /** Number of snapshots of the PBX; each one ends a gap. */
  snapshots(): number;
  rules(): Rules;
  /** Endpoints of trunks. */
  trunks(): ReadonlySet<string>;
  /** True for a call that is told as it goes on, or that was when it was last heard of. */
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
  look(): Promise<boolean>;
};

/**
 * A call is decided two reads after its first record: by then its other records are there, as Asterisk writes them
 * together, and its hang-up was received over AMI, if it was received at all.
 */
const ripeAfterLooks = 2;

/** The disk gets so long to take what was heard, ms; until it has, the checkpoint stays where it is. */
const writtenMs = 500;

/** Every so many reads, one is thorough even without a gap. */
const thoroughEvery = 300;

/** Maximum age given to events of past calls, ms: current calls are sent first, and none expires. */
const oldestMs = 600_000;

type Pending = {
  readonly records: CdrRecord[];
  /** Of the same run of Asterisk. */
  readonly legs: DialledLegs;
  readonly from: unknown;
  readonly look: number;
};

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
      /** Whether all that was appended until now, by whomever, is on disk within so many ms. */
      readonly written: (limitMs: number) => Promise<boolean>;
    };
    readonly onAppended: (taken: Appended) => void;
    readonly log: Log;
    readonly now: () => number;
  },
): GapFiller {
  const { outbox, log, now } = tools;
  const isAfterRestart = createRestartDetector();
  let legs = createDialledLegs();
  const pending = new Map<string, Pending>();
  const timeouts = createRecordTimeouts();
  const { name } = source;
  let position: unknown;
  let since = 0;
  let looks = 0;
  let gaps = 0;
  let counts = noCounts();
  let saved = '';
  let isUnsaved = false;
  let isTroubled = false;
  const warned = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<unknown> = Promise.resolve();
  let stopped = false;

  /** Determines where to start reading. Rejects while the source cannot be read. */
  async function begin(): Promise<void> {
    if (position !== undefined) return;
    const mark = readCheckpoint(checkpointFile);
    const known = mark?.source === name ? source.positionOf(mark.position) : undefined;
    if (mark !== undefined && known !== undefined) {
      position = known;
      since = mark.since;
      log.say('cdr.going-on', { source: name });
      return;
    }
    position = await source.end();
    since = Math.floor(now() / 1_000) * 1_000;
    save(position);
    log.say('cdr.from-now', { source: name });
  }

  function take({ record, from }: Entry<unknown>): void {
    if (typeof record === 'string') {
      warnOnce(record === 'bad' ? 'cdr.bad-line' : 'cdr.no-uniqueid');
      return;
    }
    if (isAfterRestart(record)) legs = createDialledLegs();
    legs.add(record);
    if (channelKind(record.channel) !== 'real') return;
    const known = pending.get(record.uniqueid);
    if (known) known.records.push(record);
    else pending.set(record.uniqueid, { records: [record], legs, from, look: looks });
  }

  function warnOnce(code: 'cdr.bad-line' | 'cdr.no-uniqueid'): void {
    if (!warned.has(code)) log.say(code, { source: name });
    warned.add(code);
  }

  /** The events to report for a call; undefined if it must wait. */
  async function decide(uniqueid: string, { records, legs }: Pending): Promise<CallEvent[] | undefined> {
    const rules = live.rules();
    const verdict = judge({ rules, trunks: live.trunks(), legs }, records);
    if (live.lost().has(uniqueid)) {
      counts.ended += 1;
      live.end({ at: now(), uniqueid, ...(verdict.inbound ? shownOf(verdict) : {}) });
      return [];
    }
    if (live.isOpen(uniqueid)) return undefined;
    if (!verdict.inbound) return [];
    const began = beganAt(records[0] as CdrRecord);
    const id = `${rules.pbxId}-${uniqueid}`;
    const leave = (reason: keyof typeof counts): CallEvent[] => {
      counts[reason] += 1;
      return [];
    };
    if (live.wasSeen(uniqueid)) return leave('seen');
    if (began < since) return leave('old');
    const events = await outbox.eventsOf(id);
    const missing = missingOf(
      events.map(({ status }) => status as CallStatus),
      verdict,
    );
    if (missing.length === 0) return leave('known');
    if (verdict.from === '') {
      log.say('call.not-reported', {
        call: id,
        why: 'its record has no number, and WITHHELD_NUMBER is not set',
      });
      return leave('withheld');
    }
    const { from, callerId } = verdict;
    return missing.map((status): CallEvent => {
      const event = { id, direction: 'inbound' as const, status, from };
      return status === 'ringing' || callerId === undefined ? event : { ...event, caller_id: callerId };
    });
  }

  function logTold({ id, from, caller_id }: CallEvent): void {
    counts.told += 1;
    const outcome = caller_id === undefined ? 'missed' : `answered by ${caller_id}`;
    log.say('cdr.call-reported', {
      call: id,
      from,
      began: new Date(beganAt({ uniqueid: id })).toISOString(),
      outcome,
    });
  }

  async function settle(): Promise<void> {
    const decided: string[] = [];
    const told: CallEvent[] = [];
    for (const [uniqueid, call] of pending) {
      if (looks - call.look < ripeAfterLooks) continue;
      const toTell = await decide(uniqueid, call);
      if (toTell === undefined) continue;
      decided.push(uniqueid);
      told.push(...toTell);
    }
    if (told.length > 0) {
      const events = told.map((event) => newEvent(event, now()));
      tools.onAppended(await outbox.append({ calls: [], trunks: [], events }));
      for (const event of told) if (event.status === 'completed') logTold(event);
    }
    for (const uniqueid of decided) pending.delete(uniqueid);
  }

  /** Ends calls for which Asterisk wrote no record, because it crashed during the call. */
  function giveUpLost(atEnd: boolean): void {
    for (const uniqueid of timeouts.expired(live.lost(), { looks, atEnd })) {
      if (pending.has(uniqueid)) continue;
      counts.unrecorded += 1;
      live.end({ at: now(), uniqueid });
    }
  }

  function save(next: unknown): void {
    const mark = JSON.stringify({ source: name, since, position: next });
    if (mark === saved) return;
    try {
      writeCheckpoint(checkpointFile, mark);
    } catch (error) {
      // Reading continues; the reported events are in the outbox.
      if (!isUnsaved) log.say('cdr.position-not-saved', { source: name, error: String(error) });
      isUnsaved = true;
      return;
    }
    saved = mark;
    if (isUnsaved) log.say('cdr.position-saved', { source: name });
    isUnsaved = false;
  }

  function sumUp(): void {
    const isAfterGap = live.snapshots() > gaps;
    const { told, ended, unrecorded, withheld } = counts;
    if (!isAfterGap && told + ended + unrecorded + withheld === 0) return;
    gaps = live.snapshots();
    log.say('cdr.filled', counts);
    counts = noCounts();
  }

  /** Reads run one after the other. */
  function look(): Promise<boolean> {
    const mine = underWay.then(lookOnce);
    underWay = mine;
    return mine;
  }

  async function lookOnce(): Promise<boolean> {
    looks += 1;
    try {
      await begin();
      const thorough = live.snapshots() > gaps || looks % thoroughEvery === 1;
      const chunk = await source.read(position, { thorough });
      if (chunk.lost) log.say('cdr.lost-position', { source: name });
      for (const entry of chunk.entries) take(entry);
      position = chunk.next;
      await settle();
      giveUpLost(chunk.atEnd);
      const [oldest] = pending.values();
      const reached = oldest?.from ?? position;
      // Calls that were heard but are only in memory are lost with it: after a restart their records are needed again.
      if (await outbox.written(writtenMs)) save(reached);
      const isQuiet = [...pending.values()].every(({ look }) => looks - look >= ripeAfterLooks);
      if (chunk.atEnd && isQuiet && live.lost().size === 0) sumUp();
      if (isTroubled) log.say('cdr.readable', { source: name });
      isTroubled = false;
      return !chunk.atEnd;
    } catch (error) {
      trouble(error);
      giveUpLost(true);
      return false;
    }
  }

  function trouble(error: unknown): void {
    const reason = error instanceof RecordsRefused ? `${error.message}. ${error.todo}` : String(error);
    if (!stopped && !isTroubled) log.say('cdr.unreadable', { source: name, error: reason });
    isTroubled = true;
  }

  async function run(): Promise<void> {
    while ((await look()) && !stopped);
    if (!stopped) timer = setTimeout(run, everyMs);
  }

  return {
    look,
    async start() {
      // A source that does not respond must not keep the bridge from starting.
      await begin().catch(trouble);
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
  const queuedAt = Math.min(now, Math.max(beganAt({ uniqueid: id }), now - oldestMs));
  return { callId: id, status, body: JSON.stringify(event), queuedAt };
}

function noCounts() {
  return { told: 0, ended: 0, unrecorded: 0, withheld: 0, known: 0, seen: 0, old: 0 };
}

function shownOf({ from, callerId }: { from: string; callerId?: string }): {
  from?: string;
  callerId?: string;
} {
  return { ...(from === '' ? {} : { from }), ...(callerId === undefined ? {} : { callerId }) };
}
