import type { ExtendedCallEvent } from '../shared/api/contract/call-event.ts';
import type { Log } from '../shared/log/log.ts';
import { monotonicMs } from '../shared/process/clock.ts';
import { within } from '../shared/process/within.ts';
import type { AmiLink } from './ami/link.ts';
import { NUMBER_WAIT_MS } from './calls/call.ts';
import { noDecisions } from './calls/decisions.ts';
import type { Effect, JournalEntry, Report, TrunkChanged } from './calls/effect.ts';
import type { Input } from './calls/input.ts';
import { callIdOf, readOpenCall } from './calls/open-call.ts';
import { presumedPresentation } from './calls/presentation.ts';
import { type CallSettings, createRules } from './calls/rules.ts';
import { createTracker } from './calls/tracker.ts';
import { readTrunk, storedTrunk } from './calls/trunk.ts';
import { isPhone, isTrunk, notationOf } from './calls/trunk-learning.ts';
import type { LiveCalls } from './cdr/live-calls.ts';
import type { Appended, Batch, Outbox, Saved } from './outbox/outbox.ts';
import type { CallCounts } from './status/bridge-status.ts';

/** Least time between two ticks, ms: each goes through all calls that wait for a number. */
const TICK_GAP_MS = 50;

export type TrackerDriver = ReturnType<typeof createTrackerDriver>;

