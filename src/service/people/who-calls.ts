import type { Extensions } from '../accounts/account.ts';
import { answererName } from '../accounts/extensions.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { type CallStore, newestCalls } from '../calls/call-store.ts';
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
    if (screens.hasScreen(account)) screens.whoCalls(account, await openCalls(account, MAX_OPEN_CALLS));
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

/** Calls whose last colleague is looked up when a screen starts; more do not ring at once where people read. */
const MAX_RINGING = 20;

/** By call id: who spoke with the caller last, in the calls that ring. Strangers and customers alike. */
export async function lastWith(
  calls: CallStore,
  account: number,
  open: readonly CallRecord[],
  extensions: Extensions,
): Promise<ReadonlyMap<string, string>> {
  const ringing = open.filter(({ status }) => status === 'ringing').slice(0, MAX_RINGING);
  const found = await Promise.all(
    ringing.map(async ({ id, customer, number }) => {
      const ofCaller = customer ? { customer: { is: customer.reference } } : { number: { is: number } };
      const [last] = await newestCalls(calls, account, { ...ofCaller, outcome: 'answered' }, 1);
      return [id, last?.callerId ? answererName(extensions, last.callerId) : null] as const;
    }),
  );
  return new Map(found.flatMap(([id, name]) => (name === null ? [] : [[id, name] as const])));
}

/** Sends an account's screens who spoke last with each caller that rings. */
export function sendLastWith(
  calls: CallStore,
  screens: Screens,
  extensions: (account: number) => Extensions,
): void {
  screens.onMoved((account, call) => {
    if (call.status !== 'ringing' || !screens.hasScreen(account)) return;
    void lastWith(calls, account, [call], extensions(account))
      .then((names) => screens.lastWith(account, names))
      .catch(() => {});
  });
}
