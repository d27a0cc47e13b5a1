import { within } from '../../shared/process/within.ts';
import type { GapTools } from './gap-decider.ts';
import { createGapReader, type GapReaderOptions } from './gap-reader.ts';
import { type GapEvent, ledgerLimit, newGapState, nextGap, type Unreadable } from './gap-state.ts';
import type { LiveCalls } from './live-calls.ts';

type GapFillerOptions = Omit<GapReaderOptions, 'everyMs'> & {
  /** Default 2000. */
  readonly everyMs?: number | undefined;
};

/** Maximum time that a stop waits for a running read, ms. */
const STOP_MS = 1_000;

/**
 * Fills gaps from call records (CDR): reports calls that began and ended while the bridge was not connected, each
 * exactly once. What was decided about a call, live or here, is in the outbox's ledger. It reads continuously, a few
 * seconds behind Asterisk, so that little is left to read after a gap.
 */
export function createGapFiller(options: GapFillerOptions, live: LiveCalls, tools: GapTools) {
  const { source, everyMs = 2_000 } = options;
  const { log, now } = tools;
  let state = newGapState(source.name);
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<unknown> = Promise.resolve();
  let stopped = false;
  const reader = createGapReader({ ...options, everyMs }, { state: () => state, apply }, live, tools);

  function apply(event: GapEvent): void {
    const [next, ...lines] = nextGap(state, event);
    state = next;
    // A source that was closed with the bridge needs no action.
    for (const { code, fields } of lines) if (!stopped || code !== 'cdr.unreadable') log.say(code, fields);
  }

  /** Reads run one after the other. */
  function read(): Promise<boolean> {
    const mine = underWay.then(reader.read);
    underWay = mine;
    return mine;
  }

  async function run(): Promise<void> {
    while ((await read()) && !stopped);
    if (!stopped) timer = setTimeout(run, everyMs);
  }

  return {
    read,
    /** Unix ms: calls that began before are not reported from records any more. */
    ledgerSince: () => ledgerLimit(state.stored.since, now()),
    /** Since when and why the records cannot be read; undefined if they can. */
    unreadable: (): Unreadable | undefined => state.unreadable,
    async start() {
      // A source that does not respond must not keep the bridge from starting.
      await reader.begin().catch(reader.onFailure);
      void run();
    },
    /** Waits for a running read, but not for long: it may be waiting for the disk. */
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await within(STOP_MS, underWay);
      await source.close();
    },
  };
}
