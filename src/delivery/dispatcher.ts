import type { ApiResult } from '../api/result.ts';
import type { Log } from '../log/log.ts';
import { createAlarm } from './alarm.ts';
import { classify } from './classify.ts';
import { type Flow, flowing, nextFlow } from './flow.ts';
import { createHealthProbe } from './health-probe.ts';
import { type DeliveryLimits, defaultLimits } from './limits.ts';
import { outcomeOf, resultOf } from './outcome.ts';
import { createPrefetchBuffer, priorities } from './prefetch-buffer.ts';
import {
  type DeliveryQueue,
  type DeliveryResult,
  longestWaitMs,
  type Priority,
  type QueuedEvent,
} from './queue.ts';
import { createReport } from './report.ts';
import { createResultWriter } from './result-writer.ts';

export type DispatcherOptions = {
  readonly queue: DeliveryQueue;
  /** Sends one event. A rejection counts as a failed attempt. */
  readonly send: (event: QueuedEvent) => Promise<ApiResult>;
  /** Hears of every attempt that has come to its end. */
  readonly onAttempt?: (event: QueuedEvent, result: ApiResult, delivered: boolean) => void;
  readonly log: Log;
  /** Unix ms. */
  readonly now: () => number;
  /** ms of a clock that is never set, such as `performance.now`. */
  readonly monotonic: () => number;
  /** 0 to 1. */
  readonly random: () => number;
  readonly limits?: Partial<DeliveryLimits>;
};

export type Dispatcher = {
  start(): void;
  /** Heads that were just taken: sent without a query. Only a hint: what is not offered is found on disk. */
  offer(nextEvents: readonly QueuedEvent[]): void;
  /** Looks at the queue now, as after dead letters were made to wait again. */
  poke(): void;
  /**
   * Tries at once whether it works again, if nothing is sent for now: somebody has changed a setting. What the API asked
   * for with a Retry-After is still obeyed.
   */
  retry(): void;
  /** Lets running requests end, for at most `limitMs` (5 s), and records them; the rest stays on disk. */
  stop(limitMs?: number): Promise<void>;
  status(): DeliveryStatus;
};

/** Times are Unix ms. */
export type DeliveryStatus = {
  readonly state: Flow['state'];
  /** Why it is not `ok`. */
  readonly reason?: string;
  readonly since: number;
  /** When it is tried again, if it is not `ok`. */
  readonly nextTryAt?: number;
  readonly inFlight: number;
  /** Attempts that are not recorded on disk yet. */
  readonly unrecorded: number;
  /** Since the start. */
  readonly delivered: number;
  readonly failedAttempts: number;
  readonly deadLetters: number;
  readonly lastDeliveredAt?: number;
};

/** How often places are taken from requests that hang, ms. */
const sweepMs = 50;

