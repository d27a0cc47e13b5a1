import { type Extensions, noExtensions } from '../accounts/extensions.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { type CallBacksOnScreen, MAX_OPEN_CALLS, type Screens, screenCall } from '../calls/screens.ts';
import { actionsSince, type CallBack, callBacks } from './call-backs.ts';
import type { CallerAction, CallerStore } from './caller-store.ts';

/** How long a missed caller is listed: a week, so that nobody is forgotten over a weekend. */
const LISTED_MS = 7 * 24 * 3_600_000;
/** So often a list is read that calls overtake: busy accounts get the last one. */
const MAX_TRIES = 3;
/** Callers on a screen. */
const MAX_ON_SCREEN = 50;

/** An account's missed callers, shared by all its users. */
export type CallBackList = {
  /** All of them, newest first, or the one with this number. */
  read(account: number, number?: string): Promise<CallBack[]>;
  /** Those who are to be called back, as screens get them. */
  onScreen(account: number): Promise<CallBacksOnScreen>;
  /** Stores what a user did and sends the new list to the account's screens. */
  act(account: number, action: CallerAction): Promise<void>;
  /** Sends the list to the account's screens at this process. */
  publish(account: number): Promise<void>;
};

/** `extensions`: those of an account. */
export function makeCallBackList(
  callers: CallerStore,
  screens: Screens,
  clock: () => number,
  extensions: (account: number) => Extensions = () => noExtensions,
): CallBackList {
  async function read(account: number, number?: string): Promise<CallBack[]> {
    const since = clock() - LISTED_MS;
    return callBacks(
      ...(await Promise.all([
        callers.missedCallers(account, since, number),
        actionsSince(callers, account, since),
      ])),
    );
  }
  async function onScreen(account: number): Promise<CallBacksOnScreen> {
    const open = (await read(account)).filter(({ closed }) => closed === null);
    const shown = ({ times, taken }: CallBack) => ({ times, taken_by: taken?.user ?? null });
    return {
      missed: open
        .slice(0, MAX_ON_SCREEN)
        .map((one) => ({ ...screenCall(one.call, extensions(account)), ...shown(one) })),
      others: open
        .slice(MAX_ON_SCREEN)
        .map((one) => ({ id: one.call.id, number: one.number, ...shown(one) })),
    };
  }
  async function publish(account: number): Promise<void> {
    // The list replaces what screens show of missed calls: it is read again if a call has moved meanwhile.
    for (let tries = 1; ; tries++) {
      const moves = screens.moves(account);
      const list = await onScreen(account);
      if (moves !== screens.moves(account) && tries < MAX_TRIES) continue;
      return screens.callBacks(account, list);
    }
  }
  return {
    read,
    onScreen,
    publish,
    async act(account, action) {
      await callers.act(account, action);
      await publish(account);
    },
  };
}

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
