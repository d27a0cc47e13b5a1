/**
 * Finds out that the manager user lacks read class `call`. Asterisk says so nowhere: the login and the Events
 * action are answered the same, and no action of class `reporting` makes a call event. What gives it away is
 * that channels come and go while no event ever tells of one. Sound, if late: on a quiet PBX nothing is
 * missed meanwhile, and a snapshot of every try brings the calls in progress all the same.
 */
export type CallClassWatch = {
  /** What the channels are now (by Uniqueid), and how many call events there were. True once the class is missing. */
  lacksCallClass(channels: readonly string[], callEvents: number): boolean;
};

export function watchCallClass(atFirst: readonly string[]): CallClassWatch {
  const before = new Set(atFirst);
  let suspected = false;

  function lacksCallClass(channels: readonly string[], callEvents: number): boolean {
    if (callEvents > 0) return false;
    // An event may still be on its way: only another look decides.
    if (suspected) return true;
    suspected = channels.length !== before.size || channels.some((uniqueid) => !before.has(uniqueid));
    return false;
  }

  return { lacksCallClass };
}
