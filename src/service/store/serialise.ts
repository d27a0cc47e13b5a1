export type Serialise = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs one job at a time: even with many readers of the history, a lookup waits for one of their reads at most. */
export function makeSerialise(): Serialise {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}
