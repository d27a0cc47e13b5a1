import { once } from 'node:events';
import { createLog } from './log.ts';
import { openLogDestination } from './log-destination.ts';

/**
 * A program that logs to standard output, configured by its only argument (JSON). It sends the message "written" after
 * `lines` lines, and writes one more line before it exits.
 */
export type Program = {
  readonly lines: number;
  /** Absent: use `createLog` with its own buffer size. */
  readonly bufferBytes?: number;
  readonly exitTimeoutMs?: number;
  /** What to wait for before the last line: the report of a gap, a message, or nothing. */
  readonly waitsFor: 'gap' | 'message' | 'exit';
};

const { lines, bufferBytes, exitTimeoutMs = 1_000, waitsFor } = JSON.parse(process.argv[2] ?? '') as Program;
const gap = Promise.withResolvers<void>();
const write = bufferBytes === undefined ? writeMessages() : writeTexts(bufferBytes);

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

function writeTexts(bufferBytes: number): (text: string) => void {
  const log = openLogDestination({
    ...{ fd: 1, bufferBytes, exitTimeoutMs },
    onDropped(count, since) {
      log.write(`${count} dropped since ${since}\n`);
      gap.resolve();
    },
  });
  return (text) => log.write(`${text.padEnd(99)}\n`);
}

function writeMessages(): (text: string) => void {
  const log = createLog({ level: 'error', format: 'json', numbers: 'mask', colour: false, secrets: [] });
  const poll = setInterval(() => {
    const { dropped, blockedSince } = log.status();
    if (dropped === 0 || blockedSince !== undefined) return;
    clearInterval(poll);
    gap.resolve();
  }, 50);
  return (error) => log.say('program.failed', { error });
}
