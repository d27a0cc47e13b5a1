/**
 * What must not outlive this process: run on exit, and on SIGINT, SIGTERM and SIGHUP too, which then end it, unless
 * somebody else listens for them.
 * Gives a function that takes the promise back.
 */
export function atExit(cleanUp: () => void): () => void {
  if (pending.size === 0) {
    process.once('exit', runAll);
    for (const signal of signals) process.once(signal, leave);
  }
  pending.add(cleanUp);
  return () => {
    pending.delete(cleanUp);
    if (pending.size > 0) return;
    process.off('exit', runAll);
    for (const signal of signals) process.off(signal, leave);
  };
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const pending = new Set<() => void>();

function runAll(): void {
  for (const cleanUp of pending) cleanUp();
  pending.clear();
}

function leave(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) === 0) process.exit(130);
}
