import type { Clock } from './clock.ts';
import type { Connection } from './connection.ts';
import { ConnectionEnded } from './pledges.ts';

export type KeepAliveOptions = {
  /** Milliseconds from an answer to the next Ping. */
  readonly intervalMs: number;
  /** Milliseconds without a single byte after a Ping, after which the connection is failed. */
  readonly deadlineMs: number;
};

/**
 * Pings for as long as the connection lasts. A half-open link is found after at most interval + deadline; a
 * link on which bytes still arrive is alive, however long Asterisk takes to answer.
 * @param onPong awaited before the next Ping.
 */
export async function keepAlive(
  connection: Connection,
  { intervalMs, deadlineMs }: KeepAliveOptions,
  clock: Clock,
  onPong: (at: number) => Promise<void> | void,
): Promise<void> {
  try {
    for (;;) {
      await new Promise<void>((resolve) => clock.setTimer(resolve, intervalMs));
      const pong = connection.requestUntimed({ action: 'Ping' });
      const stopWatching = watch(connection, deadlineMs, clock);
      await pong.finally(stopWatching);
      await onPong(clock.now());
    }
  } catch (error) {
    if (!(error instanceof ConnectionEnded)) throw error;
  }
}

/** Fails the connection when a whole deadline passes without bytes. */
function watch(connection: Connection, deadlineMs: number, clock: Clock): () => void {
  let cancel: () => void;
  let stopped = false;
  const begin = (): void => {
    const seen = connection.bytesIn();
    cancel = clock.setTimer(() => {
      // If it was we who stood still, the bytes wait in the socket: they are read before the verdict.
      setImmediate(() => {
        if (stopped) return;
        if (connection.bytesIn() === seen) connection.fail({ kind: 'silent', detail: 'Ping' });
        else begin();
      });
    }, deadlineMs);
  };
  begin();
  return () => {
    stopped = true;
    cancel();
  };
}
