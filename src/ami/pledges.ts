import type { Clock } from './clock.ts';
import type { AmiFailure } from './failure.ts';

/** What a connection that has ended rejects its promises with. */
export class ConnectionEnded extends Error {
  override readonly name = 'ConnectionEnded';
  readonly failure: AmiFailure;

  constructor(failure: AmiFailure) {
    super(`the AMI connection has ended: ${failure.kind}`);
    this.failure = failure;
  }
}

/** The promises of one connection: each is kept, or rejected when the connection ends. */
export type Pledges = {
  /**
   * A promise that `start` keeps by calling `done`.
   * @param late why the connection is to be failed when that takes longer than `limits`.
   */
  make<Value>(
    start: (done: (value: Value) => void) => void,
    limits: AnswerLimits,
    late: AmiFailure,
  ): Promise<Value>;
  /** Rejects all, and those made from now on. */
  breakAll(failure: AmiFailure): void;
};

/** How long an answer is waited for. */
export type AnswerLimits = {
  /** A whole span of this length without a byte ends the wait, milliseconds: it is noticed within two of them. */
  readonly deadlineMs: number;
  /** The wait ends after so long in any case, milliseconds; may be infinite. */
  readonly longestMs: number;
};

/**
 * What arrives in the meantime stands before the answer: whoever still reads it is behind, and a new connection would
 * put it further behind.
 * @param bytesIn how many bytes have arrived.
 */
export function createPledges(
  clock: Clock,
  bytesIn: () => number,
  fail: (failure: AmiFailure) => void,
): Pledges {
  let broken: AmiFailure | undefined;
  const open = new Set<(failure: AmiFailure) => void>();

  function make<Value>(
    start: (done: (value: Value) => void) => void,
    { deadlineMs, longestMs }: AnswerLimits,
    late: AmiFailure,
  ): Promise<Value> {
    return new Promise((resolve, reject) => {
      let cancel = (): void => {};
      const settle = (): void => {
        cancel();
        open.delete(abandon);
      };
      const abandon = (failure: AmiFailure): void => {
        settle();
        reject(new ConnectionEnded(failure));
      };
      if (broken !== undefined) {
        abandon(broken);
        return;
      }
      open.add(abandon);
      watch(longestMs);
      try {
        start((value) => {
          settle();
          resolve(value);
        });
      } catch (error) {
        settle();
        reject(error);
      }

      function watch(leftMs: number): void {
        const seen = bytesIn();
        const ms = Math.min(deadlineMs, leftMs);
        const verdict = (): void => {
          if (!open.has(abandon)) return;
          if (bytesIn() === seen || leftMs <= ms) fail(late);
          else watch(leftMs - ms);
        };
        // If it was we who stood still, the answer waits in the socket: it is read before the verdict.
        cancel = clock.setTimer(() => setImmediate(verdict), ms);
      }
    });
  }

  function breakAll(failure: AmiFailure): void {
    broken = failure;
    for (const abandon of [...open]) abandon(failure);
  }

  return { make, breakAll };
}
