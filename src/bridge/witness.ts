import type { Input } from '../calls/input.ts';
import type { LiveCalls } from '../cdr/gap-filler.ts';
import type { Tracker } from './tracker.ts';

/** Channels that are gone are remembered for as long as their records may take: 20,000 hang-ups. */
const keptGone = 20_000;

/** Stands before the tracker, hears what it hears, and knows what the two have seen with their own eyes. */
export function createWitness(tracker: Tracker): LiveCalls & { hear(input: Input): void } {
  /** Channels that are there, and were heard from their beginning on. */
  const born = new Set<string>();
  const gone = new Set<string>();
  let snapshots = 0;

  function leave(uniqueid: string): void {
    // Of a channel that was found in the middle of things, its record may know more than we.
    if (!born.delete(uniqueid) && !tracker.know().state.calls.has(uniqueid)) return;
    gone.add(uniqueid);
    const [oldest] = gone;
    if (gone.size > keptGone && oldest !== undefined) gone.delete(oldest);
  }

  return {
    hear(input) {
      if (input.type === 'channel-created') born.add(input.uniqueid);
      if (input.type === 'hung-up') leave(input.uniqueid);
      tracker.hear(input);
      if (input.type !== 'snapshot') return;
      snapshots += 1;
      const { channels } = tracker.know().state;
      for (const uniqueid of born) if (!channels.has(uniqueid)) leave(uniqueid);
    },
    snapshots: () => snapshots,
    rules: () => tracker.know().rules,
    trunks: () => tracker.know().state.trunks,
    isOpen: (uniqueid) => tracker.know().state.calls.has(uniqueid),
    wasSeen: (uniqueid) => born.has(uniqueid) || gone.has(uniqueid),
    lost() {
      if (snapshots === 0) return new Set();
      const { calls, channels } = tracker.know().state;
      const open = [...calls.entries()].map(([uniqueid]) => uniqueid);
      return new Set(open.filter((uniqueid) => !channels.has(uniqueid)));
    },
    end: (ended) => tracker.hear({ type: 'ended-unseen', ...ended }),
  };
}
