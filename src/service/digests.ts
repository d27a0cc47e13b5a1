import type { Log } from '../ops/log.ts';
import type { RequestStore } from './store/request-store.ts';

const EVERY_MS = 60_000;

/** Has the store digest its history, every minute and never twice at once. Gives the way to stop. */
export function keepDigests(
  requests: Pick<RequestStore, 'digest'>,
  clock: () => number,
  log: Log,
): () => void {
  let running = false;
  let stopped = false;
  const timer = setInterval(async () => {
    if (running) return;
    running = true;
    try {
      await requests.digest(clock());
    } catch (error) {
      if (!stopped) log.say('service.digest-failed', { error });
    }
    running = false;
  }, EVERY_MS);
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}
