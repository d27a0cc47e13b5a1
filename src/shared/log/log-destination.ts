import sonic from 'sonic-boom';

/** Writes log lines to a file descriptor that may be blocked or full for a while. */
export type LogDestination = {
  /** `line` ends in a line break. Never throws. */
  write(line: string): void;
  status(): LogStatus;
};

export type LogStatus = {
  /** Since when lines cannot be written, Unix ms; absent while all are written. */
  readonly blockedSince?: number | undefined;
  /** Lines dropped since the start of the program. */
  readonly dropped: number;
};

type LogDestinationOptions = {
  readonly fd: number;
  /** Size of the buffer while lines cannot be written, bytes. Of further lines only the newest are kept. */
  readonly bufferBytes?: number;
  /** When the process exits, buffered lines wait this long for a slow reader, ms. */
  readonly exitTimeoutMs?: number;
  /** Called in place of `count` dropped lines, the first of them from `since` (Unix ms). */
  readonly onDropped: (count: number, since: number) => void;
};

/** About 15,000 lines: hours of a quiet office, a minute of the busiest one. */
const BUFFER_BYTES = 4 * 1024 * 1024;
/** Lines kept beyond a full buffer. The newest ones explain why a gap ends, or why the program does. */
const NEWEST_LINES = 50;

/** A pipe holds 64 kB or more, so a full buffer is written within seconds. */
const RETRY_MS = 100;
const EXIT_TIMEOUT_MS = 1_000;
const EXIT_RETRY_MS = 20;

/**
 * Writes each line synchronously, so that the line which explains a crash is written before the crash. When a pipe is
 * full because its reader hangs (journald, Docker, `| tee` to a dead disk), or when a disk is full, lines are buffered,
 * and finally dropped and counted. The program never waits for its log, except on a terminal stopped with Ctrl-S.
 */
export function openLogDestination({
  fd,
  bufferBytes = BUFFER_BYTES,
  exitTimeoutMs = EXIT_TIMEOUT_MS,
  onDropped,
}: LogDestinationOptions): LogDestination {
  // Makes Node initialise standard output: from then on a full pipe or socket answers EAGAIN instead of blocking.
  void process.stdout;
  const stream = new sonic.SonicBoom({ fd, sync: true, maxLength: bufferBytes, retryEAGAIN: () => false });
  /** Why the last write failed. */
  let failure: { readonly code?: string | undefined } | undefined;
  let blockedSince: number | undefined;
  let retry: NodeJS.Timeout | undefined;
  /** The newest lines that no longer fit into the buffer; dropped lines, if any, are in front of them. */
  let newest: { readonly at: number; readonly line: string }[] = [];
  const gap = { lines: 0, since: 0 };
  let dropped = 0;

  /** Writes buffered lines first, then `text`. Returns false if some could not be written. */
  function flush(text: string): boolean {
    failure = undefined;
    stream.write(text);
    if (failure === undefined) blockedSince = undefined;
    return failure === undefined;
  }

  function flushAll(): boolean {
    retry = undefined;
    if (!flush('')) return false;
    const [lines, missing] = [newest, gap.lines];
    newest = [];
    gap.lines = 0;
    if (missing > 0) onDropped(missing, gap.since);
    for (const { line } of lines) flush(line);
    return failure === undefined;
  }

  const scheduleRetry = () => {
    retry ??= setTimeout(flushAll, RETRY_MS).unref();
  };
  stream.on('error', (error: NodeJS.ErrnoException) => {
    failure = error;
    blockedSince ??= Date.now();
    scheduleRetry();
  });
  stream.on('drop', (line: string) => {
    failure = { code: 'buffer full' };
    newest.push({ at: Date.now(), line });
    scheduleRetry();
  });

  process.once('exit', () => {
    if (retry === undefined) return;
    const neverNotified = new Int32Array(new SharedArrayBuffer(4));
    for (
      let left = exitTimeoutMs;
      !flushAll() && failure?.code === 'EAGAIN' && left > 0;
      left -= EXIT_RETRY_MS
    )
      Atomics.wait(neverNotified, 0, 0, EXIT_RETRY_MS);
  });

  return {
    write(line) {
      // Once a line did not fit, later ones must not overtake it: a gap is in one place, and reported there.
      if (newest.length === 0) return void flush(line);
      newest.push({ at: Date.now(), line });
      if (newest.length <= NEWEST_LINES) return;
      const oldest = newest.shift();
      if (gap.lines === 0) gap.since = oldest?.at ?? 0;
      gap.lines += 1;
      dropped += 1;
    },
    status: () => ({ blockedSince, dropped }),
  };
}
