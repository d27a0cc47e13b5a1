import sonic from 'sonic-boom';

/** Where the lines of a log go: a file descriptor that may take none for a while. */
export type LogDestination = {
  /** Takes a line, its line break included. Never throws. */
  write(line: string): void;
  status(): LogStatus;
};

/** Whether what a log says is taken. Times are Unix ms. */
export type LogStatus = {
  /** Since when nothing takes its lines; absent while all are taken. */
  readonly untakenSince?: number | undefined;
  /** Lines that are missing in the log since the start. */
  readonly dropped: number;
};

export type LogDestinationOptions = {
  readonly fd: number;
  /** So much is kept while nothing is taken, bytes; of further lines only the newest. */
  readonly mostWaiting?: number;
  /** When the process ends, what is kept waits so long for somebody who reads slowly, ms. */
  readonly lastWordsMs?: number;
  /** What was kept is out again: so many lines after it are missing, the first of them of `since`, Unix ms. */
  readonly onDropped: (count: number, since: number) => void;
};

/** Some 15,000 lines: hours of a quiet office, a minute of the busiest one. */
const MOST_WAITING = 4 * 1024 * 1024;
/** The end of a gap says why it ends, or why the program does. */
const NEWEST = 50;

/** A pipe holds 64 kB or more: what was kept is out within seconds. */
const RETRY_MS = 100;
const LAST_WORDS_MS = 1_000;
const LAST_TRY_MS = 20;

/**
 * Writes each line at once, so that one which explains a crash is out before the crash is. But a pipe is full when its
 * reader stands still (journald, Docker, `| tee` to a dead disk), and a disk may be: then lines are kept, and at last
 * dropped and counted. No call waits for a log; only for a terminal that somebody has stopped (Ctrl-S).
 */
export function openLogDestination({
  fd,
  mostWaiting = MOST_WAITING,
  lastWordsMs = LAST_WORDS_MS,
  onDropped,
}: LogDestinationOptions): LogDestination {
  // Has Node see what standard output is: from then on, a full pipe or socket there answers EAGAIN instead of blocking.
  void process.stdout;
  const stream = new sonic.SonicBoom({ fd, sync: true, maxLength: mostWaiting, retryEAGAIN: () => false });
  /** What kept the last text, or some before it, from being taken. */
  let failure: { readonly code?: string | undefined } | undefined;
  let untakenSince: number | undefined;
  let retry: NodeJS.Timeout | undefined;
  /** The newest lines behind a gap, or behind what is kept if there is none yet. */
  let newest: { readonly at: number; readonly line: string }[] = [];
  const gap = { lines: 0, since: 0 };
  let dropped = 0;

  /** What the last call left comes first; gives false if something is left. */
  function put(text: string): boolean {
    failure = undefined;
    stream.write(text);
    if (failure === undefined) untakenSince = undefined;
    return failure === undefined;
  }

  function catchUp(): boolean {
    retry = undefined;
    if (!put('')) return false;
    const [lines, missing] = [newest, gap.lines];
    newest = [];
    gap.lines = 0;
    if (missing > 0) onDropped(missing, gap.since);
    for (const { line } of lines) put(line);
    return failure === undefined;
  }

  const later = () => {
    retry ??= setTimeout(catchUp, RETRY_MS).unref();
  };
  stream.on('error', (error: NodeJS.ErrnoException) => {
    failure = error;
    untakenSince ??= Date.now();
    later();
  });
  stream.on('drop', (line: string) => {
    failure = { code: 'no room' };
    newest.push({ at: Date.now(), line });
    later();
  });

  process.once('exit', () => {
    if (retry === undefined) return;
    const nobody = new Int32Array(new SharedArrayBuffer(4));
    for (let left = lastWordsMs; !catchUp() && failure?.code === 'EAGAIN' && left > 0; left -= LAST_TRY_MS)
      Atomics.wait(nobody, 0, 0, LAST_TRY_MS);
  });

  return {
    write(line) {
      // Once one has no room, none has until the rest is out: a gap is one, and is told of where it is.
      if (newest.length === 0) return void put(line);
      newest.push({ at: Date.now(), line });
      if (newest.length <= NEWEST) return;
      const oldest = newest.shift();
      if (gap.lines === 0) gap.since = oldest?.at ?? 0;
      gap.lines += 1;
      dropped += 1;
    },
    status: () => ({ untakenSince, dropped }),
  };
}
