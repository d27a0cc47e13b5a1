import type { Log } from '../log/log.ts';
import { earlyHangup } from './early-hangup.ts';

/**
 * How the parts of a program are stopped: in the reverse of the order in which they are given here. A part that fails to
 * stop is logged, and the others are stopped nevertheless. `stop` may be called before the part has started.
 */
export function partsOf(stack: AsyncDisposableStack, log: Log): (part: string, stop: () => unknown) => void {
  return (part, stop) =>
    stack.defer(async () => {
      try {
        await stop();
      } catch (error) {
        log.say('program.stop-failed', { part, error });
      }
    });
}

/** What stops the parts of a program whose start has succeeded; until then the stack of the start does. */
export function stopOnce(starting: AsyncDisposableStack): () => Promise<void> {
  const started = starting.move();
  let stopping: Promise<void> | undefined;
  return () => {
    stopping ??= started.disposeAsync();
    return stopping;
  };
}

/**
 * Runs a program until SIGTERM, SIGINT or a failure, and returns the exit code. A second signal, or one during the
 * start, ends the process at once. SIGHUP reloads the settings, except on a terminal, where it means that the terminal
 * was closed.
 */
export async function runUntilStopped(
  start: (fail: (error: unknown) => void) => Promise<{ stop: () => Promise<void>; reload?: () => void }>,
  log: Log,
): Promise<number> {
  const { promise: end, resolve } = Promise.withResolvers<{ signal: string } | { error: unknown }>();
  const onSignal = (signal: NodeJS.Signals) => resolve({ signal });
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  let reload: (() => void) | undefined;
  let reloadWanted = earlyHangup.came;
  const onHangup = () => {
    reloadWanted = true;
    reload?.();
  };
  if (!process.stdout.isTTY) process.on('SIGHUP', onHangup);
  const starting = start((error) => resolve({ error })).then((program) => ({ program }));
  const first = await Promise.race([starting, end]);
  if (!('program' in first)) {
    // The process exits now, so a later failure to start does not matter; stored events are on disk.
    starting.catch(() => {});
    if ('error' in first) log.say('program.failed', { error: first.error });
    else log.say('program.stopped');
    return 'error' in first ? 1 : 0;
  }
  const { program } = first;
  reload = program.reload;
  // SIGHUP came during the start, after the settings were read.
  if (reloadWanted) reload?.();
  const reason = await end;
  reload = undefined;
  process.removeListener('SIGTERM', onSignal);
  process.removeListener('SIGINT', onSignal);
  if ('signal' in reason) log.say('program.stopping', { signal: reason.signal });
  else log.say('program.failed', { error: reason.error });
  const force = () => process.exit(1);
  process.once('SIGTERM', force);
  process.once('SIGINT', force);
  await program.stop();
  if ('error' in reason) return 1;
  log.say('program.stopped');
  return 0;
}
