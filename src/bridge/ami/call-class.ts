/**
 * Detects that the manager user lacks read class `call`. Asterisk does not report it: the login and the Events action
 * succeed without it, and no action of class `reporting` causes a call event. So the class is taken as missing when
 * channels appear or disappear without any event. A quiet PBX delays the detection, but then no call was missed.
 */
export function watchCallClass(atFirst: readonly string[]) {
  const first = new Set(atFirst);
  let suspected = false;

  /**
   * Called every few seconds. True once the class is known to be missing.
   * @param channels the Uniqueids of the channels now.
   * @param callEvents how many came since the connection began.
   */
  function lacksCallClass(channels: readonly string[], callEvents: number): boolean {
    if (callEvents > 0) return false;
    // An event may still be on its way: the next call decides.
    if (suspected) return true;
    suspected = channels.length !== first.size || channels.some((uniqueid) => !first.has(uniqueid));
    return false;
  }

  return { lacksCallClass };
}
