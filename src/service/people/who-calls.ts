import type { CallRecord } from '../calls/call-record.ts';
import { MAX_OPEN_CALLS, type Screens } from '../calls/screens.ts';
import type { CallBackList } from './call-back-list.ts';

/** An import changes customers many times a second: the screens get the last state of this time. */
const TOGETHER_MS = 50;

/**
 * Returns what is called with an account when its customers have changed: sends its screens who calls now, in open calls
 * and in those to be called back.
 */
export function sendWhoCalls(
  { openCalls }: { openCalls(account: number, max: number): Promise<CallRecord[]> },
  screens: Screens,
  callBackList: CallBackList,
): (account: number) => void {
  /** One at a time for each account: what changes while one is read is sent by the next. */
  const states = new Map<number, 'waiting' | 'reading' | 'changed'>();
  async function read(account: number): Promise<void> {
    states.set(account, 'reading');
    screens.whoCalls(account, await openCalls(account, MAX_OPEN_CALLS));
    await callBackList.publish(account);
  }
  function start(account: number): void {
    states.set(account, 'waiting');
    setTimeout(async () => {
      await read(account).catch(() => {});
      if (states.get(account) === 'changed') start(account);
      else states.delete(account);
    }, TOGETHER_MS);
  }
  return (account) => {
    if (!screens.watched(account)) return;
    const state = states.get(account);
    if (state === undefined) start(account);
    else if (state === 'reading') states.set(account, 'changed');
  };
}
