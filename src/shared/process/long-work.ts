import { clearLine, cursorTo } from 'node:readline';
import type { Writable } from 'node:stream';

/** Shorter work needs no progress, ms. */
const SHORT_MS = 2_000;
/** Of a terminal, between two texts, ms. */
const EVERY_MS = 250;

type Out = Writable & { readonly isTTY?: boolean | undefined };
export type Progress = (done: number, of?: number) => void;

/** `3 s`, `12 min`, `2 h` */
const span = (ms: number) =>
  ms < 90_000
    ? `${Math.ceil(ms / 1_000)} s`
    : ms < 5_400_000
      ? `${Math.ceil(ms / 60_000)} min`
      : `${Math.ceil(ms / 3_600_000)} h`;

/**
 * Says on a terminal how far long work is, in one line that is overwritten: what, how much of how much, and how long still;
 * nothing of work that takes two seconds. Elsewhere it says nothing: cron would mail it each night.
 */
export function createProgress(what: string, out: Out, clock: () => number = Date.now) {
  const began = clock();
  let saidAt = began + SHORT_MS - EVERY_MS;
  let isThere = false;
  return {
    /** `of`: all that there is, if it is known; in whatever unit `done` is counted. */
    at(done: number, of?: number): void {
      const now = clock();
      if (!out.isTTY || now - saidAt < EVERY_MS) return;
      saidAt = now;
      const share = of === undefined || of === 0 ? undefined : Math.min(1, done / of);
      const amount = done.toLocaleString('en');
      const left = share ? `, ${span(((now - began) / share) * (1 - share))} left` : '';
      const far =
        share === undefined
          ? amount
          : `${amount} of ${of?.toLocaleString('en')} (${Math.floor(share * 100)} %)${left}`;
      cursorTo(out, 0);
      out.write(`${what}: ${far}`);
      clearLine(out, 1);
      isThere = true;
    },
    /** Takes the line off the terminal. */
    end(): void {
      if (!isThere) return;
      cursorTo(out, 0);
      clearLine(out, 0);
    },
  };
}

/**
 * Does long work with its progress. On Ctrl-C or SIGTERM, one line says what is left of it, and the process
 * ends by that signal, as one that has no such handler. `undo` is called right before.
 */
export async function longWork<Result>(
  what: string,
  { left, undo }: { left(): string; undo?(): void },
  work: (progress: Progress) => Promise<Result>,
  out: Out = process.stderr,
): Promise<Result> {
  const progress = createProgress(what, out);
  const stop = (signal: NodeJS.Signals) => {
    progress.end();
    for (const each of signals) process.removeListener(each, stop);
    out.write(`stopped: ${left()}\n`, () => {
      // At the last moment: a thread that still works would create the file again.
      undo?.();
      process.kill(process.pid, signal);
    });
  };
  for (const signal of signals) process.on(signal, stop);
  try {
    return await work(progress.at);
  } finally {
    progress.end();
    for (const signal of signals) process.removeListener(signal, stop);
  }
}
const signals = ['SIGINT', 'SIGTERM'] as const;
