import type { PrefetchBuffer } from './prefetch-buffer.ts';

export type HealthProbe = {
  /** Sends one event to see whether it works again, unless one is under way. */
  probe(): Promise<void>;
  /**
   * The same, for something has changed: a probe that is under way began before that, so another follows it.
   * Nothing happens if `mayRetry` says no by then.
   */
  retry(): Promise<void>;
  /** ms since the last probe began. */
  sinceLast(): number;
};

type HealthProbeOptions = {
  readonly takeOne: PrefetchBuffer['takeOne'];
  /** Sends it and draws every conclusion. */
  readonly attempt: (one: NonNullable<Awaited<ReturnType<PrefetchBuffer['takeOne']>>>) => Promise<void>;
  readonly mayRetry: () => boolean;
  /** Resolves when what became of attempts is recorded, as far as it can be. */
  readonly recorded: () => Promise<void>;
  readonly monotonic: () => number;
  readonly onFailed: (error: unknown) => void;
};

/** The one request at a time that tries whether it works again. */
export function createHealthProbe(options: HealthProbeOptions): HealthProbe {
  const { takeOne, attempt, mayRetry, recorded, monotonic, onFailed } = options;
  let probing = false;
  let another = false;
  let probedAt = Number.NEGATIVE_INFINITY;

  const healthProbe: HealthProbe = {
    async probe() {
      if (probing) return;
      probing = true;
      probedAt = monotonic();
      try {
        const one = await takeOne();
        if (one) await attempt(one);
      } catch (error) {
        onFailed(error);
      } finally {
        probing = false;
      }
      if (!another) return;
      another = false;
      await healthProbe.retry();
    },
    async retry() {
      if (probing) {
        another = true;
        return;
      }
      // Until then the event that was tried last rests, and it may be the only one.
      await recorded();
      if (mayRetry()) await healthProbe.probe();
    },
    sinceLast: () => monotonic() - probedAt,
  };
  return healthProbe;
}
