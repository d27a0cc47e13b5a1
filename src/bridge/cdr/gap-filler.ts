import type { ExtendedCallEvent } from '../../shared/api/contract/call-event.ts';
import type { Log } from '../../shared/log/log.ts';
import { within } from '../../shared/process/within.ts';
import { beganAt, callIdOf } from '../calls/open-call.ts';
import { missedText } from '../calls/place.ts';
import { machineText } from '../calls/rules.ts';
import type { Appended, Batch, Outbox } from '../outbox/outbox.ts';
import type { LedgerEntry } from '../outbox/tables/ledger.ts';
import { type Decision, decideCall, newEvent } from './call-decision.ts';
import { type Entry, type RecordFault, type RecordSource, RecordsRefused } from './cdr-source.ts';
import { type Checkpoint, nextSince, possibleSince, readCheckpoint } from './checkpoint.ts';
import { dueCalls, readsBeforeDecision } from './due-calls.ts';
import type { LiveCalls } from './live-calls.ts';
import { createPendingCalls, createRecordTimeouts, type PendingCall } from './pending-calls.ts';
import { type RecordedCall, recordedCallOf } from './recorded-call.ts';

type GapFillerOptions = {
  /** Asterisk's call records; closed with the gap filler. */
  readonly source: RecordSource<unknown>;
  /** The last checkpoint that was stored; undefined at the first start. */
  readonly checkpoint: string | undefined;
  /** How long the ledger keeps calls after all records were read, ms; at least 2 days. */
  readonly keepMs: number;
  /** Interval between two reads, ms; default 2000. */
  readonly everyMs?: number | undefined;
};

/** Maximum time to wait for the disk, ms; until it has all live events, nothing is decided. */
const writtenMs = 500;

/** Maximum time that a stop waits for a running read, ms. */
const stopMs = 1_000;

/** Every 300th read, about every ten minutes, is thorough even without a gap. */
const thoroughEvery = 300;

/** How long the ledger keeps calls if their records cannot be read, ms. */
const longestGapMs = 90 * 86_400_000;
/** How long calls that are gone wait for records that cannot be read, ms. */
const longestUnreadableMs = 3_600_000;

/**
 * Fills gaps from call records (CDR): reports calls that began and ended while the bridge was not connected, each
 * exactly once. What was decided about a call, live or here, is in the outbox's ledger. It reads continuously, a few
 * seconds behind Asterisk, so that little is left to read after a gap.
 */
