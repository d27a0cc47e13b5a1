import type { ApiResult } from '../api/result.ts';
import type { Log } from '../log/log.ts';
import { wholeMs } from '../process/clock.ts';
import { messageOf } from '../process/parse-json.ts';
import { type Classified, classify } from './classify.ts';
import { createDueReader } from './due-reader.ts';
import { type DeliveryStatus, type Flow, flowing, nextFlow } from './flow.ts';
import { createAlarm, type DeliveryLimits, defaultLimits } from './limits.ts';
import { outcomeOf, resultOf } from './outcome.ts';
import { createProber } from './prober.ts';
import {
  type DeliveryQueue,
  type DeliveryResult,
  longestWaitMs,
  type Priority,
  type QueuedEvent,
} from './queue.ts';
import { createReport } from './report.ts';
import { createRequestSlots } from './request-slots.ts';
import { createResultWriter } from './result-writer.ts';

type DispatcherOptions = {
  readonly queue: DeliveryQueue;
  /** Sends one event. A rejection counts as a failed attempt. */
  readonly send: (event: QueuedEvent) => Promise<ApiResult>;
  /** Classifies the result of an attempt; absent: by the rules of the API. `now`: Unix ms. */
  readonly classifyResult?: (result: ApiResult, now: number) => Classified;
  readonly log: Log;
  /** Unix ms. */
  readonly now: () => number;
  /** ms of a clock that is never set, `monotonicMs`. Both clocks are read in whole ms: their times reach the queue. */
  readonly monotonic: () => number;
  /** 0 to 1. */
  readonly random: () => number;
  readonly limits?: Partial<DeliveryLimits>;
};

type OnAttempt = (event: QueuedEvent, result: ApiResult, delivered: boolean) => void;

export type Dispatcher = ReturnType<typeof createDispatcher>;

/**
 * Sends the events of a queue to the far side: those of the outbox to the API, those of the service to its webhooks. The
 * events of a call are sent one at a time, in order. Calls do not wait for each other.
 *
 * The disk says what is due (due-reader.ts), request-slots.ts says how many go at once, and an event leaves the disk when
 * the far side has confirmed it. What a stop or a crash interrupts is read from disk again.
 *
 * Waits are measured with the monotonic clock. `queueTime`, by which events on disk become due, is the Unix time of the
 * start plus the monotonic clock: a system clock that is set meanwhile neither delays events nor releases many at once.
 */
