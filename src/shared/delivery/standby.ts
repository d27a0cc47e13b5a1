import type { Log } from '../log/log.ts';
import { compare, type Recorded } from './compare.ts';
import { type HistoryReader, HistoryUnreadable } from './history-reader.ts';
import type { DeliveryQueue, QueuedEvent } from './queue.ts';

type StandbyOptions = {
  readonly queue: DeliveryQueue;
  /** How long the other bridge is given, ms. */
  readonly delayMs: number;
  readonly reader: Pick<HistoryReader, 'find'>;
  readonly log: Log;
  /** Unix ms. */
  readonly now: () => number;
};

/** Most requests of one comparison with the history; events that they do not cover are sent. */
const mostRequests = 10;
/** An event queued more than this after now, ms, was queued before the clock was set back. */
const ahead = 1_000;

/**
 * The queue of a standby bridge. It holds the events of a call back until the call had no new event for `delayMs`.
 * Events that the API's history has by then count as delivered. Sending twice is harmless, so in doubt an event is
 * sent: an unreadable history costs requests, and no call.
 */
export function standBy(options: StandbyOptions): DeliveryQueue {
  const { queue, delayMs, reader, log, now } = options;

  /** The entries of these calls in the API's history; undefined if it cannot be read. */
  async function recordedOf(nextEvents: readonly QueuedEvent[]): Promise<Recorded | undefined> {
    try {
      return await reader.find(withTime(nextEvents), mostRequests);
    } catch (error) {
      if (error instanceof HistoryUnreadable) return undefined;
      throw error;
    }
  }

  /** Of these events and the later ones of their calls: those that the API does not have. */
  async function notRecorded(nextEvents: readonly QueuedEvent[]): Promise<readonly QueuedEvent[]> {
    const recorded = nextEvents.length === 0 ? undefined : await recordedOf(nextEvents);
    if (recorded === undefined) return nextEvents;
    const open: QueuedEvent[] = [];
    for (let left = nextEvents; left.length > 0; ) {
      const { there, overtaken } = compare(withTime(left), recorded);
      const done = [...there, ...overtaken];
      const seqs = new Set(done.map(({ seq }) => seq));
      open.push(...left.filter(({ seq }) => !seqs.has(seq)));
      if (done.length === 0) break;
      left = await queue.record(
        done.map(({ seq, callId }) => ({
          seq,
          callId,
          outcome: 'delivered',
          at: now(),
          counted: false,
          durationMs: 0,
          error: 'another bridge had reported it',
        })),
      );
      log.say('standby.reported-by-other', { count: done.length, call: done[0]?.callId });
    }
    return open;
  }

  return {
    ...queue,
    async due(query) {
      if (query.priority === 'retry') return queue.due(query);
      // A standby sends no fresh events, except those that a clock that was set back has put into the future.
      const freshSince = query.priority === 'fresh' ? now() + ahead : now() - delayMs;
      return [...(await notRecorded(await queue.due({ ...query, freshSince })))];
    },
  };
}

function withTime(nextEvents: readonly QueuedEvent[]) {
  return nextEvents.map((event) => ({ ...event, at: event.queuedAt }));
}
