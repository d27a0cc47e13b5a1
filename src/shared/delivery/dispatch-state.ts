import type { ApiResult } from '../api/result.ts';
import type { Classified } from './classify.ts';
import { type DeliveryStatus, type Flow, flowing, nextFlow } from './flow.ts';
import type { DeliveryLimits } from './limits.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { type Priority, priorities } from './queue.ts';
import type { Sent } from './sender.ts';

/** What the dispatcher knows; what waits is on disk. Times are monotonic ms. */
export type DispatchState = {
  readonly phase: 'new' | 'running' | 'stopping' | 'abandoned';
  readonly flow: Flow;
  /** When each is done next. `retry`: an event that failed before is due. */
  readonly dueAt: { readonly retry: number; readonly poll: number; readonly expire: number };
  readonly counts: Pick<DeliveryStatus, 'delivered' | 'failedAttempts' | 'deadLetters'>;
  /** Unix ms. */
  readonly lastDeliveredAt?: number;
};

type AttemptEnded = Sent & {
  readonly type: 'attempt-ended';
  readonly result: ApiResult;
  readonly classified: Classified;
  readonly endedAt: number;
  /** The same moment as `endedAt`, Unix ms. */
  readonly unixAt: number;
};

export type DispatchInput =
  | { readonly type: 'phase'; readonly phase: DispatchState['phase'] }
  | { readonly type: 'time'; readonly at: number }
  /** The queue has an event that failed before, and is due then. */
  | { readonly type: 'retry-at'; readonly at: number }
  /** Events were queued. */
  | { readonly type: 'offered'; readonly at: number; readonly probedAt: number }
  | AttemptEnded;

export type DispatchEffect =
  | { readonly type: 'wake'; readonly at: number }
  | { readonly type: 'probe' | 'expire' }
  | { readonly type: 'read'; readonly priorities: readonly Priority[] }
  | { readonly type: 'report-flow'; readonly before: Flow; readonly after: Flow }
  | Conclusion;

/** What becomes of the event of an attempt, to be recorded. */
export type Conclusion = {
  readonly type: 'conclude';
  readonly ended: AttemptEnded;
  readonly outcome: Outcome;
  /** False if the event failed while delivery is stopped: the report of that says why. */
  readonly isReported: boolean;
};

type Rules = { readonly limits: DeliveryLimits; readonly random: () => number };
type Step = { readonly state: DispatchState; readonly effects: readonly DispatchEffect[] };

export function newDispatch(at: number, limits: DeliveryLimits): DispatchState {
  return {
    phase: 'new',
    flow: flowing(at),
    dueAt: { retry: Number.POSITIVE_INFINITY, poll: at, expire: at + limits.expireEveryMs },
    counts: { delivered: 0, failedAttempts: 0, deadLetters: 0 },
  };
}

/** Whether events of this priority are sent, not only as probes. */
export function isOpen({ phase, flow }: DispatchState, priority: Priority): boolean {
  if (phase !== 'running') return false;
  return (
    flow.state === 'ok' || (priority === 'fresh' && flow.state === 'outage' && flow.reachable && !flow.named)
  );
}

/** Whether a probe that somebody asks for may be sent before its time. */
export function mayProbe({ phase, flow }: DispatchState): boolean {
  return phase === 'running' && flow.state !== 'ok' && flow.state !== 'held' && !flow.named;
}

export function nextDispatch(state: DispatchState, input: DispatchInput, rules: Rules): Step {
  switch (input.type) {
    case 'phase':
      return { state: { ...state, phase: input.phase }, effects: [] };
    case 'time':
      return atTime(state, input.at, rules.limits);
    case 'retry-at': {
      const retry = Math.min(state.dueAt.retry, input.at);
      return {
        state: { ...state, dueAt: { ...state.dueAt, retry } },
        effects: [{ type: 'wake', at: retry }],
      };
    }
    case 'offered':
      return { state, effects: bringsProbe(state, input, rules.limits) ? [{ type: 'probe' }] : [] };
    case 'attempt-ended':
      return afterAttempt(state, input, rules);
    default:
      return input satisfies never;
  }
}

