import { openReader } from '../../../src/bridge/outbox/reader.ts';
import type { Counters } from '../../../src/bridge/outbox/tables/counters.ts';
import type { CallStatus } from '../../../src/shared/api/contract/call-status.ts';
import type { Counts } from './fault.ts';

export type Evidence = {
  /** All that may arrive at the API: by call id, its states in order. */
  readonly sent: ReadonlyMap<string, readonly CallStatus[]>;
  /** What was said to be on disk, by call id. An event in flight when the fault struck is in neither. */
  readonly acknowledged: ReadonlyMap<string, Iterable<CallStatus>>;
  readonly outbox: Held;
  /** What arrived at the API: by call id, every state in order of arrival, the discarded ones too. */
  readonly received: ReadonlyMap<string, readonly CallStatus[]>;
  /** Confirmed by the API, but not kept, and no use to send again: a later state is there. As `id status`. */
  readonly overtaken?: ReadonlySet<string>;
};

/** What an outbox holds after the fault. */
export type Held = {
  readonly counters: Counters;
  /** Events that are waiting or dead letters, as `id status`. */
  readonly kept: ReadonlySet<string>;
};

const mostExamples = 5;
const none: ReadonlySet<string> = new Set();

/**
 * The one equation, after every fault: `queued = delivered + waiting + dead letters`; and at the API, for each
 * call, the states received are the states sent, in order. Gives the counts, and a line for each thing that does not
 * hold, with a few examples.
 */
export function solve({ sent, acknowledged, outbox, received, overtaken = none }: Evidence): {
  counts: Counts;
  broken: string[];
} {
  const { queued, delivered, waiting, dead } = outbox.counters;
  const lost: string[] = [];
  for (const [id, states] of acknowledged)
    for (const status of states) {
      const event = `${id} ${status}`;
      const there = received.get(id)?.includes(status) || outbox.kept.has(event) || overtaken.has(event);
      if (!there) lost.push(`${status} of ${id}`);
    }
  const inverted: string[] = [];
  const invented: string[] = [];
  let arrived = 0;
  let duplicated = 0;
  for (const [id, states] of received) {
    const order = sent.get(id) ?? [];
    const once = new Set(states);
    arrived += once.size;
    duplicated += states.length - once.size;
    let last = -1;
    for (const status of once) {
      const place = order.indexOf(status);
      if (place < 0) invented.push(`${status} of ${id}`);
      else if (place < last) inverted.push(`${status} of ${id}`);
      last = Math.max(last, place);
    }
  }
  const broken: string[] = [];
  const must = (none: readonly string[], what: string) => {
    if (none.length > 0) broken.push(`${none.length} ${what}: ${none.slice(0, mostExamples).join(', ')}`);
  };
  if (queued !== delivered + waiting + dead)
    broken.push(`${queued} queued, but ${delivered} delivered + ${waiting} waiting + ${dead} dead letters`);
  if (arrived + overtaken.size < delivered)
    broken.push(`${delivered} delivered, but only ${arrived} arrived`);
  must(lost, 'lost');
  must(inverted, 'out of order');
  must(invented, 'arrived that nobody sent');
  return {
    counts: {
      queued,
      delivered,
      waiting,
      dead,
      lost: lost.length,
      inverted: inverted.length,
      duplicated,
    },
    broken,
  };
}

/** True of the line of `broken` that says what is lost. */
export const isLoss = (line: string): boolean => /^\d+ lost/.test(line);

/** The counters of a folder's outbox, at once, however much there is in it. */
export function countersIn(directory: string): Counters {
  return reading(directory, (reader) => reader.counters());
}

/** What the outbox of a folder holds, read beside a program that uses it, or alone. */
export function heldIn(directory: string): Held {
  return reading(directory, (reader) => {
    const counters = reader.counters();
    const kept = new Set<string>();
    for (const state of ['waiting', 'dead'] as const)
      for (const { callId, status } of reader.events({ state, limit: Number.MAX_SAFE_INTEGER }))
        kept.add(`${callId} ${status}`);
    return { counters, kept };
  });
}

function reading<T>(directory: string, read: (reader: NonNullable<ReturnType<typeof openReader>>) => T): T {
  const reader = openReader(directory);
  if (reader === undefined) throw new Error(`there is no outbox in ${directory}`);
  try {
    return read(reader);
  } finally {
    reader.close();
  }
}
