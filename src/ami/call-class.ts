/**
 * Detects that the manager user lacks read class `call`. Asterisk never says so: the login and the Events action are
 * answered the same, and no action of class `reporting` makes a call event. The sign is that channels come and go
 * without any event. It may come late, but then the PBX was quiet and nothing was missed; and the snapshot of every
 * attempt has the calls in progress.
 */
type CallClassWatch = {
  /**
   * Called every few seconds. True once the class is known to be missing.
   * @param channels the Uniqueids of the channels now.
   * @param callEvents how many came since the connection began.
   */
  lacksCallClass(channels: readonly string[], callEvents: number): boolean;
};

export function watchCallClass(atFirst: readonly string[]): CallClassWatch {
  const before = new Set(atFirst);
  let suspected = false;

  function lacksCallClass(channels: readonly string[], callEvents: number): boolean {
    if (callEvents > 0) return false;
    // An event may still be on its way: the next call decides.
    if (suspected) return true;
    suspected = channels.length !== before.size || channels.some((uniqueid) => !before.has(uniqueid));
    return false;
  }

  return { lacksCallClass };
}
