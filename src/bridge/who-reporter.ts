import { isDeepStrictEqual } from 'node:util';
import { mostCallsNow } from '../shared/api/contract/bridge-calls.ts';
import type { ApiResult } from '../shared/api/result.ts';
import type { QueuedEvent } from '../shared/delivery/queue.ts';
import type { Clock } from '../shared/process/clock.ts';
import type { Report, WhoChanged } from './calls/effect.ts';

/** Least time between two reports, ms. */
const GAP_MS = 250;
/** After a report that was not taken, ms. */
const RETRY_MS = 5_000;
/** What is told is told again after this time, ms: the service keeps it in memory, and may have been restarted. */
const REPEAT_MS = 30_000;
/** A service that has never taken such a report, and does not know them, is asked again after this time, ms. */
const UNKNOWN_MS = 3_600_000;

export type WhoReporter = ReturnType<typeof createWhoReporter>;

type Now = Pick<WhoChanged, 'rings' | 'talks'>;

/**
 * Tells the service who rings and who talks in open calls: the newest state of all calls in which it has changed, in one
 * request, and never two requests at a time. What an event of the call says already is not told.
 */
export function createWhoReporter(
  post: (body: string) => Promise<ApiResult>,
  { setTimer }: Pick<Clock, 'setTimer'>,
) {
  /** Open calls: what is, and what the service knows, by their events or because it was told. */
  const calls = new Map<string, { now: Now; known: Now | undefined; isTold: boolean }>();
  const changed = new Set<string>();
  /** Calls whose answer was delivered while a report was on its way. */
  const overtaken = new Set<string>();
  let cancel: (() => void) | undefined;
  let cancelRepeat: (() => void) | undefined;
  /** Calls of one report at most: fewer after one that was refused, since one of them may be what is wrong. */
  let most = mostCallsNow;
  let isSending = false;
  let wasTaken = false;
  let isStopped = false;

  function wait(ms: number): void {
    if (isStopped || isSending || cancel !== undefined || changed.size === 0) return;
    cancel = setTimer(() => void send(), ms);
  }

  async function send(): Promise<void> {
    cancel = undefined;
    const batch: { readonly id: string; readonly now: Now }[] = [];
    for (const id of changed) {
      if (batch.length === most) break;
      changed.delete(id);
      const { now, known } = calls.get(id) ?? unknown;
      if (!isDeepStrictEqual(now, known)) batch.push({ id, now });
    }
    if (batch.length === 0) return;
    isSending = true;
    overtaken.clear();
    const result = await post(JSON.stringify({ calls: batch.map(({ id, now }) => ({ id, ...now })) }));
    isSending = false;
    const status = result.kind === 'answer' ? result.status : undefined;
    wasTaken ||= status === 200;
    const isRefused = status === 413 || status === 422;
    // What is refused alone is not told again before it changes.
    const isDone = status === 200 || (isRefused && batch.length === 1);
    for (const { id, now } of batch) {
      const call = calls.get(id);
      if (call === undefined) continue;
      if (isDone) call.known = overtaken.has(id) ? undefined : now;
      if (status === 200) call.isTold = true;
      if (!isDeepStrictEqual(call.now, call.known)) changed.add(id);
    }
    if (status === 200 && !isStopped) cancelRepeat ??= setTimer(repeat, REPEAT_MS);
    if (isRefused) most = Math.ceil(batch.length / 2);
    else if (status === 200) most = Math.min(most * 2, mostCallsNow);
    wait(isDone || isRefused ? GAP_MS : status === 404 && !wasTaken ? UNKNOWN_MS : RETRY_MS);
  }

  function callOf(id: string) {
    const call = calls.get(id) ?? { ...unknown };
    calls.set(id, call);
    return call;
  }

  function tellAgain(id: string, call: { known: Now | undefined; readonly isTold: boolean }): void {
    if (!call.isTold) return;
    call.known = undefined;
    changed.add(id);
  }

  function repeat(): void {
    cancelRepeat = undefined;
    for (const [id, call] of calls) tellAgain(id, call);
    wait(GAP_MS);
  }

  return {
    changed({ id, rings, talks }: WhoChanged): void {
      callOf(id).now = { rings, talks };
      changed.add(id);
      wait(GAP_MS);
    },
    /** An event of the call, which the service gets, too. */
    reported({ id, status, callerId }: Pick<Report, 'id' | 'status' | 'callerId'>): void {
      if (status === 'ringing') callOf(id).known ??= nobody;
      if (status === 'completed') {
        calls.delete(id);
        changed.delete(id);
      }
      if (status === 'answered') {
        const answered = { rings: [], talks: callerId === undefined ? [] : [callerId] };
        Object.assign(callOf(id), { now: answered, known: answered, isTold: false });
      }
    },
    /** The service has got an event: its screens show who answered in place of what was told before it came. */
    delivered({ callId, status }: Pick<QueuedEvent, 'callId' | 'status'>): void {
      const call = calls.get(callId);
      if (status !== 'answered' || call === undefined) return;
      if (isSending) overtaken.add(callId);
      tellAgain(callId, call);
      wait(GAP_MS);
    },
    stop(): void {
      isStopped = true;
      cancel?.();
      cancelRepeat?.();
    },
  };
}

const nobody: Now = { rings: [], talks: [] };
/** Of a call that began before a restart the service may know anything. */
const unknown = { now: nobody, known: undefined, isTold: false };
