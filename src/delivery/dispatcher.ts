import { setTimeout as delay } from 'node:timers/promises';
import type { ApiResult } from '../api/result.ts';
import type { Log } from '../ops/log.ts';
import { classify } from './classify.ts';
import { flowing, nextFlow } from './flow.ts';
import { createLaneGate } from './lane.ts';
import { type DeliveryLimits, defaultLimits } from './limits.ts';
import { outcomeOf } from './outcome.ts';
import { type DeliveryQueue, type Lane, longestWaitMs, type QueuedEvent } from './queue.ts';
import { createReport } from './report.ts';
import { createSettler } from './settler.ts';

export type DispatcherOptions = {
  readonly queue: DeliveryQueue;
  /** Sends one event. A rejection counts as a failed attempt. */
  readonly send: (event: QueuedEvent) => Promise<ApiResult>;
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
  offer(heads: readonly QueuedEvent[]): void;
  /** Looks at the queue now, as after dead letters were made to wait again. */
  poke(): void;
  /** Lets running requests end, for at most `limitMs` (5 s), and records them; the rest stays on disk. */
  stop(limitMs?: number): Promise<void>;
  status(): DeliveryStatus;
};

/** Times are Unix ms. */
export type DeliveryStatus = {
  readonly state: 'ok' | 'paused' | 'outage' | 'held';
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

const lanes = ['fresh', 'backlog', 'retry'] as const satisfies readonly Lane[];

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
  const offset = now() - monotonic();
  const steadyNow = () => offset + monotonic();
  const report = createReport({ log, monotonic, waiting: () => queue.waiting() });
  const gates = {
    fresh: createLaneGate(limits.lanes.fresh, monotonic),
    backlog: createLaneGate(limits.lanes.backlog, monotonic),
    retry: createLaneGate(limits.lanes.retry, monotonic),
  };
  /** Lanes of which the disk may hold more than memory. */
  const more = new Set<Lane>(lanes);
  const loading = new Set<Lane>();
  /** Calls of which an event is in memory; true: another was offered meanwhile. */
  const busy = new Map<string, boolean>();
  const settler = createSettler({ queue, onRecorded, onFailed: report.notRecorded });

  let phase: 'new' | 'running' | 'stopping' | 'abandoned' = 'new';
  let flow = flowing(monotonic());
  let inFlight = 0;
  let probing = false;
  let lastProbeAt = Number.NEGATIVE_INFINITY;
  let pollAt = 0;
  let expireAt = 0;
  let retryAt = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Number.POSITIVE_INFINITY;
  let sweeper: NodeJS.Timeout | undefined;
  let onIdle = () => {};
  let stopped: Promise<void> | undefined;
  const counts = { delivered: 0, failedAttempts: 0, deadLetters: 0 };
  let lastDeliveredAt: number | undefined;

  function isOpen(lane: Lane): boolean {
    if (phase !== 'running' || settler.size() >= limits.unrecorded) return false;
    return flow.state === 'ok' || (flow.state === 'outage' && flow.reachable && lane === 'fresh');
  }

  /** Takes a head into memory if there is room, else leaves it on disk. */
  function take(event: QueuedEvent, lane: Lane): void {
    if (busy.has(event.callId)) busy.set(event.callId, true);
    else if (!isOpen(lane) || gates[lane].room() <= 0) more.add(lane);
    else {
      busy.set(event.callId, false);
      gates[lane].add(event, () => attempt(event, lane, false));
    }
  }

  async function attempt(event: QueuedEvent, lane: Lane, probe: boolean): Promise<void> {
    const startedAt = monotonic();
    inFlight++;
    sweeper ??= setTimeout(sweep, sweepMs);
    const result = await send(event).catch(unexpected);
    inFlight--;
    if (phase === 'abandoned') return;
    conclude(event, result, { startedAt, probe });
    if (inFlight === 0) onIdle();
    refillIfLow(lane);
  }

  function conclude(
    event: QueuedEvent,
    result: ApiResult,
    { startedAt, probe }: { startedAt: number; probe: boolean },
  ) {
    const at = now();
    const classified = classify(result, at);
    const attempted = { classified, startedAt, endedAt: monotonic(), probe };
    changeFlow(nextFlow(flow, attempted, random));
    const { outcome, counted, waitMs } = outcomeOf(event, classified, {
      outage: flow.state === 'outage',
      rejectTries: limits.rejectTries,
      random,
    });
    const httpStatus = result.kind === 'answer' ? result.status : undefined;
    if (outcome === 'delivered') {
      counts.delivered++;
      lastDeliveredAt = at;
      report.delivered(event, httpStatus ?? 0, result.durationMs);
    } else {
      counts.failedAttempts++;
      if (outcome === 'dead') {
        counts.deadLetters++;
        report.dead(event, classified.reason);
      } else if (flow.state === 'ok') report.failed(event, classified.reason, waitMs);
    }
    settler.add({
      seq: event.seq,
      callId: event.callId,
      outcome,
      at,
      counted,
      ...(outcome === 'retry' && { nextAt: Math.round(steadyNow() + waitMs) }),
      ...(httpStatus !== undefined && { httpStatus }),
      ...(classified.reason !== '' && { error: classified.reason }),
      durationMs: result.durationMs,
    });
  }

  function onRecorded(batch: Parameters<DeliveryQueue['settle']>[0], heads: readonly QueuedEvent[]): void {
    const steady = steadyNow();
    for (const { callId, outcome, nextAt } of batch) {
      if (busy.get(callId)) more.add('fresh');
      busy.delete(callId);
      if (outcome === 'retry') wakeRetry((nextAt ?? steady) - steady);
    }
    for (const head of heads) {
      // Tried before and overtaken by one that was sent again: the disk knows when it is due.
      if (head.attempts > 0) wakeRetry(0);
      else take(head, head.takenAt >= now() - limits.freshMs ? 'fresh' : 'backlog');
    }
    for (const lane of lanes) refillIfLow(lane);
  }

  function changeFlow(next: typeof flow): void {
    if (next === flow) return;
    const before = flow;
    flow = next;
    for (const lane of lanes) {
      if (isOpen(lane)) continue;
      for (const event of gates[lane].clear()) busy.delete(event.callId);
      more.add(lane);
    }
    if (before.state === 'ok' && next.state === 'ok') return;
    report.flow(before, next);
    if (next.state === 'ok') for (const lane of lanes) void refill(lane);
    else wakeAt(next.nextTryAt);
  }

  function refillIfLow(lane: Lane): void {
    if (more.has(lane) && gates[lane].room() > limits.lanes[lane].buffer / 2) void refill(lane);
  }

  /** Fills a lane from disk. */
  async function refill(lane: Lane): Promise<void> {
    if (loading.has(lane) || !isOpen(lane)) return;
    const room = gates[lane].room();
    if (room <= 0) return void more.add(lane);
    loading.add(lane);
    more.delete(lane);
    try {
      const found = await due(lane, room, steadyNow());
      for (const event of found) take(event, lane);
      if (found.length === room) more.add(lane);
      else if (lane === 'retry') {
        const next = await queue.nextDue(steadyNow());
        if (next !== undefined) wakeRetry(next - steadyNow());
      }
    } catch (error) {
      more.add(lane);
      report.queueFailed(error, limits.pollMs);
    } finally {
      loading.delete(lane);
    }
  }

  function due(lane: Lane, limit: number, at: number): Promise<QueuedEvent[]> {
    return queue.due({
      lane,
      now: at,
      freshSince: now() - limits.freshMs,
      limit,
      except: [...busy.keys()],
    });
  }

  /** Sends one event to see whether it works again: a new call's if there is one. */
  async function probe(): Promise<void> {
    if (probing || phase !== 'running' || flow.state === 'ok') return;
    probing = true;
    lastProbeAt = monotonic();
    try {
      for (const lane of lanes) {
        // What failed before need not be due: something has to be tried.
        const [event] = await due(lane, 1, steadyNow() + (lane === 'retry' ? longestWaitMs : 0));
        if (!event || busy.has(event.callId)) continue;
        busy.set(event.callId, false);
        await attempt(event, lane, true);
        break;
      }
    } catch (error) {
      report.queueFailed(error, limits.pollMs);
    } finally {
      probing = false;
    }
  }

  function sweep(): void {
    sweeper = inFlight > 0 ? setTimeout(sweep, sweepMs) : undefined;
    const at = monotonic();
    for (const lane of lanes) {
      gates[lane].release(at - limits.lanes[lane].patienceMs, limits.inFlight - inFlight);
      refillIfLow(lane);
    }
  }

  function wakeRetry(inMs: number): void {
    const at = monotonic() + Math.min(Math.max(inMs, 0), longestWaitMs);
    if (at >= retryAt) return;
    retryAt = at;
    wakeAt(at);
  }

  /** Sees to it that `tick` runs at a monotonic time, at the latest. */
  function wakeAt(at: number): void {
    if (phase !== 'running' || at >= timerAt) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(tick, Math.max(0, at - monotonic()));
  }

  function tick(): void {
    timerAt = Number.POSITIVE_INFINITY;
    const at = monotonic();
    report.tick();
    if (flow.state !== 'ok' && at >= flow.nextTryAt) void probe();
    if (at >= retryAt) {
      retryAt = Number.POSITIVE_INFINITY;
      void refill('retry');
    }
    if (at >= pollAt) {
      pollAt = at + limits.pollMs;
      for (const lane of lanes) void refill(lane);
    }
    if (at >= expireAt) {
      expireAt = at + limits.expireEveryMs;
      void expire();
    }
    wakeAt(Math.min(pollAt, retryAt, flow.state !== 'ok' && flow.nextTryAt > at ? flow.nextTryAt : pollAt));
  }

  async function expire(): Promise<void> {
    try {
      // The younger of both clocks: one that was wrong and is set must not make events look old.
      const count = await queue.expire(Math.min(now(), steadyNow()) - limits.maxAgeMs, now());
      if (count > 0) report.expired(count, limits.maxAgeMs);
    } catch (error) {
      report.queueFailed(error, limits.expireEveryMs);
    }
  }

  async function stopWithin(limitMs: number): Promise<void> {
    const wasRunning = phase === 'running';
    phase = 'stopping';
    clearTimeout(timer);
    for (const lane of lanes) gates[lane].clear();
    if (wasRunning) {
      const idle = new Promise<void>((resolve) => {
        onIdle = resolve;
        if (inFlight === 0) resolve();
      });
      const tooLong = new AbortController();
      await Promise.race([
        idle.then(() => settler.idle()),
        delay(limitMs, undefined, tooLong).catch(() => {}),
      ]);
      tooLong.abort();
    }
    phase = 'abandoned';
    clearTimeout(sweeper);
    settler.stop();
    report.end();
  }

  return {
    start() {
      if (phase !== 'new') return;
      phase = 'running';
      expireAt = monotonic() + limits.expireEveryMs;
      tick();
    },
    offer(heads) {
      for (const head of heads) take(head, 'fresh');
      if (flow.state === 'ok' || isOpen('fresh')) return;
      const at = monotonic();
      const soonEnough = flow.state === 'outage' && at - lastProbeAt >= limits.probeGapMs;
      if (soonEnough || at >= flow.nextTryAt) void probe();
    },
    poke() {
      for (const lane of lanes) void refill(lane);
    },
    stop(limitMs = 5_000) {
      stopped ??= stopWithin(limitMs);
      return stopped;
    },
    status() {
      return {
        state: flow.state,
        since: Math.round(now() - (monotonic() - flow.since)),
        ...(flow.state !== 'ok' && {
          reason: flow.reason,
          nextTryAt: Math.round(now() + (flow.nextTryAt - monotonic())),
        }),
        inFlight,
        unrecorded: settler.size(),
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
