import type { Outbox } from './outbox/outbox.ts';

/** How often old delivered events are forgotten, ms. */
const PRUNE_EVERY_MS = 600_000;

/** The journal's oldest lines go when it has more characters than this: a month of 4,000 calls a day. */
const MOST_JOURNAL = 256 << 20;

/** Every 144th pruning, which is once a day, the database is checked as well. */
const CHECK_EVERY = 144;

/**
 * Deletes delivered events and journal lines at the end of their retention, and looks for damage. The outbox logs disk
 * errors. `ledgerSince`: Unix ms of the oldest calls that the call records may still contain.
 */
export function createPruning(
  outbox: Pick<Outbox, 'prune' | 'pruneJournal' | 'check'>,
  { keepMs, journalKeepMs }: { keepMs: number; journalKeepMs: number },
  ledgerSince = () => Number.POSITIVE_INFINITY,
) {
  let rounds = 0;
  let timer: NodeJS.Timeout | undefined;
  const prune = () => {
    void outbox.prune(Math.min(Date.now() - keepMs, ledgerSince())).catch(() => {});
    void outbox.pruneJournal(Date.now() - journalKeepMs, MOST_JOURNAL).catch(() => {});
    if (rounds++ % CHECK_EVERY === 0) void outbox.check().catch(() => {});
  };
  return {
    start() {
      timer = setInterval(prune, PRUNE_EVERY_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
