/** Requests per minute and integration (decision `rate-limit`). */
export type RateLimit = {
  /** Counts one request at `now` (Unix ms). */
  take(integration: number, now: number): { allowed: boolean; remaining: number; resetAt: number };
};

const WINDOW_MS = 60_000;

/** A fixed window that begins with an integration's first request, as Laravel's `throttle` counts. */
export function makeRateLimit(perMinute: number): RateLimit {
  const windows = new Map<number, { count: number; resetAt: number }>();
  return {
    take(integration, now) {
      let window = windows.get(integration);
      if (window === undefined || now >= window.resetAt) {
        window = { count: 0, resetAt: now + WINDOW_MS };
        windows.set(integration, window);
      }
      window.count += 1;
      return {
        allowed: window.count <= perMinute,
        remaining: Math.max(0, perMinute - window.count),
        resetAt: window.resetAt,
      };
    },
  };
}
