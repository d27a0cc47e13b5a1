import type { ApiResult } from '../api/result.ts';
import type { Log, LogFields } from '../log/log.ts';
import type { MessageCode } from '../log/messages.ts';
import { messageOf } from '../process/parse-json.ts';
import { type FailureInput, nextFailureWindow, noFailures, windowMs } from './failure-window.ts';
import type { Flow } from './flow.ts';
import type { QueuedEvent } from './queue.ts';

type ReportOptions = {
  readonly log: Log;
  readonly waiting: () => Promise<number>;
  readonly monotonic: () => number;
};

/** The log lines of delivery: one for each thing that matters, however often it happens. */
export function createReport({ log, waiting, monotonic }: ReportOptions) {
  let failures = noFailures;
  /** The state that was logged, and whose end was not. */
  let logged: Flow['state'] = 'ok';
  const isDue = createInterval(monotonic);

  function withWaiting(code: MessageCode, fields: (count: number | string) => LogFields): void {
    waiting().then(
      (count) => log.say(code, fields(count)),
      () => log.say(code, fields('an unknown number')),
    );
  }

  function applyToFailures(input: FailureInput): void {
    const { window, sum, failure } = nextFailureWindow(failures, input);
    failures = window;
    if (sum) {
      const fields = { count: sum.count, window: duration(windowMs), ...eventFields(sum.last.event) };
      log.say('delivery.failures', { ...fields, reason: sum.last.reason });
    }
    if (failure) {
      const { event, reason, waitMs } = failure;
      const tries = event.attempts + 1;
      log.say('delivery.failed', { ...eventFields(event), reason, tries, wait: duration(waitMs) });
    }
  }

  return {
    /** Sums up what was not logged one by one, when its window is over. */
    tick: () => applyToFailures({ type: 'time', at: monotonic() }),

    /** Nothing more is logged after this. */
    end: () => applyToFailures({ type: 'end' }),

    delivered(event: QueuedEvent, result: ApiResult): void {
      const httpStatus = result.kind === 'answer' ? result.status : undefined;
      const took = `${Math.round(result.durationMs)} ms`;
      log.say('delivery.delivered', { ...eventFields(event), httpStatus, took });
    },

    failed(event: QueuedEvent, reason: string, waitMs: number): void {
      applyToFailures({ type: 'failed', at: monotonic(), failure: { event, reason, waitMs } });
    },

    dead(event: QueuedEvent, reason: string): void {
      log.say('delivery.dead-letter', { ...eventFields(event), reason, tries: event.attempts + 1 });
    },

    expired(count: number, ageMs: number): void {
      log.say('delivery.expired', { count, age: duration(ageMs) });
    },

    /** The flow has changed, or a probe has failed once more. */
    flow(before: Flow, after: Flow): void {
      if (after.state !== 'ok') {
        if (!isDue(after.state)) return;
        logged = after.state;
        const wait = duration(after.nextTryAt - monotonic());
        withWaiting(`delivery.${after.state}`, (count) => ({ reason: after.reason, waiting: count, wait }));
      } else if (before.state !== 'ok' && logged !== 'ok') {
        logged = 'ok';
        const lasted = duration(after.since - before.since);
        withWaiting('delivery.resumed', (count) => ({ lasted, waiting: count }));
      }
    },

    notRecorded(error: unknown, count: number, waitMs: number): void {
      if (isDue('not-recorded'))
        log.say('delivery.not-recorded', { error: messageOf(error), count, wait: duration(waitMs) });
    },

    queueFailed(error: unknown): void {
      if (isDue('queue-failed')) log.say('delivery.queue-failed', { error: messageOf(error) });
    },
  };
}

/** Whether a minute has passed since this problem was last logged. Problems that last are logged that often. */
function createInterval(monotonic: () => number): (problem: string) => boolean {
  const loggedAt = new Map<string, number>();
  return (problem) => {
    const at = monotonic();
    if (at - (loggedAt.get(problem) ?? Number.NEGATIVE_INFINITY) < windowMs) return false;
    loggedAt.set(problem, at);
    return true;
  };
}

const eventFields = ({ status, callId }: QueuedEvent) => ({ status, call: callId });

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
