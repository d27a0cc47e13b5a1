import { once } from 'node:events';
import { createLog } from './log.ts';
import { openLogDestination } from './log-destination.ts';

/**
 * A program with a log on standard output, as it is described by one argument. It says when so many lines are written,
 * and writes one more at its end.
 */
export type Program = {
  readonly lines: number;
  /** Bytes; absent: the log that programs have, and its messages. */
  readonly mostWaiting?: number;
  readonly lastWordsMs?: number;
  /** Before the last line: the end of a gap, a message, or nothing. */
  readonly waitsFor: 'gap' | 'message' | 'exit';
};

const { lines, mostWaiting, lastWordsMs = 1_000, waitsFor } = JSON.parse(process.argv[2] ?? '') as Program;
const gap = Promise.withResolvers<void>();
const write = mostWaiting === undefined ? messages() : texts(mostWaiting);

for (let i = 0; i < lines; i += 1) write(String(i));
process.send?.('written');
if (waitsFor === 'message') await once(process, 'message');
if (waitsFor === 'gap') {
  // A log keeps no program alive.
  const alive = setInterval(() => {}, 1_000);
  await gap.promise;
  clearInterval(alive);
}
write('the last one');
process.exit();

function texts(mostWaiting: number): (text: string) => void {
  const log = openLogDestination({
    ...{ fd: 1, mostWaiting, lastWordsMs },
    onDropped(count, since) {
      log.write(`${count} dropped since ${since}\n`);
      gap.resolve();
    },
  });
  return (text) => log.write(`${text.padEnd(99)}\n`);
}

function messages(): (text: string) => void {
  const log = createLog({ level: 'error', format: 'json', numbers: 'mask', colour: false, secrets: [] });
  const look = setInterval(() => {
    const { dropped, untakenSince } = log.status();
    if (dropped === 0 || untakenSince !== undefined) return;
    clearInterval(look);
    gap.resolve();
  }, 50);
  return (error) => log.say('program.failed', { error });
}
