import type { ApiResult } from '../api/result.ts';
import type { Log } from '../log/log.ts';
import { within } from '../process/within.ts';
import { type Classified, classify } from './classify.ts';
import {
  type Conclusion,
  type DispatchEffect,
  type DispatchInput,
  type DispatchState,
  deliveryStatus,
  isOpen,
  mayProbe,
  newDispatch,
  nextDispatch,
} from './dispatch-state.ts';
import { createDueReader } from './due-reader.ts';
import type { DeliveryStatus } from './flow.ts';
import { createAlarm, type DeliveryLimits, defaultLimits } from './limits.ts';
import { resultOf } from './outcome.ts';
import { createProber } from './prober.ts';
import { type DeliveryQueue, longestWaitMs, type QueuedEvent } from './queue.ts';
import { createQueueClock } from './queue-clock.ts';
import { createReport } from './report.ts';
import { createResultWriter } from './result-writer.ts';
import { createSender } from './sender.ts';

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
 * Sends the events of a queue to the receiver: those of the outbox to the API, those of the service to its webhooks. The
 * events of a call are sent one at a time, in order. Calls do not wait for each other.
 *
 * The disk says what is due (due-reader.ts), sender.ts how many go at once, dispatch-state.ts what follows from an answer.
 * An event leaves the disk when the receiver has confirmed it. What a stop or a crash interrupts is read from disk again.
 */
export function createDispatcher(options: DispatcherOptions) {
  const settings = {
    ...options,
    limits: { ...defaultLimits, ...options.limits },
    clock: createQueueClock(options),
  };
  const { clock, random, limits } = settings;
  let state = newDispatch(clock.monotonic(), limits);
  let onAttempt: OnAttempt = () => {};
  let stopped: Promise<void> | undefined;
  const parts = createParts(settings, { state: () => state, apply });

  function apply(input: DispatchInput): void {
    const next = nextDispatch(state, input, { limits, random });
    state = next.state;
    for (const effect of next.effects) {
      if (effect.type === 'conclude') {
        const { event, result, classified } = effect.ended;
        onAttempt(event, result, classified.verdict === 'delivered');
      }
      carryOut(effect, parts);
    }
  }

  async function stopWithin(limitMs: number): Promise<void> {
    apply({ type: 'phase', phase: 'stopping' });
    parts.alarm.off();
    if (!parts.isIdle()) await within(limitMs, parts.idle.promise);
    apply({ type: 'phase', phase: 'abandoned' });
    parts.writer.stop();
    parts.report.end();
  }

  return {
    /** `attempted` is called after every attempt. */
    start(attempted: OnAttempt = () => {}) {
      if (state.phase !== 'new') return;
      onAttempt = attempted;
      clock.start();
      apply({ type: 'phase', phase: 'running' });
      apply({ type: 'time', at: clock.monotonic() });
    },
    /** Takes next events that were just queued, which saves a query. Only a hint: others are found on disk. */
    offer(nextEvents: readonly QueuedEvent[]) {
      for (const event of nextEvents) parts.reader.offer(event, 'fresh');
      apply({ type: 'offered', at: clock.monotonic(), probedAt: parts.prober.probedAt() });
    },
    /** Reads the queue now, as after dead letters were made to wait again. */
    poke: () => parts.reader.readAll(),
    /** Probes at once if delivery is stopped, as after a change of settings. A Retry-After is still obeyed. */
    retry: () => parts.prober.want(),
    /** Waits for running requests, for at most `limitMs` (5 s), and records their results; other events stay on disk. */
    stop(limitMs = 5_000) {
      stopped ??= stopWithin(limitMs);
      return stopped;
    },
    status: (): DeliveryStatus => deliveryStatus(state, parts.counts(), clock.toUnix),
  };
}

type Settings = Omit<DispatcherOptions, 'limits' | 'now' | 'monotonic'> & {
  readonly limits: DeliveryLimits;
  readonly clock: ReturnType<typeof createQueueClock>;
};
type Machine = { readonly state: () => DispatchState; readonly apply: (input: DispatchInput) => void };
type Parts = ReturnType<typeof createParts>;

