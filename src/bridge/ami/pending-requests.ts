import type { Clock } from '../../shared/process/clock.ts';
import type { AmiFailure } from './failure.ts';

/** The error of requests whose connection has ended. */
export class ConnectionEnded extends Error {
  override readonly name = 'ConnectionEnded';
  readonly failure: AmiFailure;

  constructor(failure: AmiFailure) {
    super(`the AMI connection has ended: ${failure.kind}`);
    this.failure = failure;
  }
}

/** How long an answer is waited for. */
export type AnswerLimits = {
  /** A whole span of this length without a byte ends the wait, milliseconds: it is noticed within two of them. */
  readonly deadlineMs: number;
  /** The wait ends after this in any case, ms; may be infinite. */
  readonly longestMs: number;
};

export type PendingRequests = ReturnType<typeof createPendingRequests>;

/**
 * Pending requests of a connection; all are rejected when it ends. Bytes that arrive meanwhile were sent before the answer: a bridge that still reads them is behind, and a new
 * connection would put it further behind.
 * @param bytesIn how many bytes have arrived.
 */
export function createPendingRequests(
  clock: Clock,
  bytesIn: () => number,
  fail: (failure: AmiFailure) => void,
) {
  let ended: AmiFailure | undefined;
  const open = new Set<(failure: AmiFailure) => void>();

  /**
   * Calls `start`, and resolves once that calls `done`.
   * @param late why the connection is to be failed when that takes longer than `limits`, or what decides then: a value, or
   * that failure. `isSilent`: nothing at all has arrived.
   */
  function add<Value>(
    start: (done: (value: Value) => void) => void,
    { deadlineMs, longestMs }: AnswerLimits,
    late: AmiFailure | ((isSilent: boolean) => { readonly value: Value } | AmiFailure),
  ): Promise<Value> {
    return new Promise((resolve, reject) => {
      let cancel = (): void => {};
      const settle = (): void => {
        cancel();
        open.delete(rejectWith);
      };
      const rejectWith = (failure: AmiFailure): void => {
        settle();
        reject(new ConnectionEnded(failure));
      };
      if (ended !== undefined) {
        rejectWith(ended);
        return;
      }
      open.add(rejectWith);
      watch(longestMs);
      const done = (value: Value): void => {
        settle();
        resolve(value);
      };
      try {
        start(done);
      } catch (error) {
        settle();
        reject(error);
      }

      function watch(leftMs: number): void {
        const seen = bytesIn();
        const ms = Math.min(deadlineMs, leftMs);
        const decide = (): void => {
          if (!open.has(rejectWith)) return;
          const isSilent = bytesIn() === seen;
          if (!isSilent && leftMs > ms) {
            watch(leftMs - ms);
            return;
          }
          const end = typeof late === 'function' ? late(isSilent) : late;
          if ('value' in end) done(end.value);
          else fail(end);
        };
        // If this process stood still, the answer waits in the socket: read it before deciding.
        cancel = clock.setTimer(() => setImmediate(decide), ms);
      }
    });
  }

  /** Rejects all, and those added from now on. */
  function rejectAll(failure: AmiFailure): void {
    ended = failure;
    for (const rejectWith of [...open]) rejectWith(failure);
  }

  return { add, rejectAll };
}

/** What is missing without an answer to these actions. Only the login and CoreShowChannels are needed. */
const missing: Readonly<Record<string, string>> = {
  BridgeList: 'conferences that are in progress at the start are not recognised',
  CoreSettings: 'the version of Asterisk is unknown',
  DeviceStateList: 'trunks are known only from their calls',
  Getvar:
    'the contexts of trunks, how long call records are held back and whose voicemail a missed call ended in are unknown',
  ListCommands: 'the rights of the manager user are not checked',
  Ping: 'the channels are read instead, to see whether the link works',
  SIPpeers: 'trunks and phones of chan_sip that do not register are known only from their calls',
  ShowDialPlan: 'where missed calls ended is named by its place in the dialplan',
  Status:
    'who withholds the number is unknown: such callers are not reported from trunks that reveal withheld numbers',
};

export function missingWithout(action: string): string {
  return missing[action] ?? 'the bridge goes on without it';
}
