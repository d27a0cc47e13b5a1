/** The outcome of one item of a batch; `again`: write it again, before the items that came later. */
export type Outcome<R> = { readonly value: R } | { readonly error: unknown } | 'again';

export type Batches<T, R> = {
  /** `later`: no one waits for it: it is written with the next request that is not, or after some milliseconds. */
  add(item: T, later?: boolean): Promise<R>;
  /** Resolves when all that was added before has its outcome. */
  drained(): Promise<void>;
};

const LATER_MS = 10;

type Waiting<T, R> = {
  readonly item: T;
  readonly later: boolean;
  resolve(value: R): void;
  reject(error: unknown): void;
};

/**
 * Group commit: items that arrive while a batch is being written form the next one, of at most `max`. One batch at a
 * time keeps the order of each client's items. `write` returns an outcome for each item.
 */
export function createBatches<T, R>(
  max: number,
  write: (items: readonly T[]) => Promise<readonly Outcome<R>[]>,
): Batches<T, R> {
  let waiting: Waiting<T, R>[] = [];
  let running = false;
  let timer: NodeJS.Timeout | undefined;
  const undecided = new Set<Promise<R>>();

  async function writeOne(batch: readonly Waiting<T, R>[]): Promise<void> {
    const outcomes = await write(batch.map(({ item }) => item)).catch((error: unknown) =>
      batch.map(() => ({ error })),
    );
    const again: Waiting<T, R>[] = [];
    for (const [index, one] of batch.entries()) {
      const outcome = outcomes[index] as Outcome<R>;
      if (outcome === 'again') again.push(one);
      else if ('error' in outcome) one.reject(outcome.error);
      else one.resolve(outcome.value);
    }
    waiting = [...again, ...waiting];
  }

  async function run(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    running = true;
    // All that this turn of the event loop brings is one batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    do await writeOne(waiting.splice(0, max));
    while (waiting.some(({ later }) => !later) || waiting.length >= max);
    running = false;
    if (waiting.length > 0) timer = setTimeout(run, LATER_MS);
  }

  return {
    add(item, later = false) {
      const { promise, resolve, reject } = Promise.withResolvers<R>();
      waiting.push({ item, later, resolve, reject });
      undecided.add(promise);
      const forget = () => void undecided.delete(promise);
      promise.then(forget, forget);
      if (!running && !later) void run();
      else if (!running) timer ??= setTimeout(run, LATER_MS);
      return promise;
    },
    async drained() {
      if (!running && waiting.length > 0) void run();
      await Promise.allSettled(undecided);
    },
  };
}