/** What reads the queue, sends, records and reports. What they find out is input of the machine. */
function createParts(settings: Settings, { state, apply }: Machine) {
  const { queue, send, classifyResult = classify, log, limits } = settings;
  const { now, monotonic, queueTime, fromQueueTime } = settings.clock;
  const report = createReport({ log, monotonic, waiting: () => queue.waiting() });
  // An answer that a stop has overtaken is no failure.
  const onFailed = (error: unknown) => state().phase === 'running' && report.queueFailed(error);
  const alarm = createAlarm(monotonic, () => {
    report.tick();
    apply({ type: 'time', at: monotonic() });
  });
  const sender = createSender({
    limits,
    monotonic,
    send,
    onEnded(attempt, result) {
      if (state().phase === 'abandoned') return;
      const unixAt = now();
      const classified = classifyResult(result, unixAt);
      apply({ type: 'attempt-ended', ...attempt, result, classified, endedAt: monotonic(), unixAt });
    },
    onFree: () => void reader.readMore(),
  });
  const reader = createDueReader({
    queue,
    limits,
    now,
    queueTime,
    onRetryAt: (dueAt) =>
      apply({ type: 'retry-at', at: Math.min(fromQueueTime(dueAt), monotonic() + longestWaitMs) }),
    onFailed,
    free: (priority) =>
      isOpen(state(), priority) && writer.unrecorded() < limits.unrecorded ? sender.free(priority) : 0,
    begin: (event, priority) => void sender.send(event, priority),
  });
  const writer = createResultWriter({
    queue,
    onRecorded(results, nextEvents) {
      reader.recorded(results, nextEvents);
      prober.probeIfWanted();
      if (state().phase === 'stopping' && isIdle()) idle.resolve();
    },
    onRefused: report.notRecorded,
  });
  const prober = createProber({
    takeOne: reader.takeOne,
    attempt: (event) => sender.send(event, 'fresh', true),
    recorded: writer.recorded,
    mayProbe: () => mayProbe(state()),
    monotonic,
    onFailed,
  });
  const idle = Promise.withResolvers<void>();
  const counts = () => ({ inFlight: sender.inFlight(), unrecorded: writer.unrecorded() });
  const isIdle = () => sender.inFlight() + writer.unrecorded() === 0;
  return { settings, report, alarm, reader, writer, prober, idle, isIdle, counts, onFailed };
}

function carryOut(effect: DispatchEffect, parts: Parts): void {
  switch (effect.type) {
    case 'wake':
      parts.alarm.by(effect.at);
      break;
    case 'probe':
      void parts.prober.probe();
      break;
    case 'read':
      parts.reader.readAll(effect.priorities);
      break;
    case 'expire':
      void expire(parts);
      break;
    case 'report-flow':
      parts.report.flow(effect.before, effect.after);
      break;
    case 'conclude':
      conclude(effect, parts);
      break;
    default:
      effect satisfies never;
  }
}

function conclude({ ended, outcome, isReported }: Conclusion, { writer, report, settings }: Parts): void {
  const { event, result, unixAt: at } = ended;
  const { reason } = ended.classified;
  writer.add(resultOf(event, outcome, { result, reason, at, queueTime: settings.clock.queueTime() }));
  if (!isReported) return;
  if (outcome.outcome === 'delivered') report.delivered(event, result);
  else if (outcome.outcome === 'dead') report.dead(event, reason);
  else report.failed(event, reason, outcome.waitMs);
}

async function expire({ settings: { queue, clock, limits }, report, onFailed }: Parts): Promise<void> {
  try {
    // The earlier of both clocks: correcting a wrong clock must not expire events.
    const now = clock.now();
    const count = await queue.expire(Math.min(now, clock.queueTime()) - limits.maxAgeMs, now);
    if (count > 0) report.expired(count, limits.maxAgeMs);
  } catch (error) {
    onFailed(error);
  }
}
