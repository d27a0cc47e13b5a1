import sonic from 'sonic-boom';

/** Where the lines of a log go: a file descriptor that may take none for a while. */
export type LogDestination = {
  /** Takes a line, its line break included. Neither throws nor waits. */
  write(line: string): void;
};

export type LogDestinationOptions = {
  readonly fd: number;
  /** So much is kept while nothing is taken, bytes; further lines are dropped. */
  readonly mostWaiting?: number;
  /** What was kept is out again: so many lines after it were dropped, the first of them at `since`, Unix ms. */
  readonly onDropped: (count: number, since: number) => void;
};

/** Some 15,000 lines: hours of a quiet office, a minute of the busiest one. */
const MOST_WAITING = 4 * 1024 * 1024;

/** A pipe holds some 200 kB: what was kept is out within seconds. */
const RETRY_MS = 100;

/** The last words wait so long for somebody who reads slowly, when the process ends, ms. */
const LAST_WORDS_MS = 1_000;
const LAST_TRY_MS = 20;

/**
 * Writes each line at once, so that one which explains a crash is out before the crash is. But a pipe is full when its
 * reader stands still (journald, Docker, `| tee` to a dead disk), and a disk may be: then lines are kept, and at last
 * dropped and counted. No call waits for a log.
 */
export function openLogDestination({
  fd,
  mostWaiting = MOST_WAITING,
  onDropped,
}: LogDestinationOptions): LogDestination {
  // A full pipe answers EAGAIN instead of blocking since Node has looked at what standard output is.
  void process.stdout;
  const stream = new sonic.SonicBoom({ fd, sync: true, maxLength: mostWaiting, retryEAGAIN: () => false });
  let failure: NodeJS.ErrnoException | undefined;
  let retry: NodeJS.Timeout | undefined;
  let dropped = 0;
  let since = 0;

  /** What the last call left comes first; then it is known whether all is out. */
  function put(text: string): boolean {
    failure = undefined;
    stream.write(text);
    return failure === undefined;
  }

  /** Gives false if something is left. */
  function catchUp(): boolean {
    retry = undefined;
    if (!put('')) return false;
    if (dropped > 0) {
      const count = dropped;
      dropped = 0;
      onDropped(count, since);
    }
    return true;
  }

  const later = () => {
    retry ??= setTimeout(catchUp, RETRY_MS).unref();
  };
  stream.on('error', (error: NodeJS.ErrnoException) => {
    failure = error;
    later();
  });
  stream.on('drop', () => {
    since = Date.now();
    dropped = 1;
    later();
  });

  process.once('exit', () => {
    if (retry === undefined) return;
    const nobody = new Int32Array(new SharedArrayBuffer(4));
    for (let left = LAST_WORDS_MS; !catchUp() && failure?.code === 'EAGAIN' && left > 0; left -= LAST_TRY_MS)
      Atomics.wait(nobody, 0, 0, LAST_TRY_MS);
  });

  return {
    write(line) {
      // Once one is missing, all are until the rest is out: the gap is one, and is told of where it is.
      if (dropped > 0) dropped += 1;
      else put(line);
    },
  };
}
