import type { QueuedEvent } from './queue.ts';

type ProberOptions = {
  /** An event that waits, if there is one. */
  readonly takeOne: () => Promise<QueuedEvent | undefined>;
  /** Sends it as a probe. */
  readonly attempt: (event: QueuedEvent) => Promise<void>;
  /** How many results are on disk. */
  readonly recorded: () => number;
  readonly mayProbe: () => boolean;
  readonly monotonic: () => number;
  readonly onFailed: (error: unknown) => void;
};

/** While delivery is stopped: sends one event at a time, to find out whether the receiver works again. */
export function createProber({ takeOne, attempt, recorded, mayProbe, monotonic, onFailed }: ProberOptions) {
  let state: 'idle' | 'probing' = 'idle';
  let probedAt = Number.NEGATIVE_INFINITY;
  /** A probe that began before a setting changed has no meaning: another follows. */
  let isWanted = false;

  async function find(): Promise<QueuedEvent | undefined> {
    for (;;) {
      const before = recorded();
      const event = await takeOne();
      // The event that was sent last may be the only one, and its result was recorded just now.
      if (event !== undefined || recorded() === before) return event;
    }
  }

  const prober = {
    /** Unless one is running. */
    async probe(): Promise<void> {
      if (state === 'probing') return;
      state = 'probing';
      probedAt = monotonic();
      let event: QueuedEvent | undefined;
      try {
        event = await find();
        if (event) {
          isWanted = false;
          await attempt(event);
        }
      } catch (error) {
        onFailed(error);
      }
      state = 'idle';
      if (event) prober.probeIfWanted();
    },

    probeIfWanted(): void {
      if (isWanted && mayProbe()) void prober.probe();
    },

    /** Probes as soon as it may. */
    want(): void {
      isWanted = true;
      prober.probeIfWanted();
    },

    /** When the last one began, monotonic ms. */
    probedAt: () => probedAt,
  };
  return prober;
}
