import type { Clock } from './clock.ts';
import type { Connection } from './connection.ts';

export type KeepAliveOptions = {
  /** Milliseconds from an answer to the next Ping. */
  readonly intervalMs: number;
  /** Milliseconds without a single byte after a Ping, after which the connection is failed. */
  readonly deadlineMs: number;
};

/**
 * Pings until it is stopped. A half-open link is found after at most interval + deadline; a link on which
 * bytes still arrive is alive, however long Asterisk takes to answer.
 * @param onPong awaited before the next Ping.
 * @param onError what onPong threw, or ConnectionEnded.
 */
export function keepAlive(
  connection: Connection,
  { intervalMs, deadlineMs }: KeepAliveOptions,
  clock: Clock,
  onPong: (at: number) => Promise<void>,
  onError: (error: unknown) => void,
): () => void {
  let cancel = (): void => {};
  let stopped = false;
  schedule(ping, intervalMs);
  return () => {
    stopped = true;
    cancel();
  };

  function schedule(next: () => void, ms: number): void {
    if (stopped) return;
    let cancelled = false;
    const cancelTimer = clock.setTimer(() => {
      // If it was we who stood still, bytes wait in the socket: they are read before anything is concluded.
      setImmediate(() => {
        if (!cancelled) next();
      });
    }, ms);
    cancel = () => {
      cancelled = true;
      cancelTimer();
    };
  }

  function ping(): void {
    const answered = connection.requestUntimed({ action: 'Ping' });
    watch();
    answered
      .then(() => {
        cancel();
        return onPong(clock.now());
      })
      .then(() => schedule(ping, intervalMs))
      .catch(onError);
  }

  /** Fails the connection when a whole deadline passes without bytes. */
  function watch(): void {
    const seen = connection.bytesIn();
    schedule(() => {
      if (connection.bytesIn() === seen) connection.fail({ kind: 'silent', detail: 'Ping' });
      else watch();
    }, deadlineMs);
  }
}
