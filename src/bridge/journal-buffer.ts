import type { JournalEntry } from './calls/effect.ts';
import type { Batch } from './outbox/outbox.ts';

/** How long lines wait for a batch of events before they are written alone, ms. */
const flushMs = 1_000;

/** Most lines that wait for the disk: more are dropped, since the journal must not fill the memory. */
const mostLines = 10_000;

/** Gathers journal lines until a batch takes them along; `flush` asks for one when none comes. */
export function createJournalBuffer(flush: () => void) {
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
