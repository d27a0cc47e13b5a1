import type { Clock } from '../../shared/process/clock.ts';

/** Waits, at most until the signal is aborted. */
export const pause = (ms: number, clock: Pick<Clock, 'setTimer'>, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const cancel = clock.setTimer(done, ms);
    signal?.addEventListener('abort', done);

    function done(): void {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    }
  });