export function createGapFiller(
  { source, checkpoint, keepMs, everyMs = 2_000 }: GapFillerOptions,
  live: LiveCalls,
  tools: {
    readonly outbox: Pick<Outbox, 'append' | 'ledgerEntries' | 'callIdsFrom'> & {
      /** Resolves with true if all events are on disk within `limitMs`. */
      readonly written: (limitMs: number) => Promise<boolean>;
    };
    readonly onAppended: (taken: Appended) => void;
    readonly log: Log;
    readonly now: () => number;
    /** Whether to send `extras`, which the API's document does not have (API_EXTRAS); no when absent. */
    readonly sendsExtras?: boolean;
  },
) {
  const { outbox, log, now } = tools;
  const pending = createPendingCalls(live.recordOptions);
  const timeouts = createRecordTimeouts();
  const { name } = source;
  let position: unknown;
  let since = 0;
  let stored: { readonly text: string; readonly since: number } = { text: '', since: 0 };
  let reads = 0;
  let gaps = 0;
  let counts = noCounts();
  let unreadable: { readonly source: string; readonly error: string; readonly since: number } | undefined;
  /** Codes of messages that are logged once, and trunks that are named once. */
  const warned = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<unknown> = Promise.resolve();
  let stopped = false;

  /** Determines where to start reading. Rejects while the source cannot be read. */
  async function begin(): Promise<void> {
    if (position !== undefined) return;
    const last = readCheckpoint(checkpoint, source);
    if (last !== undefined) {
      ({ position, since } = last);
      stored = { text: checkpoint as string, since };
      log.say('cdr.going-on', { source: name });
      return;
    }
    position = await source.end();
    since = Math.floor(now() / 1_000) * 1_000;
    // Stored at once: a stop before the first record would make the next start begin later. Nothing waits for it while
    // the disk is full, since every read stores the position.
    void store([]).catch(() => {});
    log.say('cdr.from-now', { source: name });
  }

  function correctSince(): void {
    const possible = possibleSince(since, now());
    if (possible === since) return;
    const text = (at: number) => new Date(at).toISOString();
    log.say('cdr.clock-was-ahead', { source: name, was: text(since), since: text(possible) });
    since = possible;
  }

  function add({ record, from }: Entry<unknown>): void {
    if (typeof record === 'string') logOnce(faultCodes[record]);
    else pending.add(record, from, reads);
  }

  function logOnce(code: (typeof faultCodes)[RecordFault]): void {
    if (!warned.has(code)) log.say(code, { source: name });
    warned.add(code);
  }

  const idOf = (uniqueid: string) => callIdOf(live.rules().pbxId, uniqueid);

  /** Names a trunk of whose calls none is reported: its numbers all count as withheld, and none stands in for them. */
  function warnAllWithheld({ number, extras: { line } }: Extract<RecordedCall, { inbound: true }>): void {
    if (!('reason' in number) || !live.presumesWithheld(line) || warned.has(line)) return;
    warned.add(line);
    log.say('cdr.all-withheld', { trunk: line });
  }

  function logReported({ id, from, caller_id, extras }: ExtendedCallEvent): void {
    counts.reported += 1;
    const outcome = caller_id === undefined ? missedText(extras?.missed ?? {}) : `answered by ${caller_id}`;
    const began = new Date(beganAt({ uniqueid: id })).toISOString();
    log.say('cdr.call-reported', { call: id, from, began, outcome });
  }

  /** Ends a call that is gone as its records say, or decides about it. */
  function decide(
    uniqueid: string,
    { records, legs }: PendingCall,
    known: LedgerEntry | undefined,
    { trunks, vanished }: Record<'trunks' | 'vanished', ReadonlySet<string>>,
  ): Decision {
    const { isPhone, presumesWithheld } = live;
    const recorded = recordedCallOf(
      { rules: live.rules(), trunks, isPhone, presumesWithheld, legs },
      records,
    );
    const isVanished = vanished.has(uniqueid);
    const decision = isVanished
      ? { events: [] }
      : decideCall(idOf(uniqueid), recorded, known, Math.max(since, now() - longestGapMs));
    if (recorded.inbound && recorded.machine !== undefined && (isVanished || 'events' in decision)) {
      const text = machineText(recorded.machine);
      live.writeJournal({ at: now(), uniqueid, call: idOf(uniqueid), kind: 'observed', text });
    }
    if (recorded.inbound && (isVanished || 'unreported' in decision)) warnAllWithheld(recorded);
    if (!isVanished) return decision;
    counts.ended += 1;
    if (!recorded.inbound) live.end({ at: now(), uniqueid });
    else {
      const { number, callerId, extras } = recorded;
      const { missed } = extras;
      live.end({
        at: now(),
        uniqueid,
        number,
        ...(callerId !== undefined && { callerId }),
        ...(missed !== undefined && { missed }),
      });
    }
    return decision;
  }

  async function decideAll(): Promise<void> {
    const due = await dueCalls(pending.calls, {
      ...{ reads, live, idWidth: source.idWidth(), callIdsFrom: outbox.callIdsFrom },
    });
    const known =
      due.length === 0 ? new Map() : await outbox.ledgerEntries(due.map(({ uniqueid }) => idOf(uniqueid)));
    const events: ExtendedCallEvent[] = [];
    const unreported: { id: string; at: number; why: string }[] = [];
    // As they are now, after the wait for the disk.
    const sets = { trunks: live.trunks(), vanished: live.vanished() };
    const at = now();
    for (const { uniqueid, call } of due) {
      const id = idOf(uniqueid);
      const decision = decide(uniqueid, call, known.get(id), sets);
      if ('events' in decision) events.push(...decision.events);
      else if ('unreported' in decision) {
        const { unreported: why, reason } = decision;
        unreported.push({ id, at, why });
        const number = call.records[0]?.src ?? '';
        live.writeJournal({ at, uniqueid, call: id, number, kind: 'not-reported', text: why });
        if (reason === undefined) continue;
        counts.notReported += 1;
        live.logDecision(reason, id, why);
      } else if (decision.skipped !== 'not inbound') counts[decision.skipped] += 1;
    }
    await store(
      due.map(({ read }) => read),
      { events: events.map((event) => newEvent(event, now(), tools.sendsExtras === true)), unreported },
    );
    for (const event of events) if (event.status === 'completed') logReported(event);
  }

  /** Stores decisions together with the checkpoint behind the decided calls, in one transaction. */
  async function store(
    decided: readonly string[],
    made: Pick<Batch, 'events' | 'unreported'> = { events: [] },
  ): Promise<void> {
    const rest = new Map(pending.calls);
    for (const uniqueid of decided) rest.delete(uniqueid);
    const [oldest] = rest.values();
    const reached: Checkpoint = { source: name, since, position: oldest?.from ?? position };
    const text = JSON.stringify(reached);
    if (text !== stored.text || decided.length > 0) {
      tools.onAppended(await outbox.append({ calls: [], trunks: [], ...made, cdrCheckpoint: text }));
      stored = { text, since };
    }
    for (const uniqueid of decided) pending.calls.delete(uniqueid);
  }

  /** Ends calls for which Asterisk wrote no record, because it crashed during the call. */
  function giveUpVanished(atEnd: boolean): void {
    const delayReads = Math.ceil(live.recordOptions().delayMs / everyMs);
    for (const uniqueid of timeouts.expired(live.vanished(), { reads, atEnd, delayReads })) {
      if (pending.calls.has(uniqueid)) continue;
      counts.unrecorded += 1;
      live.end({ at: now(), uniqueid });
    }
  }

  function logCounts(): void {
    const isAfterGap = live.snapshots() > gaps;
    const { reported, ended, unrecorded, notReported } = counts;
    if (!isAfterGap && Math.max(reported, ended, unrecorded, notReported) === 0) return;
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
      // Calls whose events are only in memory are not in the ledger yet: they would be decided again.
      if (!(await outbox.written(writtenMs))) return false;
      await begin();
      correctSince();
      const thorough = live.snapshots() > gaps || reads % thoroughEvery === 1;
      const chunk = await source.read(position, { thorough });
      if (source.idWidth() < live.recordOptions().uniqueidLength) logOnce('cdr.cut-uniqueid');
      if (chunk.restarted) log.say('cdr.lost-position', { source: name });
      for (const entry of chunk.entries) add(entry);
      position = chunk.next;
      if (chunk.atEnd) since = nextSince(since, { now: now(), keepMs }, pending.calls.keys());
      await decideAll();
      giveUpVanished(chunk.atEnd);
      const isQuiet = [...pending.calls.values()].every(({ read }) => reads - read >= readsBeforeDecision);
      if (chunk.atEnd && isQuiet && live.vanished().size === 0) logCounts();
      if (unreadable !== undefined) log.say('cdr.readable', { source: name });
      unreadable = undefined;
      return !chunk.atEnd;
    } catch (error) {
      logUnreadable(error);
      // A database may start after the bridge.
      giveUpVanished(now() - (unreadable?.since ?? 0) > longestUnreadableMs);
      return false;
    }
  }

  function logUnreadable(error: unknown): void {
    const reason = error instanceof RecordsRefused ? `${error.message}. ${error.todo}` : String(error);
    if (!stopped && unreadable === undefined) log.say('cdr.unreadable', { source: name, error: reason });
    unreadable ??= { source: name, error: reason, since: now() };
  }

  async function run(): Promise<void> {
    while ((await read()) && !stopped);
    if (!stopped) timer = setTimeout(run, everyMs);
  }

  return {
    read,
    /** Unix ms: calls that began before are not reported from records any more. */
    ledgerSince: () => Math.max(stored.since, now() - longestGapMs),
    /** Since when (Unix ms) and why the records cannot be read; undefined if they can. */
    unreadable: (): { readonly source: string; readonly error: string; readonly since: number } | undefined =>
      unreadable,
    async start() {
      // A source that does not respond must not keep the bridge from starting.
      await begin().catch(logUnreadable);
      void run();
    },
    /** Waits for a running read, but not for long: it may be waiting for the disk. */
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await within(stopMs, underWay);
      await source.close();
    },
  };
}

const faultCodes = {
  bad: 'cdr.bad-line',
  'no-uniqueid': 'cdr.no-uniqueid',
  'cut-uniqueid': 'cdr.cut-uniqueid',
} as const satisfies Record<RecordFault, string>;

function noCounts() {
  return { reported: 0, ended: 0, unrecorded: 0, notReported: 0, known: 0, old: 0 };
}
