/** Waits for `work`, for at most `ms`. Resolves with undefined if it has not ended by then; rejects if it rejects in time. */
export async function valueWithin<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** The same for work without a value: whether it has ended in time. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  return (
    (await valueWithin(
      ms,
      work.then(() => true),
    )) === true
  );
}
