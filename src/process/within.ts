/** Whether `work` ends within so many ms. Rejects as it does, if it does in time. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), over]);
  } finally {
    clearTimeout(timer);
  }
}
