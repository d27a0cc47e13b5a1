import type { JournalEntry } from './calls/effect.ts';
import type { Batch } from './outbox/outbox.ts';

/** How long lines wait for a batch of events before they are written alone, ms. */
const flushMs = 1_000;

/** Most lines that wait for the disk: more are dropped, since the journal must not fill the memory. */
const mostLines = 10_000;

type Lines = NonNullable<Batch['journal']>;

/** The line of an entry. 1.0.0 expects a sentence as its text, and after a downgrade shows the code. */
export function journalLine(entry: JournalEntry): string {
  return JSON.stringify({ ...entry, text: entry.event.code });
}

/** Gathers journal lines until a batch takes them along; `write` writes them alone when none comes. */
export function createJournalBuffer(write: (lines: Lines) => Promise<void>) {
  const lines: string[] = [];
  let at = 0;
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  /** What is being written alone: the next lines wait for it. */
  let writing: Promise<void> | undefined;

  async function writeAlone(): Promise<void> {
    const taken = buffer.take();
    if (taken === undefined) return;
    writing = write(taken);
    await writing;
    writing = undefined;
  }

  const buffer = {
    add(entry: JournalEntry) {
      if (lines.length >= mostLines) dropped += 1;
      else lines.push(journalLine(entry));
      at = entry.at;
      const flush = () => {
        timer = undefined;
        if (writing === undefined) void writeAlone();
      };
      timer ??= setTimeout(flush, flushMs).unref();
    },
    /** The gathered lines, for the batch that is about to be written. */
    take(): Lines | undefined {
      clearTimeout(timer);
      timer = undefined;
      if (lines.length === 0) return undefined;
      return { lines: lines.splice(0).join('\n'), at };
    },
    /** Lines that were dropped because the disk accepted none for too long. */
    dropped: () => dropped,
    /** Writes what is left. */
    stop: writeAlone,
  };
  return buffer;
}
