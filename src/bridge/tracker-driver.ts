import type { Log } from '../shared/log/log.ts';
import { monotonicMs } from '../shared/process/clock.ts';
import { within } from '../shared/process/within.ts';
import type { AmiLink } from './ami/link.ts';
import { batchOf, reportsOf } from './batch-of-effects.ts';
import { watchBridgeEvents } from './bridge-events-watch.ts';
import { NUMBER_WAIT_MS } from './calls/call.ts';
import { noDecisions } from './calls/decisions.ts';
import type { Effect, JournalEntry, Report } from './calls/effect.ts';
import type { Input } from './calls/input.ts';
import { answererOf, readOpenCall } from './calls/open-call.ts';
import { type CallSettings, createRules } from './calls/rules.ts';
import { createTracker } from './calls/tracker.ts';
import { readTrunk } from './calls/trunk.ts';
import type { LiveCalls } from './cdr/live-calls.ts';
import { createJournalBuffer } from './journal-buffer.ts';
import { knownCalls } from './known-calls.ts';
import type { Appended, Outbox, Saved } from './outbox/outbox.ts';
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
  const { log, append, fail, hasGapFiller, sendsExtras } = tools;
  const { pbxId } = settings;
  const rulesBy = (next: CallSettings) => createRules(next, { hasGapFiller });
  const tracker = createTracker(rulesBy(settings), {
    calls: saved.calls.flatMap(({ id, state }) => readOpenCall(state) ?? forget(id)),
    trunks: saved.trunks.flatMap((row) => readTrunk(row) ?? []),
    unreported: saved.unreported.map((id) => id.slice(pbxId.length + 1)),
  });
  const { state } = tracker;
  const counts = { ringing: 0, answered: 0, completed: 0, repeated: 0 };
  const decided = noDecisions();
  const bridgeEvents = watchBridgeEvents(log);
  const journal = createJournalBuffer((lines) =>
    // Calls are reported without it; the outbox logs what is wrong with the disk.
    append({ calls: [], trunks: [], events: [], journal: lines }).then(nothing, nothing),
  );
  const alarm = createTickAlarm(() => apply({ type: 'tick', at: Date.now() }));
  let lastAppend: Promise<unknown> = Promise.resolve();

  function forget(id: string): [] {
    log.say('call.unreadable', { call: id });
    void append({ calls: [{ id, state: null }], trunks: [], events: [] }).catch(fail);
    return [];
  }

  function apply(input: Input): void {
    const effects = tracker.apply(input);
    if (input.type === 'bridge-entered') bridgeEvents.seen();
    else if (input.type === 'snapshot') bridgeEvents.connected();
    if (effects.length > 0) carryOut(effects);
    tools.onApplied(input, effects);
  }

  const writeJournal = (entry: JournalEntry): void => {
    if (tools.keepsJournal) journal.add(entry);
  };

  /** A decision of the tracker, or of the gap filler. */
  const logDecision: LiveCalls['logDecision'] = (decision, id, why) => {
    decided[decision] += 1;
    log.say(`call.${decision}`, { call: id, why });
  };

  function act(effect: Effect): void {
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
        alarm.by(effect.at);
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
  }

  /** A call begins whose beginning is on disk already: it is another one with the same Uniqueid. */
  function repeatedCall(id: string): void {
    counts.repeated += 1;
    if (counts.repeated === 1) log.say('call.uniqueid-repeated', { call: id });
  }

  function carryOut(effects: readonly Effect[]): void {
    for (const effect of effects) act(effect);
    const batch = batchOf(effects, { pbxId, sendsExtras });
    if (batch === undefined) return;
    const lines = journal.take();
    lastAppend = append(lines === undefined ? batch : { ...batch, journal: lines }).then((appended) => {
      const again = new Set(appended.repeated.map(({ callId, status }) => `${callId} ${status}`));
      for (const report of reportsOf(effects)) {
        const isRepeated = again.has(`${report.id} ${report.status}`);
        logReport(log, report, isRepeated);
        if (isRepeated && report.status === 'ringing') repeatedCall(report.id);
      }
      tools.onAppended(appended);
    }, fail);
  }

  return {
    apply,
    /** Applies these from the next input on. An open call keeps its id and its data. */
    changeSettings(next: CallSettings) {
      tracker.changeRules(rulesBy(next));
    },
    /** Waits until every applied input is on disk, for at most `limitMs` (5 s): a disk that fails may never take it. */
    async stop(limitMs = 5_000) {
      alarm.off();
      const stored = await within(limitMs, Promise.all([lastAppend, journal.stop()]));
      const calls = tools.callsInMemory();
      if (!stored) log.say('call.not-stored', { calls, waited: limitMs / 1_000 });
    },
    /** What it knows now. */
    state,
    /** The same, for the gap filler. */
    live: {
      ...knownCalls(state, pbxId),
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

const nothing = (): void => {};

/** One timer is enough: at each tick the tracker asks again for whatever it still waits for. */
function createTickAlarm(tick: () => void) {
  let next: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined;
  /** On the clock that is never set. */
  let mayTickAt = 0;

  return {
    /** Ticks at this time, Unix ms, or earlier. */
    by(at: number): void {
      if (next !== undefined && next.at <= at) return;
      clearTimeout(next?.timer);
      const fire = () => {
        next = undefined;
        mayTickAt = monotonicMs() + TICK_GAP_MS;
        tick();
      };
      const ms = Math.max(at - Date.now(), mayTickAt - monotonicMs(), 0);
      next = { at, timer: setTimeout(fire, Math.min(ms, NUMBER_WAIT_MS)) };
    },
    off: () => clearTimeout(next?.timer),
  };
}

function logReport(
  log: Log,
  { id, status, from, callerId, outcome = '' }: Report,
  isRepeated: boolean,
): void {
  if (isRepeated) log.say('call.repeated', { call: id, status });
  else
    log.say(`call.${status}`, {
      ...{ call: id, from, outcome },
      ...(status === 'answered' && { answerer: answererOf(callerId) }),
      ...(callerId !== undefined && { callerId }),
    });
}
