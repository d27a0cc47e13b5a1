/** Does some work every `everyMs`, never twice at once; `failed` hears what it threw. Gives the way to stop. */
export function again(
  everyMs: number,
  work: () => Promise<unknown>,
  failed: (error: unknown) => void,
): () => void {
  let running = false;
  let stopped = false;
  const timer = setInterval(async () => {
    if (running) return;
    running = true;
    try {
      await work();
    } catch (error) {
      if (!stopped) failed(error);
    }
    running = false;
  }, everyMs);
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}
