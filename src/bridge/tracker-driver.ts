import type { Log } from '../shared/log/log.ts';
import { within } from '../shared/process/within.ts';
import { batchOf, reportsOf } from './batch-of-effects.ts';
import { watchBridgeEvents } from './bridge-events-watch.ts';
import { createCallLog } from './call-log.ts';
import type { Effect, JournalEntry } from './calls/effect.ts';
import type { Input } from './calls/input.ts';
import { readOpenCall } from './calls/open-call.ts';
import type { Rules } from './calls/rules.ts';
import { createTracker } from './calls/tracker.ts';
import { readTrunk } from './calls/trunk.ts';
import type { LiveCalls } from './cdr/live-calls.ts';
import { createEffectActions, type EffectTools } from './effect-actions.ts';
import { createJournalBuffer } from './journal-buffer.ts';
import { knownCalls } from './known-calls.ts';
import type { Appended, Outbox, Saved } from './outbox/outbox.ts';
import type { CallCounts } from './status/bridge-status.ts';
import { createTickAlarm } from './tick-alarm.ts';

export type TrackerDriver = ReturnType<typeof createTrackerDriver>;

type TrackerTools = EffectTools & {
  readonly log: Log;
  readonly append: Outbox['append'];
  /** Calls with events or changes that are only in memory. */
  readonly callsInMemory: () => number;
  readonly onAppended: (appended: Appended) => void;
  /** Called when an input has been taken. */
  readonly onApplied: (input: Input, effects: readonly Effect[]) => void;
  readonly fail: (error: unknown) => void;
  /** Whether to write the journal. */
  readonly keepsJournal: boolean;
  /** Whether to send `extras`, which the API's document does not have (API_EXTRAS). */
  readonly sendsExtras: boolean;
};

/** Carries out the tracker's effects. A report goes to disk first, and only then to the log and to delivery. */
export function createTrackerDriver(rules: Rules, saved: Omit<Saved, 'cdrCheckpoint'>, tools: TrackerTools) {
  const { log, append, fail, sendsExtras } = tools;
  const { pbxId } = rules;
  const tracker = createTracker(rules, {
    calls: saved.calls.flatMap(({ id, state }) => readOpenCall(state) ?? forget(id)),
    trunks: saved.trunks.flatMap((row) => readTrunk(row) ?? []),
    unreported: saved.unreported.map((id) => id.slice(pbxId.length + 1)),
  });
  const { state } = tracker;
  const bridgeEvents = watchBridgeEvents(log);
  const journal = createJournalBuffer((lines) =>
    // Calls are reported without it; the outbox logs what is wrong with the disk.
    append({ calls: [], trunks: [], events: [], journal: lines }).then(nothing, nothing),
  );
  const alarm = createTickAlarm(() => apply({ type: 'tick', at: Date.now() }));
  const writeJournal = (entry: JournalEntry): void => {
    if (tools.keepsJournal) journal.add(entry);
  };
  const callLog = createCallLog(log);
  const act = createEffectActions({ calls: callLog, alarm, bridgeEvents, writeJournal }, tools);
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

  function carryOut(effects: readonly Effect[]): void {
    for (const effect of effects) act(effect);
    const batch = batchOf(effects, { pbxId, sendsExtras });
    if (batch === undefined) return;
    const lines = journal.take();
    lastAppend = append(lines === undefined ? batch : { ...batch, journal: lines }).then((appended) => {
      callLog.stored(reportsOf(effects), appended.repeated);
      tools.onAppended(appended);
    }, fail);
  }

  return {
    apply,
    /** Applies these from the next input on. An open call keeps its id and its data. */
    changeRules: tracker.changeRules,
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
      logDecision: callLog.logDecision,
    } satisfies Omit<LiveCalls, 'recordOptions'>,
    status: (): CallCounts & { readonly open: number } => ({
      open: state.calls.size,
      ...callLog.counts(),
      journalDropped: journal.dropped(),
      hasBridgeEvents: bridgeEvents.has(),
    }),
  };
}

const nothing = (): void => {};
