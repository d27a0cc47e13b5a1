import type { ApiResult } from '../api/result.ts';
import type { Classified } from './classify.ts';
import { type DeliveryResult, longestWaitMs, type QueuedEvent } from './queue.ts';

export type Outcome = Pick<DeliveryResult, 'outcome' | 'counted' | 'rejected'> & {
  /** Until the next attempt, ms; for `retry`. */
  readonly waitMs: number;
};

type Circumstances = {
  /** True if the whole queue is or was stopped: then a lack of connection does not count against the event. */
  readonly stopped: boolean;
  readonly maxRejections: number;
  readonly random: () => number;
};

/** What becomes of an event after an attempt. */
export function outcomeOf(event: QueuedEvent, classified: Classified, circumstances: Circumstances): Outcome {
  const failures = event.attempts + 1;
  switch (classified.verdict) {
    case 'delivered':
      return { outcome: 'delivered', counted: true, waitMs: 0 };
    case 'pause':
    case 'hold':
      return { outcome: 'retry', counted: false, waitMs: 0 };
    case 'reject':
      // Only rejections count: an attempt without an answer says nothing about the event.
      if (event.rejections + 1 >= circumstances.maxRejections)
        return { outcome: 'dead', counted: true, rejected: true, waitMs: 0 };
      return {
        outcome: 'retry',
        counted: true,
        rejected: true,
        waitMs: backoff(failures, circumstances.random),
      };
    case 'retry': {
      if (classified.noConnection && circumstances.stopped)
        return { outcome: 'retry', counted: false, waitMs: 0 };
      const waitMs = Math.max(backoff(failures, circumstances.random), classified.retryAfterMs ?? 0);
      return { outcome: 'retry', counted: true, waitMs };
    }
  }
}

/**
 * The result as it is stored. `at` is Unix ms; `queueTime` is the same moment in the time of the queue (dispatcher.ts).
 */
export function resultOf(
  { seq, callId }: QueuedEvent,
  { outcome, counted, rejected, waitMs }: Outcome,
  { result, reason, at, queueTime }: { result: ApiResult; reason: string; at: number; queueTime: number },
): DeliveryResult {
  const durationMs = Math.round(result.durationMs);
  const answered = result.kind === 'answer' && { httpStatus: result.status };
  const written = {
    seq,
    callId,
    outcome,
    at,
    counted,
    ...(rejected && { rejected }),
    durationMs,
    ...answered,
  };
  if (outcome === 'delivered') return written;
  return {
    ...written,
    error: reason,
    ...(outcome === 'retry' && { nextAt: Math.round(queueTime + waitMs) }),
  };
}

const firstCeilingMs = 1_000;

/**
 * How long to wait after the `failures`-th failure in a row (from 1), ms: exponential with full jitter, so that many
 * bridges that failed together do not come back together. `random` returns 0 to 1.
 */
export function backoff(failures: number, random: () => number): number {
  // 2^6 s is over the cap already; larger powers would only overflow.
  const ceiling = Math.min(longestWaitMs, firstCeilingMs * 2 ** Math.min(Math.max(failures, 1) - 1, 6));
  return Math.round(random() * ceiling);
}
