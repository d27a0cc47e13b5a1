/** Both clocks: the monotonic one may stop while the PC sleeps, the other one can be set. */
export const moment = () => ({ wall: Date.now(), monotonic: performance.now() });

/** The server's time, from what it said last: an office PC's clock may be minutes off. */
export function createServerClock() {
  let base = { server: Date.now(), monotonic: performance.now() };
  return {
    /** Unix ms. */
    now: (): number => base.server + performance.now() - base.monotonic,
    set(server: number): void {
      base = { server, monotonic: performance.now() };
    },
  };
}

/** A difference between the two clocks that a busy machine does not make. */
const JUMP_MS = 5000;

/** A function that is true if the PC has slept or its clock was set since it was called last. */
export function createJumpWatch(): () => boolean {
  let before = moment();
  return () => {
    const now = moment();
    const jump = now.wall - before.wall - (now.monotonic - before.monotonic);
    before = now;
    return Math.abs(jump) > JUMP_MS;
  };
}
