import type { ExtendedCallEvent } from '../../shared/api/contract/call-event.ts';
import type { Log } from '../../shared/log/log.ts';
import { beganAt, callIdOf } from '../calls/open-call.ts';
import { missedText } from '../calls/place.ts';
import type { Appended, Batch, Outbox } from '../outbox/outbox.ts';
import { newEvent } from './call-decision.ts';
import type { RecordSource } from './cdr-source.ts';
import { dueCalls } from './due-calls.ts';
import { type DueEffect, decideDue } from './due-decision.ts';
import { checkpointText, type GapEvent, type GapState, ledgerLimit } from './gap-state.ts';
import type { LiveCalls } from './live-calls.ts';
import type { PendingCall } from './pending-calls.ts';

export type GapTools = {
  readonly outbox: Pick<Outbox, 'append' | 'ledgerEntries' | 'callIdsFrom'> & {
    /** Resolves with true if all events are on disk within `limitMs`. */
    readonly written: (limitMs: number) => Promise<boolean>;
  };
  readonly onAppended: (taken: Appended) => void;
  readonly log: Log;
  readonly now: () => number;
  /** Whether to send `extras`, which the API's document does not have (API_EXTRAS); no when absent. */
  readonly sendsExtras?: boolean;
};

/** The gap filler's state, and what changes it. */
export type GapMachine = {
  state(): GapState;
  apply(event: GapEvent): void;
};

type Records = {
  readonly source: RecordSource<unknown>;
  readonly pending: Map<string, PendingCall>;
};

/** Decides about pending calls whose records are all there, and stores the decisions. */
export function createGapDecider(
  { source, pending }: Records,
  { state, apply }: GapMachine,
  live: LiveCalls,
  { outbox, onAppended, log, now, sendsExtras = false }: GapTools,
) {
  const carryOut = createDueActions(apply, live, log);

  async function decideAll(): Promise<void> {
    const { callIdsFrom, ledgerEntries } = outbox;
    const { reads } = state();
    const due = await dueCalls(pending, { reads, live, idWidth: source.idWidth(), callIdsFrom });
    const idOf = (uniqueid: string) => callIdOf(live.rules().pbxId, uniqueid);
    const entries =
      due.length === 0 ? new Map() : await ledgerEntries(due.map(({ uniqueid }) => idOf(uniqueid)));
    const at = now();
    const { isPhone, presumesWithheld } = live;
    // As they are now, after the wait for the disk.
    const context = {
      isPhone,
      presumesWithheld,
      rules: live.rules(),
      trunks: live.trunks(),
      vanished: live.vanished(),
      since: ledgerLimit(state().since, at),
      now: at,
    };
    const effects = due.flatMap((call) => {
      const decided = decideDue(call, entries.get(idOf(call.uniqueid)), context);
      decided.forEach(carryOut);
      return decided;
    });
    const events = effects.flatMap((effect) => (effect.type === 'report' ? effect.events : []));
    await store(
      due.map(({ read }) => read),
      {
        events: events.map((event) => newEvent(event, now(), sendsExtras)),
        unreported: effects.flatMap((effect) =>
          effect.type === 'not-reported' ? [{ id: effect.id, at: effect.at, why: effect.why }] : [],
        ),
      },
    );
    for (const event of events) {
      if (event.status !== 'completed') continue;
      apply({ type: 'count', what: 'reported' });
      logReported(log, event);
    }
  }

  /** Stores decisions together with the checkpoint behind the decided calls, in one transaction. */
  async function store(
    decided: readonly string[],
    made: Pick<Batch, 'events' | 'unreported'> = { events: [] },
  ): Promise<void> {
    const isDecided = new Set(decided);
    const oldest = pending.entries().find(([uniqueid]) => !isDecided.has(uniqueid))?.[1];
    const { since, stored } = state();
    const text = checkpointText(state(), oldest?.from);
    if (text !== stored.text || decided.length > 0) {
      onAppended(await outbox.append({ calls: [], trunks: [], ...made, cdrCheckpoint: text }));
      apply({ type: 'stored', text, since });
    }
    for (const uniqueid of decided) pending.delete(uniqueid);
  }

  return { decideAll, store };
}

/** Does at once what goes to the tracker or the log; the rest goes to disk in one batch. */
function createDueActions(apply: GapMachine['apply'], live: LiveCalls, log: Log) {
  /** Trunks that are named once. */
  const namedTrunks = new Set<string>();
  return (effect: DueEffect): void => {
    switch (effect.type) {
      case 'end':
        apply({ type: 'count', what: 'ended' });
        live.end(effect.ended);
        break;
      case 'not-reported':
        if (effect.reason === undefined) break;
        apply({ type: 'count', what: 'notReported' });
        live.logDecision(effect.reason, effect.id, effect.why);
        break;
      case 'skip':
        apply({ type: 'count', what: effect.why });
        break;
      case 'journal':
        live.writeJournal(effect.entry);
        break;
      case 'all-withheld':
        if (!namedTrunks.has(effect.trunk)) log.say('cdr.all-withheld', { trunk: effect.trunk });
        namedTrunks.add(effect.trunk);
        break;
      case 'report':
        break;
      default:
        effect satisfies never;
    }
  };
}

function logReported(log: Log, { id, from, caller_id, extras }: ExtendedCallEvent): void {
  const outcome = caller_id === undefined ? missedText(extras?.missed ?? {}) : `answered by ${caller_id}`;
  const began = new Date(beganAt({ uniqueid: id })).toISOString();
  log.say('cdr.call-reported', { call: id, from, began, outcome });
}
