import type { Clock } from '../../shared/process/clock.ts';
import type { Connection } from './connection.ts';
import { readChannels } from './snapshot.ts';

export type KeepAliveOptions = {
  /** Milliseconds from an answer to the next Ping. */
  readonly intervalMs: number;
  /** Milliseconds without a single byte after a Ping, after which the connection is failed. */
  readonly deadlineMs: number;
};

/**
 * Pings until it is stopped. A half-open link is found after at most interval + deadline; a link on which
 * bytes still arrive is alive, however long Asterisk takes to answer.
 * @param options `answersPing`: as long as it is false the channels are read instead of a Ping.
 * @param onPong awaited before the next Ping.
 * @param onError what onPong threw, or ConnectionEnded.
 */
export function keepAlive(
  connection: Connection,
  { intervalMs, deadlineMs, answersPing }: KeepAliveOptions & { readonly answersPing: () => boolean },
  clock: Clock,
  onPong: (at: number) => Promise<void>,
  onError: (error: unknown) => void,
): () => void {
  const limits = { deadlineMs, longestMs: Number.POSITIVE_INFINITY };
  const isAlive = (): Promise<unknown> =>
    answersPing()
      ? connection.request({ action: 'Ping' }, { limits, needed: true })
      : readChannels(connection);
  let cancel = clock.setTimer(ping, intervalMs);
  let stopped = false;
  return () => {
    stopped = true;
    cancel();
  };

  function ping(): void {
    isAlive()
      .then(() => onPong(clock.now()))
      .then(() => {
        if (!stopped) cancel = clock.setTimer(ping, intervalMs);
      })
      .catch(onError);
  }
}
