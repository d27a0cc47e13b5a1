import type { Log } from '../log/log.ts';
import { earlyHangup } from './early-hangup.ts';

/** A part of a running program: started after the parts that it needs, and stopped before them. */
export type Part = {
  readonly name: string;
  readonly start?: (() => unknown) | undefined;
  /** Releases everything; may be called before start, and more than once. */
  readonly stop?: (() => unknown) | undefined;
};

/**
 * Starts parts in order. If one fails, it and those before it are stopped, and the error is thrown. Returns a function
 * that stops all in reverse order; if a part fails to stop, the others are stopped nevertheless.
 */
export async function startInOrder(parts: readonly Part[], log: Log): Promise<() => Promise<void>> {
  const started: Part[] = [];
  let stopping: Promise<void> | undefined;
  const stopAll = async () => {
    for (const part of started.reverse())
      try {
        await part.stop?.();
      } catch (error) {
        log.say('program.stop-failed', { part: part.name, error });
      }
  };
  for (const part of parts) {
    started.push(part);
    try {
      await part.start?.();
    } catch (error) {
      await stopAll();
      throw error;
    }
  }
  return () => {
    stopping ??= stopAll();
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

/** A part that holds a value between its start and its stop. */
export function part<T>(name: string, open: () => T | Promise<T>, close: (value: T) => void | Promise<void>) {
  let held: { value: T } | undefined;
  return {
    name,
    start: async () => {
      held = { value: await open() };
    },
    stop: async () => {
      const { value } = held ?? {};
      held = undefined;
      if (value !== undefined) await close(value);
    },
    value: () => (held as { value: T }).value,
  } satisfies Part & { value: () => T };
}