export function createDispatcher(options: DispatcherOptions) {
  const { queue, send, classifyResult = classify, log, random } = options;
  const [now, monotonic] = [wholeMs(options.now), wholeMs(options.monotonic)];
  const limits = { ...defaultLimits, ...options.limits };
  const queueTime = () => queueTimeOffset + monotonic();
  const report = createReport({ log, monotonic, waiting: () => queue.waiting() });
  const alarm = createAlarm(monotonic, tick);
  const slots = createRequestSlots(limits, () => void reader.readMore());
  const reader = createDueReader({
    ...{ queue, limits, now, queueTime, onRetryAt, onFailed: onQueueFailed },
    free: (priority) => (isOpen(priority) ? slots.free(priority) : 0),
    begin: (event, priority) => void attempt(event, priority),
  });
  const writer = createResultWriter({ queue, onRecorded, onRefused: report.notRecorded });
  const prober = createProber({
    ...{ takeOne: reader.takeOne, recorded: writer.recorded, monotonic, onFailed: onQueueFailed },
    attempt: (event) => attempt(event, 'fresh', true),
    mayProbe: () => phase === 'running' && flow.state !== 'ok' && flow.state !== 'held' && !flow.named,
  });
  const counts = { delivered: 0, failedAttempts: 0, deadLetters: 0 };
  /** Monotonic ms at which each is due. */
  const next = { poll: 0, expire: monotonic() + limits.expireEveryMs, retry: Number.POSITIVE_INFINITY };

  let queueTimeOffset = now() - monotonic();
  let phase: 'new' | 'running' | 'stopping' | 'abandoned' = 'new';
  let flow: Flow = flowing(monotonic());
  let onIdle = () => {};
  let onAttempt: OnAttempt = () => {};
  let stopped: Promise<void> | undefined;
  let lastDeliveredAt: number | undefined;

  function isOpen(priority: Priority): boolean {
    if (phase !== 'running' || writer.unrecorded() >= limits.unrecorded) return false;
    return (
      flow.state === 'ok' ||
      (priority === 'fresh' && flow.state === 'outage' && flow.reachable && !flow.named)
    );
  }

  async function attempt(event: QueuedEvent, priority: Priority, isProbe = false): Promise<void> {
    const startedAt = monotonic();
    const end = slots.take(priority);
    let result: ApiResult;
    try {
      result = await send(event);
    } catch (error) {
      result = { kind: 'failed', error: 'unknown', detail: messageOf(error), durationMs: 0 };
    }
    if (phase !== 'abandoned') conclude(event, result, startedAt, isProbe);
    end();
  }

  /** Applies the result of an attempt to the queue, the event and the log. */
  function conclude(event: QueuedEvent, result: ApiResult, startedAt: number, probe: boolean): void {
    const at = now();
    const classified = classifyResult(result, at);
    const wasStopped = flow.state !== 'ok';
    changeFlow(nextFlow(flow, { classified, startedAt, endedAt: monotonic(), probe }, random));
    const stopped = wasStopped || flow.state !== 'ok';
    const outcome = outcomeOf(event, classified, { stopped, maxRejections: limits.maxRejections, random });
    const { reason, verdict } = classified;
    onAttempt(event, result, verdict === 'delivered');
    writer.add(resultOf(event, outcome, { result, reason, at, queueTime: queueTime() }));
    if (outcome.outcome === 'delivered') {
      counts.delivered++;
      lastDeliveredAt = at;
      report.delivered(event, result);
      return;
    }
    counts.failedAttempts++;
    if (outcome.outcome === 'dead') counts.deadLetters++;
    if (outcome.outcome === 'dead') report.dead(event, reason);
    else if (flow.state === 'ok') report.failed(event, reason, outcome.waitMs);
  }

  function onRecorded(batch: readonly DeliveryResult[], nextEvents: readonly QueuedEvent[]): void {
    for (const { callId, nextAt } of batch) {
      reader.release(callId);
      if (nextAt !== undefined) onRetryAt(nextAt);
    }
    for (const event of nextEvents) {
      // It was sent before, and lost its place to an event that was sent again: the disk knows when it is due.
      if (event.attempts > 0) onRetryAt(queueTime());
      else reader.offer(event, event.queuedAt >= now() - limits.freshMs ? 'fresh' : 'backlog');
    }
    void reader.readMore();
    prober.probeIfWanted();
    if (isIdle()) onIdle();
  }

  const isIdle = () => slots.inFlight() + writer.unrecorded() === 0;

  function changeFlow(next: Flow): void {
    if (next === flow) return;
    const before = flow;
    flow = next;
    if (before.state === 'ok' && next.state === 'ok') return;
    report.flow(before, next);
    if (next.state !== 'ok') alarm.by(next.nextTryAt);
    reader.readAll();
  }

  function onRetryAt(dueAt: number): void {
    next.retry = Math.min(next.retry, monotonic() + Math.min(dueAt - queueTime(), longestWaitMs));
    alarm.by(next.retry);
  }

  function tick(): void {
    const at = monotonic();
    report.tick();
    if (flow.state !== 'ok' && at >= flow.nextTryAt) void prober.probe();
    if (at >= next.retry) {
      next.retry = Number.POSITIVE_INFINITY;
      reader.readAll(['retry']);
    }
    if (at >= next.poll) {
      next.poll = at + limits.pollMs;
      reader.readAll();
    }
    if (at >= next.expire) {
      next.expire = at + limits.expireEveryMs;
      void expire();
    }
    alarm.by(Math.min(next.poll, next.retry));
    if (flow.state !== 'ok' && flow.nextTryAt > at) alarm.by(flow.nextTryAt);
  }

  async function expire(): Promise<void> {
    try {
      // The earlier of both clocks: correcting a wrong clock must not expire events.
      const count = await queue.expire(Math.min(now(), queueTime()) - limits.maxAgeMs, now());
      if (count > 0) report.expired(count, limits.maxAgeMs);
    } catch (error) {
      onQueueFailed(error);
    }
  }

  function onQueueFailed(error: unknown): void {
    // An answer that a stop has overtaken is no failure.
    if (phase === 'running') report.queueFailed(error);
  }

  async function stopWithin(limitMs: number): Promise<void> {
    const wasRunning = phase === 'running';
    phase = 'stopping';
    alarm.off();
    if (wasRunning && !isIdle()) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
        timer = setTimeout(resolve, limitMs);
      });
      clearTimeout(timer);
    }
    phase = 'abandoned';
    writer.stop();
    report.end();
  }

  return {
    /** `onAttempt` is called after every attempt. */
    start(attempted: OnAttempt = () => {}) {
      if (phase !== 'new') return;
      phase = 'running';
      onAttempt = attempted;
      queueTimeOffset = now() - monotonic();
      tick();
    },
    /** Takes next events that were just queued, which saves a query. Only a hint: others are found on disk. */
    offer(nextEvents: readonly QueuedEvent[]) {
      for (const event of nextEvents) reader.offer(event, 'fresh');
      if (phase !== 'running' || flow.state === 'ok' || isOpen('fresh')) return;
      const brought = flow.state === 'outage' && !flow.named && prober.sinceLast() >= limits.probeGapMs;
      if (brought || monotonic() >= flow.nextTryAt) void prober.probe();
    },
    /** Reads the queue now, as after dead letters were made to wait again. */
    poke: () => reader.readAll(),
    /** Probes at once if delivery is stopped, as after a change of settings. A Retry-After is still obeyed. */
    retry: () => prober.want(),
    /** Waits for running requests, for at most `limitMs` (5 s), and records their results; other events stay on disk. */
    stop(limitMs = 5_000) {
      stopped ??= stopWithin(limitMs);
      return stopped;
    },
    status(): DeliveryStatus {
      const toUnix = (at: number) => Math.round(now() + at - monotonic());
      return {
        state: flow.state,
        since: toUnix(flow.since),
        ...(flow.state !== 'ok'
          ? { reason: flow.reason, nextTryAt: toUnix(flow.nextTryAt) }
          : flow.failing && {
              retrying: {
                ...flow.failing,
                since: toUnix(flow.failing.since),
                failures: flow.failures,
              },
            }),
        inFlight: slots.inFlight(),
        unrecorded: writer.unrecorded(),
        ...counts,
        ...(lastDeliveredAt !== undefined && { lastDeliveredAt }),
      };
    },
  };
}
