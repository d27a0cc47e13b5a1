/** Waits for `work`, for at most `ms`. Resolves with false if it has not ended by then; rejects if it rejects in time. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), over]);
  } finally {
    clearTimeout(timer);
  }
}
