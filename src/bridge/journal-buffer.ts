import type { JournalEntry } from '../calls/effect.ts';
import type { Batch } from '../outbox/outbox.ts';

/** Lines that no batch of events takes along are written after this, ms. */
const flushMs = 1_000;

/** Lines that wait for the disk: the journal explains calls, it must not cost any. */
const mostLines = 10_000;

type JournalBuffer = {
  add(entry: JournalEntry): void;
  /** What has gathered, for the batch that is about to go to the disk. */
  take(): Batch['journal'];
  /** Lines that were left out, since the disk took none for too long. */
  dropped(): number;
  stop(): void;
};

/** Gathers journal lines until a batch takes them along; `flush` asks for one when none comes. */
export function createJournalBuffer(flush: () => void): JournalBuffer {
  let lines: string[] = [];
  let at = 0;
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  const ring = () => {
    timer = undefined;
    flush();
  };
  return {
    add(entry) {
      if (lines.length >= mostLines) dropped += 1;
      else lines.push(JSON.stringify(entry));
      at = entry.at;
      timer ??= setTimeout(ring, flushMs).unref();
    },
    take() {
      clearTimeout(timer);
      timer = undefined;
      if (lines.length === 0) return undefined;
      const taken = { lines: lines.join('\n'), at };
      lines = [];
      return taken;
    },
    dropped: () => dropped,
    stop: () => clearTimeout(timer),
  };
}
