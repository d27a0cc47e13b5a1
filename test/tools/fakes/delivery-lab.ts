import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { CallStatus } from '../../../src/shared/api/contract/call-status.ts';
import type { ApiAnswer, ApiErrorKind, ApiFailure, ApiResult } from '../../../src/shared/api/result.ts';
import { createDispatcher, type Dispatcher } from '../../../src/shared/delivery/dispatcher.ts';
import type { DeliveryLimits } from '../../../src/shared/delivery/limits.ts';
import type { QueuedEvent } from '../../../src/shared/delivery/queue.ts';
import type { Log, LogFields } from '../../../src/shared/log/log.ts';
import type { MessageCode } from '../../../src/shared/log/messages.ts';
import { type Book, createBook } from './fake-api-book.ts';
import { createMemoryQueue, type MemoryQueue } from './memory-queue.ts';

/** One request that the dispatcher made. */
export type Sent = { readonly event: QueuedEvent; readonly at: number };

/** What the API does with a request: answers, at once or after `afterMs`; `hang` never ends. */
export type Reply = ApiResult | { readonly afterMs: number; readonly result: ApiResult } | 'hang';

export const ok: ApiAnswer = answer(200, JSON.stringify({ result: 'x'.repeat(48) }));

export function answer(status: number, body = '{}', more: Partial<ApiAnswer> = {}): ApiAnswer {
  return {
    kind: 'answer',
    status,
    contentType: 'application/json',
    body,
    truncated: false,
    durationMs: 1.25,
    ...more,
  };
}

export function failure(error: ApiErrorKind): ApiFailure {
  return { kind: 'failed', error, detail: '', durationMs: 1.25 };
}

/** 2026-11-20 06:00 UTC: the time at which every lab starts. */
export const startUnix = Date.UTC(2026, 10, 20, 6);

type DeliveryLab = {
  readonly dispatcher: Dispatcher;
  readonly queue: MemoryQueue;
  /** What the API holds; only answers of 2xx apply an event, unless a reply says otherwise. */
  readonly book: Book;
  readonly sent: readonly Sent[];
  readonly lines: readonly { readonly code: MessageCode; readonly fields: LogFields; readonly at: number }[];
  /** ms since the lab started, by the clock that is never set. */
  elapsed(): number;
  inFlight(): number;
  /** How the API replies from now on. */
  reply(how: (event: QueuedEvent) => Reply): void;
  /** Sets the Unix clock forward or back. */
  jump(ms: number): void;
  /** `take` queues events now, by the Unix clock; `offer` also offers the next events to the dispatcher. */
  take(callId: string, ...statuses: CallStatus[]): QueuedEvent[];
  offer(callId: string, ...statuses: CallStatus[]): void;
  /** Lets time pass, in steps. */
  pass(ms: number, stepMs?: number): Promise<void>;
};

/** A dispatcher over a model of the queue, an API without a network, and a clock that the test moves. */
export function createDeliveryLab(
  t: TestContext,
  { random = () => 1, limits = {} }: { random?: () => number; limits?: Partial<DeliveryLimits> } = {},
): DeliveryLab {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: startUnix });
  const queue = createMemoryQueue();
  const book = createBook();
  const sent: Sent[] = [];
  const lines: { code: MessageCode; fields: LogFields; at: number }[] = [];
  let how: (event: QueuedEvent) => Reply = () => ok;
  let skew = 0;
  let inFlight = 0;
  const elapsed = () => Date.now() - startUnix;
  // As real ones are: no part may take a clock's milliseconds for whole.
  const now = () => Date.now() + skew + 0.25;
  const monotonic = () => elapsed() + 0.375;
  const log: Log = {
    say: (code, fields = {}) => lines.push({ code, fields, at: elapsed() }),
    child: () => log,
  };

  async function send(event: QueuedEvent): Promise<ApiResult> {
    sent.push({ event, at: elapsed() });
    inFlight++;
    const reply = how(event);
    if (reply === 'hang') return new Promise(() => {});
    const result = 'afterMs' in reply ? reply.result : reply;
    if (result.kind === 'answer' && result.status === 200) book.apply(JSON.parse(event.body), now());
    if ('afterMs' in reply) await new Promise((resolve) => setTimeout(resolve, reply.afterMs));
    inFlight--;
    return result;
  }

  const dispatcher = createDispatcher({ queue, send, log, now, monotonic, random, limits });
  t.after(() => {
    t.mock.timers.reset();
    return dispatcher.stop(0);
  });

  const lab: DeliveryLab = {
    dispatcher,
    queue,
    book,
    sent,
    lines,
    elapsed,
    inFlight: () => inFlight,
    reply(next) {
      how = next;
    },
    jump(ms) {
      skew += ms;
    },
    take: (callId, ...statuses) =>
      queue.append(statuses.map((status) => ({ callId, status, queuedAt: Math.floor(now()) }))),
    offer: (callId, ...statuses) => dispatcher.offer(lab.take(callId, ...statuses)),
    async pass(ms, stepMs = 10) {
      await resultOf();
      for (let left = ms; left > 0; left -= stepMs) {
        t.mock.timers.tick(Math.min(stepMs, left));
        await resultOf();
      }
    },
  };
  return lab;
}

/** A lab whose API replies like this, and whose dispatcher is at work. */
export function startDeliveryLab(
  t: TestContext,
  how: (event: QueuedEvent) => Reply = () => ok,
  options: Parameters<typeof createDeliveryLab>[1] = {},
): DeliveryLab {
  const lab = createDeliveryLab(t, options);
  lab.reply(how);
  lab.dispatcher.start();
  return lab;
}

/** Lets everything happen that needs no time. */
async function resultOf(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await setImmediate();
}
