/** Runs `work` every `periodMs`, never twice at once; calls `failed` with its errors. Returns a function that stops it. */
export function every(
  periodMs: number,
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
  }, periodMs);
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}
