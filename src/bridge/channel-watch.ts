import { monotonicMs } from '../shared/process/clock.ts';

/** How often the channels of the PBX are compared with those that are known, ms. A lost Hangup is missing in two lists. */
const EVERY_MS = 20_000;
/** Least time between two lists, ms: a big PBX sends megabytes. */
const GAP_MS = 2_000;

/** Asks the PBX for its channels now and then while calls are open, so that lost events are noticed. */
export function createChannelWatch({ ask, hasOpenCalls }: { ask: () => void; hasOpenCalls: () => boolean }) {
  let timer: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;

  function askNow(): void {
    soon = undefined;
    askedAt = monotonicMs();
    ask();
  }

  /** Asks as soon as the last list is old enough. */
  function request(): void {
    soon ??= setTimeout(askNow, Math.max(askedAt + GAP_MS - monotonicMs(), 0));
  }

  return {
    request,
    start() {
      timer = setInterval(() => {
        if (hasOpenCalls()) request();
      }, EVERY_MS);
    },
    stop() {
      clearInterval(timer);
      clearTimeout(soon);
    },
  };
}
