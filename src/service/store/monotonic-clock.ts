/**
 * Milliseconds of a monotonic clock that all threads of the process share, for durations. Date.now() is the time of day,
 * which people and NTP may set.
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
