import { once } from 'node:events';
import { openLogDestination } from './log-destination.ts';

/**
 * A program that logs to standard output, configured by its only argument (JSON). It sends the message "written" after
 * `lines` lines, and writes one more line before it exits.
 */
export type Program = {
  readonly lines: number;
  readonly bufferBytes: number;
  readonly exitTimeoutMs?: number;
  /** What to wait for before the last line: the report of a gap, a message, or nothing. */
  readonly waitsFor: 'gap' | 'message' | 'exit';
};

const { lines, bufferBytes, exitTimeoutMs = 1_000, waitsFor } = JSON.parse(process.argv[2] ?? '') as Program;
const gap = Promise.withResolvers<void>();
const log = openLogDestination({
  fd: 1,
  bufferBytes,
  exitTimeoutMs,
  onDropped(count, since) {
    log.write(`${count} dropped since ${since}\n`);
    gap.resolve();
  },
});
const write = (text: string) => log.write(`${text.padEnd(99)}\n`);

for (let i = 0; i < lines; i += 1) write(String(i));
process.send?.('written');
if (waitsFor === 'message') await once(process, 'message');
if (waitsFor === 'gap') {
  // The log's timers do not keep the process alive.
  const alive = setInterval(() => {}, 1_000);
  await gap.promise;
  clearInterval(alive);
}
write('the last one');
process.exit();