/** Carries out the tracker's effects. A report goes to disk first, and only then to the log and to delivery. */
export function createTrackerDriver(
  settings: CallSettings,
  saved: Omit<Saved, 'cdrCheckpoint'>,
  tools: {
    log: Log;
    ask: Omit<AmiLink['ask'], 'channels'>;
    /** Asks for all channels, as soon as it is reasonable. */
    askChannels: () => void;
    append: Outbox['append'];
    /** Calls with events or changes that are only in memory. */
    callsInMemory: () => number;
    onAppended: (appended: Appended) => void;
    prefetchPriority: (number: string) => void;
    /** Called when an input has been taken. */
    onApplied: (input: Input, effects: readonly Effect[]) => void;
    fail: (error: unknown) => void;
    /** Whether to write the journal. */
    keepsJournal: boolean;
    /**
     * Whether a gap filler runs. It ends calls that are gone when we connect, by `ended-unseen` inputs, and it reads
     * the ledger.
     */
    hasGapFiller: boolean;
    /** Whether to send `extras`, which the API's document does not have (API_EXTRAS). */
    sendsExtras: boolean;
  },
) {
  const { hasGapFiller, sendsExtras } = tools;
  const rulesBy = (next: CallSettings) => createRules(next, { hasGapFiller });
  const calls = saved.calls.flatMap(({ id, state }) => {
    const call = readOpenCall(state);
    if (call !== undefined) return call;
    tools.log.say('call.unreadable', { call: id });
    void tools.append({ calls: [{ id, state: null }], trunks: [], events: [] }).catch(tools.fail);
    return [];
  });
  const tracker = createTracker(rulesBy(settings), {
    calls,
    trunks: saved.trunks.flatMap((row) => readTrunk(row) ?? []),
    unreported: saved.unreported.map((id) => id.slice(settings.pbxId.length + 1)),
  });
  const { state } = tracker;
  let wakeTimer: { at: number; timer: NodeJS.Timeout } | undefined;
  /** On the clock that is never set. */
  let mayTickAt = 0;
  let lastAppend: Promise<unknown> = Promise.resolve();
  const counts = { ringing: 0, answered: 0, completed: 0 };
  const decided = noDecisions();

  /** True while a batch with only journal lines is being written: the next one waits for it. */
  let journalUnderWay = false;
  const journal = createJournalBuffer(() => {
    if (!journalUnderWay) void appendJournal();
  });

  const writeJournal = (entry: JournalEntry): void => {
    if (tools.keepsJournal) journal.add(entry);
  };

  const bridgeEvents = watchBridgeEvents(tools.log);

  const apply = (input: Input): void => {
    const effects = tracker.apply(input);
    if (input.type === 'bridge-entered') bridgeEvents.seen();
    else if (input.type === 'snapshot') bridgeEvents.connected();
    if (effects.length > 0) carryOut(effects);
    tools.onApplied(input, effects);
  };

  const appendJournal = async (): Promise<void> => {
    const lines = journal.take();
    if (lines === undefined) return;
    journalUnderWay = true;
    // Calls are reported without it; the outbox logs what is wrong with the disk.
    await tools.append({ calls: [], trunks: [], events: [], journal: lines }).catch(() => {});
    journalUnderWay = false;
  };

  const unreportedOf = (effect: Effect) => {
    if (effect.type !== 'journal' || effect.entry.kind !== 'not-reported') return [];
    const { at, uniqueid, text } = effect.entry;
    return [{ id: callIdOf(settings.pbxId, uniqueid), at, why: text }];
  };

  /** One timer is enough: at each tick the tracker asks again for whatever it still waits for. */
  const wakeAt = (at: number): void => {
    if (wakeTimer !== undefined && wakeTimer.at <= at) return;
    clearTimeout(wakeTimer?.timer);
    const fire = () => {
      wakeTimer = undefined;
      mayTickAt = monotonicMs() + TICK_GAP_MS;
      apply({ type: 'tick', at: Date.now() });
    };
    const ms = Math.max(at - Date.now(), mayTickAt - monotonicMs(), 0);
    wakeTimer = { at, timer: setTimeout(fire, Math.min(ms, NUMBER_WAIT_MS)) };
  };

  /** A decision of the tracker, or of the gap filler. */
  const logDecision: LiveCalls['logDecision'] = (decision, id, why) => {
    decided[decision] += 1;
    tools.log.say(`call.${decision}`, { call: id, why });
  };

  const act = (effect: Effect): void => {
    switch (effect.type) {
      case 'report':
        counts[effect.status] += 1;
        break;
      case 'journal':
        writeJournal(effect.entry);
        break;
      case 'log':
        logDecision(effect.decision, effect.id, effect.why);
        break;
      case 'wake':
        wakeAt(effect.at);
        break;
      case 'prefetch-priority':
        tools.prefetchPriority(effect.number);
        break;
      case 'ask':
        tools.ask.presentation(effect.uniqueid, effect.channel);
        break;
      case 'ask-application':
        tools.ask.application(effect);
        break;
      case 'ask-variable':
        tools.ask.variable(effect);
        break;
      case 'ask-channels':
        tools.askChannels();
        break;
      case 'bridge-unseen':
        bridgeEvents.unseen();
        break;
      // These go to disk, in one batch.
      case 'save':
      case 'free':
      case 'trunk':
        break;
      default:
        effect satisfies never;
    }
  };

  const carryOut = (effects: readonly Effect[]): void => {
    for (const effect of effects) act(effect);
    const reports = effects.filter((effect) => effect.type === 'report');
    const unreported = effects.flatMap(unreportedOf);
    const batch = {
      calls: effects.flatMap((effect): Batch['calls'] => {
        if (effect.type === 'save') return [{ id: effect.call.id, state: JSON.stringify(effect.call) }];
        return effect.type === 'free' ? [{ id: effect.id, state: null }] : [];
      }),
      trunks: effects.flatMap((effect) => (effect.type === 'trunk' ? [trunkRow(effect)] : [])),
      events: reports.map((report) => ({
        callId: report.id,
        status: report.status,
        body: JSON.stringify(callEvent(report, sendsExtras)),
        queuedAt: report.at,
      })),
    };
    const { calls, trunks, events } = batch;
    if (calls.length + trunks.length + events.length + unreported.length === 0) return;
    const lines = journal.take();
    const withLines = lines === undefined ? batch : { ...batch, journal: lines };
    lastAppend = tools
      .append(unreported.length === 0 ? withLines : { ...withLines, unreported })
      .then((appended) => {
        const again = new Set(appended.repeated.map(({ callId, status }) => `${callId} ${status}`));
        for (const report of reports)
          logReport(tools.log, report, again.has(`${report.id} ${report.status}`));
        tools.onAppended(appended);
      }, tools.fail);
  };

  return {
    apply,
    /** Applies these from the next input on. An open call keeps its id and its data. */
    changeSettings(next: CallSettings) {
      tracker.changeRules(rulesBy(next));
    },
    /** Waits until every applied input is on disk, for at most `limitMs` (5 s): a disk that fails may never take it. */
    async stop(limitMs = 5_000) {
      clearTimeout(wakeTimer?.timer);
      journal.stop();
      const stored = await within(limitMs, Promise.all([lastAppend, appendJournal()]));
      const calls = tools.callsInMemory();
      if (!stored) tools.log.say('call.not-stored', { calls, waited: limitMs / 1_000 });
    },
    /** What it knows now. */
    state,
    /** The same, for the gap filler. */
    live: {
      snapshots: () => state.snapshots,
      rules: () => state.rules,
      trunks: () => new Set([...state.trunks.keys()].filter((endpoint) => isTrunk(state, endpoint))),
      isPhone: (endpoint) => isPhone(state, endpoint),
      notationOf: (channel) => notationOf(state, channel),
      presumesWithheld: (endpoint) => presumedPresentation(state.trunks.get(endpoint)) === 'prohibited',
      knownAs: (uniqueid) =>
        state.calls.has(uniqueid) || state.channels.has(uniqueid) ? uniqueid : undefined,
      knownFrom: (beginning) =>
        [...state.calls.keys(), ...state.channels.keys()].find((uniqueid) => uniqueid.startsWith(beginning)),
      vanished() {
        const open = state.snapshots === 0 ? [] : [...state.calls.keys()];
        return new Set(open.filter((uniqueid) => !state.channels.has(uniqueid)));
      },
      end: (ended) => apply({ type: 'ended-unseen', ...ended }),
      writeJournal,
      logDecision,
    } satisfies Omit<LiveCalls, 'recordOptions'>,
    status: (): CallCounts & { readonly open: number } => ({
      open: state.calls.size,
      ...counts,
      decided: { ...decided },
      journalDropped: journal.dropped(),
      hasBridgeEvents: bridgeEvents.has(),
    }),
  };
}

