import type { Log } from '../log/log.ts';

/** A part of a program that runs: it is started after all that it needs, and stopped before them. */
export type Part = {
  readonly name: string;
  start(): Promise<void>;
  /** Releases everything; harmless before start and a second time. */
  stop(): Promise<void>;
};

/**
 * Starts parts in order. If one fails, those before it are stopped again and the failure is thrown.
 * Gives the stop of all, in reverse; a part that fails to stop does not keep the others from it.
 */
export async function startInOrder(parts: readonly Part[], log: Log): Promise<() => Promise<void>> {
  const started: Part[] = [];
  let stopping: Promise<void> | undefined;
  const stopAll = async () => {
    for (const part of started.reverse())
      await part.stop().catch((error: unknown) => log.say('program.stop-failed', { part: part.name, error }));
  };
  for (const part of parts) {
    started.push(part);
    try {
      await part.start();
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
 * Runs a program until it is told to stop (SIGTERM, SIGINT) or fails, and gives the code that the process should exit
 * with at once. A second signal does not wait any longer, nor does one that comes while the program still starts.
 * SIGHUP has it reload, if it can; from a terminal that signal says that the terminal is gone.
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
  let reloadWanted = false;
  const onHangup = () => {
    reloadWanted = true;
    reload?.();
  };
  if (!process.stdout.isTTY) process.on('SIGHUP', onHangup);
  const starting = start((error) => resolve({ error })).then((program) => ({ program }));
  const first = await Promise.race([starting, end]);
  if (!('program' in first)) {
    // What it holds so far goes with the process, and so does its failure to start; what was taken is on disk.
    starting.catch(() => {});
    if ('error' in first) log.say('program.failed', { error: first.error });
    else log.say('program.stopped');
    return 'error' in first ? 1 : 0;
  }
  const { program } = first;
  reload = program.reload;
  // It came while the program started, with settings that were read before.
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
