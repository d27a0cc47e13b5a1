import { MAX_OPEN_CALLS, type Screens } from '../calls/screens.ts';
import type { Store } from '../store/store.ts';
import type { CallBackList } from './call-back-list.ts';

/** An import changes customers many times a second: the screens get the last state of this time. */
const TOGETHER_MS = 50;

/**
 * Returns what is called with an account when its customers have changed: sends its screens who calls now, in open calls
 * and in those to be called back.
 */
export function sendWhoCalls(
  { openCalls }: Pick<Store, 'openCalls'>,
  screens: Screens,
  callBackList: CallBackList,
): (account: number) => void {
  const waiting = new Set<number>();
  async function send(account: number): Promise<void> {
    waiting.delete(account);
    screens.whoCalls(account, await openCalls(account, MAX_OPEN_CALLS));
    await callBackList.publish(account);
  }
  return (account) => {
    if (!screens.watched(account) || waiting.has(account)) return;
    waiting.add(account);
    setTimeout(() => void send(account).catch(() => {}), TOGETHER_MS);
  };
}