/**
 * Brings events from the outbox to the API: one at a time per call, in order; calls do not wait for each other.
 *
 * Three gates, so that nothing is in the way of anything else: fresh calls, the backlog, and what failed before.
 * What is in memory is a cache: an event leaves the disk only when the API has confirmed it, and whatever is
 * forgotten here (a full buffer, a stop, a crash) is found there again.
 *
 * Waits are measured with the monotonic clock. Times on disk are this clock's too, laid on the time of the start, so
 * that a clock that is set while the program runs neither delays nor floods.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { queue, send, log, now, monotonic, random } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const steadyNow = () => steadyOffset + monotonic();
  const report = createReport({ log, monotonic, waiting: () => queue.waiting() });
  const alarm = createAlarm(monotonic, tick);
  const resultWriter = createResultWriter({ queue, onRecorded, onFailed: report.notRecorded });
  const buffer = createPrefetchBuffer({
    queue,
    limits,
    now,
    steadyNow,
    monotonic,
    isOpen,
    send: (event, priority) => attempt(event, priority, false),
    onRetryAt,
    onFailed: onQueueFailed,
  });
  const healthProbe = createHealthProbe({
    takeOne: buffer.takeOne,
    attempt: ({ event, priority }) => attempt(event, priority, true),
    mayRetry: () => phase === 'running' && flow.state !== 'ok' && flow.state !== 'held' && !flow.named,
    recorded: resultWriter.flushed,
    monotonic,
    onFailed: onQueueFailed,
  });
  const counts = { delivered: 0, failedAttempts: 0, deadLetters: 0 };

  let steadyOffset = now() - monotonic();
  let phase: 'new' | 'running' | 'stopping' | 'abandoned' = 'new';
  let flow: Flow = flowing(monotonic());
  let inFlight = 0;
  let pollAt = 0;
  let expireAt = 0;
  let retryAt = Number.POSITIVE_INFINITY;
  let sweeper: NodeJS.Timeout | undefined;
  let onIdle = () => {};
  let stopped: Promise<void> | undefined;
  let lastDeliveredAt: number | undefined;

  function isOpen(priority: Priority): boolean {
    if (phase !== 'running' || resultWriter.size() >= limits.unrecorded) return false;
    return (
      flow.state === 'ok' ||
      (priority === 'fresh' && flow.state === 'outage' && flow.reachable && !flow.named)
    );
  }

  async function attempt(event: QueuedEvent, priority: Priority, probe: boolean): Promise<void> {
    const startedAt = monotonic();
    inFlight++;
    sweeper ??= setTimeout(sweep, sweepMs);
    let result: ApiResult;
    try {
      result = await send(event);
    } catch (error) {
      result = unexpected(error);
    }
    inFlight--;
    if (phase === 'abandoned') return;
    conclude(event, result, startedAt, probe);
    if (inFlight === 0) onIdle();
    buffer.refillIfLow(priority);
  }

  /** Draws every conclusion from an attempt: for the queue, for the event, for the log. */
  function conclude(event: QueuedEvent, result: ApiResult, startedAt: number, probe: boolean): void {
    const at = now();
    const classified = classify(result, at);
    const wasStopped = flow.state !== 'ok';
    changeFlow(nextFlow(flow, { classified, startedAt, endedAt: monotonic(), probe }, random));
    const stopped = wasStopped || flow.state !== 'ok';
    const outcome = outcomeOf(event, classified, { stopped, rejectTries: limits.rejectTries, random });
    const { reason, verdict } = classified;
    options.onAttempt?.(event, result, verdict === 'delivered');
    resultWriter.add(resultOf(event, outcome, { result, reason, at, steadyAt: steadyNow() }));
    if (outcome.outcome === 'delivered') {
      counts.delivered++;
      lastDeliveredAt = at;
      report.delivered(event, result);
      return;
    }
    counts.failedAttempts++;
    if (outcome.outcome === 'dead') {
      counts.deadLetters++;
      report.dead(event, reason);
    } else if (flow.state === 'ok') report.failed(event, reason, outcome.waitMs);
  }

  function onRecorded(batch: readonly DeliveryResult[], nextEvents: readonly QueuedEvent[]): void {
    for (const { callId, nextAt } of batch) {
      buffer.release(callId);
      if (nextAt !== undefined) onRetryAt(nextAt);
    }
    for (const head of nextEvents) {
      // Tried before and overtaken by one that was sent again: the disk knows when it is due.
      if (head.attempts > 0) onRetryAt(steadyNow());
      else buffer.take(head, head.queuedAt >= now() - limits.freshMs ? 'fresh' : 'backlog');
    }
    for (const priority of priorities) buffer.refillIfLow(priority);
  }

  function changeFlow(next: Flow): void {
    if (next === flow) return;
    const before = flow;
    flow = next;
    if (before.state === 'ok' && next.state === 'ok') return;
    buffer.shut();
    report.flow(before, next);
    if (next.state !== 'ok') alarm.by(next.nextTryAt);
    poke();
  }

  function sweep(): void {
    sweeper = inFlight > 0 ? setTimeout(sweep, sweepMs) : undefined;
    buffer.giveWay();
  }

  function onRetryAt(steady: number): void {
    retryAt = Math.min(retryAt, monotonic() + Math.min(steady - steadyNow(), longestWaitMs));
    alarm.by(retryAt);
  }

  function tick(): void {
    const at = monotonic();
    report.tick();
    if (flow.state !== 'ok' && at >= flow.nextTryAt) void healthProbe.probe();
    if (at >= retryAt) {
      retryAt = Number.POSITIVE_INFINITY;
      void buffer.refill('retry');
    }
    if (at >= pollAt) {
      pollAt = at + limits.pollMs;
      poke();
    }
    if (at >= expireAt) {
      expireAt = at + limits.expireEveryMs;
      void expire();
    }
    alarm.by(Math.min(pollAt, retryAt));
    if (flow.state !== 'ok' && flow.nextTryAt > at) alarm.by(flow.nextTryAt);
  }

  async function expire(): Promise<void> {
    try {
      // The earlier of both clocks: one that was wrong and is set must not make events look old.
      const count = await queue.expire(Math.min(now(), steadyNow()) - limits.maxAgeMs, now());
      if (count > 0) report.expired(count, limits.maxAgeMs);
    } catch (error) {
      onQueueFailed(error);
    }
  }

  function onQueueFailed(error: unknown): void {
    // An answer that a stop has overtaken is no trouble.
    if (phase === 'running') report.queueFailed(error);
  }

  function poke(): void {
    for (const priority of priorities) void buffer.refill(priority);
  }

  async function stopWithin(limitMs: number): Promise<void> {
    const wasRunning = phase === 'running';
    phase = 'stopping';
    alarm.off();
    buffer.shut();
    if (wasRunning) {
      const idle = new Promise<void>((resolve) => {
        onIdle = resolve;
        if (inFlight === 0) resolve();
      });
      let timer: NodeJS.Timeout | undefined;
      const tooLong = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limitMs);
      });
      await Promise.race([idle.then(() => resultWriter.idle()), tooLong]);
      clearTimeout(timer);
    }
    phase = 'abandoned';
    clearTimeout(sweeper);
    resultWriter.stop();
    report.end();
  }

  return {
    start() {
      if (phase !== 'new') return;
      phase = 'running';
      steadyOffset = now() - monotonic();
      expireAt = monotonic() + limits.expireEveryMs;
      tick();
    },
    offer(nextEvents) {
      for (const head of nextEvents) buffer.take(head, 'fresh');
      if (phase !== 'running' || flow.state === 'ok' || isOpen('fresh')) return;
      const brought = flow.state === 'outage' && !flow.named && healthProbe.sinceLast() >= limits.probeGapMs;
      if (brought || monotonic() >= flow.nextTryAt) void healthProbe.probe();
    },
    poke,
    retry() {
      void healthProbe.retry();
    },
    stop(limitMs = 5_000) {
      stopped ??= stopWithin(limitMs);
      return stopped;
    },
    status() {
      const toUnix = (at: number) => Math.round(now() + at - monotonic());
      return {
        state: flow.state,
        since: toUnix(flow.since),
        ...(flow.state !== 'ok' && { reason: flow.reason, nextTryAt: toUnix(flow.nextTryAt) }),
        inFlight,
        unrecorded: resultWriter.size(),
        ...counts,
        ...(lastDeliveredAt !== undefined && { lastDeliveredAt }),
      };
    },
  };
}

function unexpected(error: unknown): ApiResult {
  const detail = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', error: 'unknown', detail, durationMs: 0 };
}