function trunkRow({ endpoint, trunk }: TrunkChanged): Batch['trunks'][number] {
  return trunk === undefined ? { endpoint, source: '', state: null } : storedTrunk(trunk);
}

function callEvent({ id, status, from, callerId, extras }: Report, sendsExtras: boolean): ExtendedCallEvent {
  return {
    id,
    direction: 'inbound',
    status,
    from,
    ...(callerId !== undefined && { caller_id: callerId }),
    ...(sendsExtras && { extras }),
  };
}

function logReport(
  log: Log,
  { id, status, from, callerId, outcome = '' }: Report,
  isRepeated: boolean,
): void {
  if (isRepeated) log.say('call.repeated', { call: id, status });
  else
    log.say(`call.${status}`, { call: id, from, ...(callerId === undefined ? {} : { callerId }), outcome });
}

/** Notices that a manager keeps BridgeEnter back: channels are connected, and none was seen since the connection began. */
function watchBridgeEvents(log: Log) {
  let isSeen = false;
  let has: boolean | undefined;
  return {
    connected() {
      isSeen = false;
    },
    seen() {
      if (has === false) log.say('ami.bridge-events');
      has = isSeen = true;
    },
    unseen() {
      if (isSeen || has === false) return;
      has = false;
      log.say('ami.no-bridge-events');
    },
    has: () => has,
  };
}

/** How long lines wait for a batch of events before they are written alone, ms. */
const flushMs = 1_000;

/** Most lines that wait for the disk: more are dropped, since the journal must not fill the memory. */
const mostLines = 10_000;

/** Gathers journal lines until a batch takes them along; `flush` asks for one when none comes. */
function createJournalBuffer(flush: () => void) {
  let lines: string[] = [];
  let at = 0;
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  const fire = () => {
    timer = undefined;
    flush();
  };
  return {
    add(entry: JournalEntry) {
      if (lines.length >= mostLines) dropped += 1;
      else lines.push(JSON.stringify(entry));
      at = entry.at;
      timer ??= setTimeout(fire, flushMs).unref();
    },
    /** The gathered lines, for the batch that is about to be written. */
    take(): Batch['journal'] {
      clearTimeout(timer);
      timer = undefined;
      if (lines.length === 0) return undefined;
      const taken = { lines: lines.join('\n'), at };
      lines = [];
      return taken;
    },
    /** Lines that were dropped because the disk accepted none for too long. */
    dropped: () => dropped,
    stop: () => clearTimeout(timer),
  };
}
