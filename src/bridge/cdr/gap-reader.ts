import type { Log } from '../../shared/log/log.ts';
import { longestUniqueid, type RecordFault, type RecordSource, RecordsRefused } from './cdr-source.ts';
import { readCheckpoint } from './checkpoint.ts';
import { readsBeforeDecision } from './due-calls.ts';
import { createGapDecider, type GapMachine, type GapTools } from './gap-decider.ts';
import { isThorough } from './gap-state.ts';
import type { LiveCalls } from './live-calls.ts';
import { createPendingCalls, createRecordTimeouts } from './pending-calls.ts';

export type GapReaderOptions = {
  /** Asterisk's call records; closed with the gap filler. */
  readonly source: RecordSource<unknown>;
  /** The last checkpoint that was stored; undefined at the first start. */
  readonly checkpoint: string | undefined;
  /** How long the ledger keeps calls after all records were read, ms; at least 2 days. */
  readonly keepMs: number;
  /** Interval between two reads, ms. */
  readonly everyMs: number;
};

/** Maximum time to wait for the disk, ms; until it has all live events, nothing is decided. */
const WRITTEN_MS = 500;

/** How long calls that are gone wait for records that cannot be read, ms. */
const LONGEST_UNREADABLE_MS = 3_600_000;

/** Reads the source, and has calls decided whose records were read. */
export function createGapReader(
  { source, checkpoint, keepMs, everyMs }: GapReaderOptions,
  machine: GapMachine,
  live: LiveCalls,
  tools: GapTools,
) {
  const { state, apply } = machine;
  const { outbox, log, now } = tools;
  const pending = createPendingCalls(live.recordOptions);
  const timeouts = createRecordTimeouts();
  const records = { source, pending: pending.calls };
  const { decideAll, store } = createGapDecider(records, machine, live, tools);
  const logOnce = createOnceLog(log, source.name);

  /** Determines where to start reading. Rejects while the source cannot be read. */
  async function begin(): Promise<void> {
    if (state().position !== undefined) return;
    const start = await startOf(source, checkpoint, now);
    apply(start);
    if (start.type === 'going-on') return;
    // Stored at once: a stop before the first record would make the next start begin later. Nothing waits for it while
    // the disk is full, since every read stores the position.
    void store([]).catch(() => {});
  }

  /** Ends calls for which Asterisk wrote no record, because it crashed during the call. */
  function giveUpVanished(atEnd: boolean): void {
    const delayReads = Math.ceil(live.recordOptions().delayMs / everyMs);
    const { reads } = state();
    for (const uniqueid of timeouts.expired(live.vanished(), { reads, atEnd, delayReads })) {
      if (pending.calls.has(uniqueid)) continue;
      apply({ type: 'count', what: 'unrecorded' });
      live.end({ at: now(), uniqueid });
    }
  }

  function onFailure(error: unknown): void {
    apply({ type: 'failed', error: failureText(error), now: now() });
  }

  /** Returns whether there is more to read now. */
  async function readChunk(): Promise<boolean> {
    // Calls whose events are only in memory are not in the ledger yet: they would be decided again.
    if (!(await outbox.written(WRITTEN_MS))) return false;
    await begin();
    apply({ type: 'check-since', now: now() });
    const thorough = isThorough(state(), live.snapshots());
    const { entries, next, atEnd, restarted } = await source.read(state().position, { thorough });
    if (source.idWidth() < longestUniqueid(live.recordOptions().systemname)) logOnce('cdr.cut-uniqueid');
    if (restarted) log.say('cdr.lost-position', { source: source.name });
    for (const { record, from } of entries) {
      if (typeof record === 'string') logOnce(faultCodes[record]);
      else pending.add(record, from, state().reads);
    }
    apply({ type: 'chunk-read', next, atEnd, pending: pending.calls.keys(), now: now(), keepMs });
    await decideAll();
    giveUpVanished(atEnd);
    const { reads } = state();
    const areWaiting = pending.calls.values().some((call) => reads - call.read < readsBeforeDecision);
    const isQuiet = atEnd && !areWaiting && live.vanished().size === 0;
    apply({ type: 'read-ended', isQuiet, snapshots: live.snapshots() });
    return !atEnd;
  }

  return {
    begin,
    onFailure,
    async read(): Promise<boolean> {
      apply({ type: 'read-begins' });
      try {
        return await readChunk();
      } catch (error) {
        onFailure(error);
        // A database may start after the bridge.
        giveUpVanished(now() - (state().unreadable?.since ?? 0) > LONGEST_UNREADABLE_MS);
        return false;
      }
    },
  };
}

/** Where reading starts: at the stored checkpoint, or at the end. */
async function startOf(source: RecordSource<unknown>, checkpoint: string | undefined, now: () => number) {
  const last = readCheckpoint(checkpoint, source);
  return last === undefined
    ? ({ type: 'from-now', position: await source.end(), now: now() } as const)
    : ({ type: 'going-on', text: checkpoint as string, checkpoint: last } as const);
}

const faultCodes = {
  bad: 'cdr.bad-line',
  'no-uniqueid': 'cdr.no-uniqueid',
  'cut-uniqueid': 'cdr.cut-uniqueid',
} as const satisfies Record<RecordFault, string>;

function failureText(error: unknown): string {
  return error instanceof RecordsRefused ? `${error.message}. ${error.todo}` : String(error);
}

/** Logs each fault of a source once. */
function createOnceLog(log: Log, source: string) {
  const logged = new Set<string>();
  return (code: (typeof faultCodes)[RecordFault]): void => {
    if (!logged.has(code)) log.say(code, { source });
    logged.add(code);
  };
}
