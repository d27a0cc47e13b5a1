import { once } from 'node:events';
import { openLogDestination } from './log-destination.ts';

/**
 * A program with a log on standard output. It says when so many lines are written, and writes one more when it is told
 * to, or after a gap.
 */
const [lines, mostWaiting, then] = process.argv.slice(2);
const gap = Promise.withResolvers<void>();
const log = openLogDestination({
  ...{ fd: 1, mostWaiting: Number(mostWaiting) },
  onDropped(count, since) {
    log.write(`${count} dropped since ${since}\n`);
    gap.resolve();
  },
});
for (let i = 0; i < Number(lines); i += 1) log.write(`${String(i).padEnd(99)}\n`);
process.send?.('written');
if (then === 'exit') process.exit();
// Whatever else keeps a program alive: a log does not.
const alive = setInterval(() => {}, 1_000);
await (then === 'gap' ? gap.promise : once(process, 'message'));
log.write('heard again\n');
clearInterval(alive);
process.disconnect?.();