function atTime(state: DispatchState, at: number, { pollMs, expireEveryMs }: DeliveryLimits): Step {
  const { flow, dueAt } = state;
  const effects: DispatchEffect[] = [];
  if (flow.state !== 'ok' && at >= flow.nextTryAt) effects.push({ type: 'probe' });
  if (at >= dueAt.retry) effects.push({ type: 'read', priorities: ['retry'] });
  if (at >= dueAt.poll) effects.push({ type: 'read', priorities });
  if (at >= dueAt.expire) effects.push({ type: 'expire' });
  const next = {
    retry: at >= dueAt.retry ? Number.POSITIVE_INFINITY : dueAt.retry,
    poll: at >= dueAt.poll ? at + pollMs : dueAt.poll,
    expire: at >= dueAt.expire ? at + expireEveryMs : dueAt.expire,
  };
  // A probe that found nothing to send is repeated at the next poll.
  const probeAt = flow.state !== 'ok' && flow.nextTryAt > at ? flow.nextTryAt : Number.POSITIVE_INFINITY;
  effects.push({ type: 'wake', at: Math.min(next.retry, next.poll, probeAt) });
  return { state: { ...state, dueAt: next }, effects };
}

/** In an outage a new call brings the next probe forward. */
function bringsProbe(
  state: DispatchState,
  { at, probedAt }: Extract<DispatchInput, { type: 'offered' }>,
  { probeGapMs }: DeliveryLimits,
): boolean {
  const { phase, flow } = state;
  if (phase !== 'running' || flow.state === 'ok' || isOpen(state, 'fresh')) return false;
  return at >= flow.nextTryAt || (flow.state === 'outage' && !flow.named && at - probedAt >= probeGapMs);
}

function afterAttempt(state: DispatchState, ended: AttemptEnded, { limits, random }: Rules): Step {
  const { event, classified, isProbe: probe, startedAt, endedAt } = ended;
  const before = state.flow;
  const flow = nextFlow(before, { classified, startedAt, endedAt, probe }, random);
  const stopped = before.state !== 'ok' || flow.state !== 'ok';
  const outcome = outcomeOf(event, classified, { stopped, maxRejections: limits.maxRejections, random });
  const isReported = outcome.outcome !== 'retry' || flow.state === 'ok';
  return {
    state: { ...counted(state, outcome, ended), flow },
    effects: [
      ...(flow === before || !stopped ? [] : flowEffects(before, flow)),
      { type: 'conclude', ended, outcome, isReported },
    ],
  };
}

function counted(state: DispatchState, { outcome }: Outcome, { unixAt }: AttemptEnded): DispatchState {
  const { delivered, failedAttempts, deadLetters } = state.counts;
  if (outcome === 'delivered')
    return { ...state, counts: { ...state.counts, delivered: delivered + 1 }, lastDeliveredAt: unixAt };
  const counts = {
    delivered,
    failedAttempts: failedAttempts + 1,
    deadLetters: deadLetters + (outcome === 'dead' ? 1 : 0),
  };
  return { ...state, counts };
}

function flowEffects(before: Flow, after: Flow): DispatchEffect[] {
  return [
    { type: 'report-flow', before, after },
    ...(after.state === 'ok' ? [] : [{ type: 'wake', at: after.nextTryAt } as const]),
    { type: 'read', priorities },
  ];
}

/** `toUnix`: the Unix time of a monotonic one. */
export function deliveryStatus(
  { flow, counts, lastDeliveredAt }: DispatchState,
  now: Pick<DeliveryStatus, 'inFlight' | 'unrecorded'>,
  toUnix: (at: number) => number,
): DeliveryStatus {
  const retrying = flow.state === 'ok' &&
    flow.failing && { ...flow.failing, since: toUnix(flow.failing.since), failures: flow.failures };
  return {
    state: flow.state,
    since: toUnix(flow.since),
    ...(flow.state !== 'ok' && { reason: flow.reason, nextTryAt: toUnix(flow.nextTryAt) }),
    ...(retrying && { retrying }),
    ...now,
    ...counts,
    ...(lastDeliveredAt !== undefined && { lastDeliveredAt }),
  };
}
