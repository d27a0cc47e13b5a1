/**
 * Milliseconds of a clock that only goes forward, the same in all threads of the process: for durations. (Time of day
 * is Date.now(), which people and NTP may set.)
 */
export function steadyMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
