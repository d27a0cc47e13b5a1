export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs one work at a time: however many read the history, one of their calls at most stands before a lookup. */
export function oneByOne(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}
