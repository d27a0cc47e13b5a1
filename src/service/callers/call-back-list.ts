import { type Extensions, noExtensions } from '../accounts/extensions.ts';
import { type MissedOnScreen, type Screens, screenCall } from '../calls/screens.ts';
import type { CallerAction, CallerStore } from '../store/caller-store.ts';
import { type CallBack, callBacks } from './call-backs.ts';

/** How long a missed caller is listed: a week, so that nobody is forgotten over a weekend. */
const LISTED_MS = 7 * 24 * 3_600_000;
const MAX_CALLS = 500;
const MAX_ACTIONS = 5_000;
/** Missed calls on a screen. */
const MAX_ON_SCREEN = 50;

/** An account's missed callers, shared by all its users. */
export type CallBackList = {
  read(account: number): Promise<CallBack[]>;
  /** The missed calls of callers who are to be called back, as screens get them: oldest first. */
  onScreen(account: number): Promise<MissedOnScreen[]>;
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
  async function read(account: number): Promise<CallBack[]> {
    const since = clock() - LISTED_MS;
    return callBacks(
      ...(await Promise.all([
        callers.missed(account, { since, until: Number.MAX_SAFE_INTEGER }, MAX_CALLS),
        callers.actions(account, { since }, MAX_ACTIONS),
      ])),
    );
  }
  const onScreen = async (account: number) =>
    (await read(account))
      .filter(({ closed }) => closed === null)
      .flatMap(({ calls, taken }) =>
        calls.map((call) => ({ ...screenCall(call, extensions(account)), taken_by: taken?.user ?? null })),
      )
      .sort((a, b) => (a.completed_at ?? 0) - (b.completed_at ?? 0))
      .slice(-MAX_ON_SCREEN);
  const publish = async (account: number) => screens.callBacks(account, await onScreen(account));
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
