import assert from 'node:assert/strict';
import type { CallStatus } from '../../../src/shared/api/contract/call-status.ts';
import {
  type DeliveryQueue,
  type DeliveryResult,
  longestWaitMs,
  type QueuedEvent,
} from '../../../src/shared/delivery/queue.ts';

type Row = QueuedEvent & {
  state: 'waiting' | 'delivered' | 'dead';
  attempts: number;
  rejections: number;
  nextAt: number;
};

/** The queue's port over plain memory: a model of what the outbox does, for tests of delivery. */
export type MemoryQueue = DeliveryQueue & {
  /** Takes events; gives those that are nextEvents, as the caller of `append` offers them. */
  append(events: readonly { callId: string; status: CallStatus; queuedAt: number }[]): QueuedEvent[];
  /** Every event ever taken, in order. */
  readonly rows: readonly Readonly<Row>[];
  readonly results: readonly DeliveryResult[];
  /** How often each was asked for. */
  readonly asked: { due: number; nextDue: number };
  /** An operator makes a dead letter wait again, from another process. */
  requeue(seq: number): void;
  /** From now on a batch is refused if it has one of these in it. */
  refuse(which: (result: DeliveryResult) => boolean): void;
};

/** PostgreSQL refuses a fraction beside an integer column. */
const assertWhole = (...times: number[]) => assert.ok(times.every(Number.isInteger), `not whole: ${times}`);

export function createMemoryQueue(): MemoryQueue {
  const rows: Row[] = [];
  const byCall = new Map<string, Row[]>();
  const results: DeliveryResult[] = [];
  const asked = { due: 0, nextDue: 0 };
  let isRefused: (result: DeliveryResult) => boolean = () => false;

  /** Calls that have something waiting. */
  const open = new Set<Row[]>();
  const head = (call: readonly Row[]) => call.find((row) => row.state === 'waiting');
  const nextEvents = () => [...open].flatMap((call) => head(call) ?? []);
  const newestAt = (row: Row) => Math.max(...(byCall.get(row.callId) ?? []).map((it) => it.queuedAt));
  const given = ({ seq, callId, status, body, queuedAt, attempts, rejections }: Row): QueuedEvent => ({
    seq,
    callId,
    status,
    body,
    queuedAt,
    attempts,
    rejections,
  });

  function recordOne({
    seq,
    callId,
    outcome,
    counted,
    rejected,
    nextAt,
  }: DeliveryResult): QueuedEvent | undefined {
    const row = rows[seq - 1];
    if (row?.state !== 'waiting') return undefined;
    if (counted) row.attempts++;
    if (rejected) row.rejections++;
    if (outcome === 'retry') {
      row.nextAt = nextAt ?? 0;
      return undefined;
    }
    row.state = outcome;
    const call = byCall.get(callId) ?? [];
    const next = head(call);
    if (!next) open.delete(call);
    return next && given(next);
  }

  return {
    rows,
    results,
    asked,
    append(events) {
      const fresh: QueuedEvent[] = [];
      for (const { callId, status, queuedAt } of events) {
        assertWhole(queuedAt);
        const body = JSON.stringify({ id: callId, direction: 'inbound', status, from: '+4930901820' });
        const row: Row = {
          seq: rows.length + 1,
          callId,
          status,
          body,
          queuedAt,
          attempts: 0,
          rejections: 0,
          state: 'waiting',
          nextAt: 0,
        };
        rows.push(row);
        const call = byCall.get(callId) ?? [];
        if (!head(call)) fresh.push(given(row));
        call.push(row);
        byCall.set(callId, call);
        open.add(call);
      }
      return fresh;
    },
    async due({ priority, now, freshSince, limit, except }) {
      asked.due++;
      assertWhole(now, freshSince);
      const barred = new Set(except);
      const open = nextEvents().filter((row) => !barred.has(row.callId));
      const found =
        priority === 'retry'
          ? open
              .filter((row) => row.attempts > 0 && (row.nextAt <= now || row.nextAt > now + longestWaitMs))
              .sort((a, b) => a.attempts - b.attempts || a.nextAt - b.nextAt || a.seq - b.seq)
          : priority === 'fresh'
            ? open
                .filter((row) => row.attempts === 0 && newestAt(row) >= freshSince)
                .sort((a, b) => newestAt(b) - newestAt(a) || b.seq - a.seq)
            : open.filter((row) => row.attempts === 0 && newestAt(row) < freshSince);
      return found.slice(0, limit).map(given);
    },
    async nextDue(now) {
      asked.nextDue++;
      assertWhole(now);
      const times = nextEvents()
        .filter((row) => row.attempts > 0 && row.nextAt > now && row.nextAt <= now + longestWaitMs)
        .map((row) => row.nextAt);
      return times.length > 0 ? Math.min(...times) : undefined;
    },
    async record(batch) {
      for (const { at, nextAt = 0, durationMs } of batch) assertWhole(at, nextAt, durationMs);
      if (batch.some(isRefused)) throw new Error('the disk is full');
      results.push(...batch);
      return batch.flatMap((result) => recordOne(result) ?? []);
    },
    async expire(queuedBefore, at) {
      assertWhole(queuedBefore, at);
      let expired = 0;
      for (const row of rows) {
        if (row.state !== 'waiting' || row.queuedAt >= queuedBefore) continue;
        row.state = 'dead';
        results.push({
          seq: row.seq,
          callId: row.callId,
          outcome: 'dead',
          at,
          counted: false,
          durationMs: 0,
        });
        expired++;
      }
      return expired;
    },
    async waiting() {
      return rows.filter((row) => row.state === 'waiting').length;
    },
    requeue(seq) {
      const row = rows[seq - 1];
      if (row?.state !== 'dead') return;
      Object.assign(row, { state: 'waiting', attempts: 0, rejections: 0, nextAt: 0 });
      open.add(byCall.get(row.callId) ?? []);
    },
    refuse(which) {
      isRefused = which;
    },
  };
}
