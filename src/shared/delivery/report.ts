import type { ApiResult } from '../api/result.ts';
import type { Log } from '../log/log.ts';
import { messageOf } from '../process/parse-json.ts';
import type { Flow } from './flow.ts';
import type { QueuedEvent } from './queue.ts';

/** Problems that last are logged once a minute, and failed attempts up to ten a minute before they are summed up. */
const windowMs = 60_000;
const linesPerWindow = 10;

export type Report = ReturnType<typeof createReport>;

type ReportOptions = {
  readonly log: Log;
  readonly waiting: () => Promise<number>;
  readonly monotonic: () => number;
};

/** The log lines of delivery: one for each thing that matters, however often it happens. */
export function createReport({ log, waiting, monotonic }: ReportOptions) {
  let windowEndsAt = 0;
  let linesLeft = 0;
  let summed = 0;
  let lastSummed: { readonly event: QueuedEvent; readonly reason: string } | undefined;
  /** When each kind of problem was last logged. */
  const loggedAt = new Map<string, number>();
  /** The state that was logged, and whose end was not. */
  let logged: Flow['state'] = 'ok';

  function logProblem(flow: Exclude<Flow, { state: 'ok' }>): void {
    const at = monotonic();
    if (at - (loggedAt.get(flow.state) ?? Number.NEGATIVE_INFINITY) < windowMs) return;
    loggedAt.set(flow.state, at);
    logged = flow.state;
    const { reason, nextTryAt } = flow;
    withWaiting((count) =>
      log.say(`delivery.${flow.state}`, { reason, waiting: count, wait: duration(nextTryAt - at) }),
    );
  }

  function withWaiting(say: (count: number | string) => void): void {
    waiting().then(say, () => say('an unknown number'));
  }

  function once(
    code: 'delivery.not-recorded' | 'delivery.queue-failed',
    fields: Record<string, unknown>,
  ): void {
    const at = monotonic();
    if (at - (loggedAt.get(code) ?? Number.NEGATIVE_INFINITY) < windowMs) return;
    loggedAt.set(code, at);
    log.say(code, fields);
  }

  function sumUp(): void {
    if (!lastSummed) return;
    const { event, reason } = lastSummed;
    log.say('delivery.failures', {
      count: summed,
      window: duration(windowMs),
      status: event.status,
      call: event.callId,
      reason,
    });
    summed = 0;
    lastSummed = undefined;
  }

  /** Sums up what was not logged one by one, when its window is over. */
  function tick(): void {
    const at = monotonic();
    if (at < windowEndsAt) return;
    sumUp();
    windowEndsAt = at + windowMs;
    linesLeft = linesPerWindow;
  }

  return {
    tick,

    /** Nothing more is logged after this. */
    end: sumUp,

    delivered({ status, callId }: QueuedEvent, result: ApiResult): void {
      const httpStatus = result.kind === 'answer' ? result.status : undefined;
      const took = `${Math.round(result.durationMs)} ms`;
      log.say('delivery.delivered', { status, call: callId, httpStatus, took });
    },

    failed(event: QueuedEvent, reason: string, waitMs: number): void {
      tick();
      if (linesLeft > 0) {
        linesLeft--;
        const { status, callId, attempts } = event;
        log.say('delivery.failed', {
          status,
          call: callId,
          reason,
          tries: attempts + 1,
          wait: duration(waitMs),
        });
      } else {
        summed++;
        lastSummed = { event, reason };
      }
    },

    dead(event: QueuedEvent, reason: string): void {
      const { status, callId, attempts } = event;
      log.say('delivery.dead-letter', { status, call: callId, reason, tries: attempts + 1 });
    },

    expired(count: number, ageMs: number): void {
      log.say('delivery.expired', { count, age: duration(ageMs) });
    },

    /** The flow has changed, or a probe has failed once more. */
    flow(before: Flow, after: Flow): void {
      if (after.state !== 'ok') {
        logProblem(after);
      } else if (before.state !== 'ok' && logged !== 'ok') {
        logged = 'ok';
        const lasted = duration(after.since - before.since);
        withWaiting((count) => log.say('delivery.resumed', { lasted, waiting: count }));
      }
    },

    notRecorded(error: unknown, count: number, waitMs: number): void {
      once('delivery.not-recorded', { error: messageOf(error), count, wait: duration(waitMs) });
    },

    queueFailed(error: unknown): void {
      once('delivery.queue-failed', { error: messageOf(error) });
    },
  };
}

/** A span of time for people. */
export function duration(ms: number): string {
  if (ms < 950) return `${(Math.max(ms, 0) / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
