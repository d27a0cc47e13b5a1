import { LRUCache } from 'lru-cache';
import { spaced } from '../../shared/phone-number/normalise-number.ts';
import type { Extensions } from '../accounts/account.ts';
import { answererName, noExtensions, numberCalledText } from '../accounts/extensions.ts';
import type { CallBacksOnScreen, ScreenCall } from '../rules/screen-call.ts';
import { type CallRecord, extraFields, noExtras, progressOf, scalarFields } from './call-record.ts';

/** Open calls on a screen: the newest, since a call whose end was never reported stays open. */
export const MAX_OPEN_CALLS = 500;

/** Calls whose last sent state is remembered. */
const MAX_REMEMBERED = 20_000;

type Screen = { readonly reader: 'user' | 'token'; readonly send: (frame: string) => void };

/** The streams of this process, by account. */
function createStreams() {
  const screens = new Map<number, Set<Screen>>();
  const closers = new Set<{ readonly account: number; readonly end: () => void }>();
  return {
    /** The accounts that have one. */
    accounts: () => screens.keys(),
    of: (account: number): Iterable<Screen> => screens.get(account) ?? [],
    has: (account: number): boolean => screens.has(account),
    count: () => [...screens.values()].reduce((sum, { size }) => sum + size, 0),
    /** Returns a function that removes it. */
    add(account: number, screen: Screen): () => void {
      const ofAccount = screens.get(account) ?? new Set();
      screens.set(account, ofAccount.add(screen));
      return () => {
        ofAccount.delete(screen);
        if (ofAccount.size === 0 && screens.get(account) === ofAccount) screens.delete(account);
      };
    },
    /** Calls `end` when the streams of the account must end. Returns a function that removes it. */
    onClose(account: number, end: () => void): () => void {
      const closer = { account, end };
      closers.add(closer);
      return () => closers.delete(closer);
    },
    /** Ends every stream, or those of an account: the screens reconnect and load the current calls. */
    close(account?: number): void {
      for (const closer of closers) if (account === undefined || closer.account === account) closer.end();
    },
  };
}

/** Sends the changes of calls to the screens that this process serves. `extensions`: those of an account. */
export function createScreens(extensions: (account: number) => Extensions = () => noExtensions) {
  const streams = createStreams();
  const kept = new Set<number>();
  const followers: ((account: number, call: CallRecord) => void)[] = [];
  const lastSent = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  const sendToUsers = (account: number, frame: string) => {
    for (const { reader, send } of streams.of(account)) if (reader === 'user') send(frame);
  };
  const watched = (account: number) => streams.has(account) || kept.has(account);
  return {
    /** Sends a call's new state, unless the screens already have it or a later one. */
    publish(account: number, call: CallRecord): void {
      if (!watched(account)) return;
      const key = `${account} ${call.id}`;
      const progress = progressOf(call);
      if (progress <= (lastSent.get(key) ?? -1)) return;
      lastSent.set(key, progress);
      const frames = { user: '', token: '' };
      for (const { reader, send } of streams.of(account)) {
        frames[reader] ||= eventFrame(
          'call',
          screenCall(call, reader === 'user' ? extensions(account) : null),
        );
        send(frames[reader]);
      }
      for (const follower of followers) follower(account, call);
    },
    /** Calls `follower` with each new state of a call in an account that is watched. */
    onMoved: (follower: (account: number, call: CallRecord) => void): void => void followers.push(follower),
    /** Sends who calls in calls that screens have, after the account's customers have changed. */
    whoCalls(account: number, calls: readonly CallRecord[]): void {
      const who = calls.map(({ id, customer, segment, priority }) => ({ id, customer, segment, priority }));
      sendToUsers(account, eventFrame('customers', { calls: who }));
    },
    /** Sends who spoke last with the callers that ring, by call id. */
    lastWith(account: number, names: ReadonlyMap<string, string>): void {
      const calls = Array.from(names, ([id, last_with]) => ({ id, last_with }));
      if (calls.length > 0) sendToUsers(account, eventFrame('last-with', { calls }));
    },
    /** Sends what has changed in the list of people to call back; `gone`: those who are no longer on screens. */
    callBacks: (account: number, change: CallBacksOnScreen & { readonly gone: readonly string[] }): void =>
      sendToUsers(account, eventFrame('missed', change)),
    /** Watches an account's calls while it has no screen, too. */
    keep: (account: number, keeps: boolean): void => void (keeps ? kept.add(account) : kept.delete(account)),
    /** The accounts whose calls are watched. */
    accounts: () => [...new Set([...streams.accounts(), ...kept])],
    /** How many screens there are. */
    connected: streams.count,
    /** Whether the account has one. */
    hasScreen: streams.has,
    watched,
    /** Calls `send` with frames of an event stream. Returns a function that ends it. */
    subscribe: (
      { account, user }: { readonly account: number; readonly user: unknown },
      send: (frame: string) => void,
    ): (() => void) => streams.add(account, { reader: user === null ? 'token' : 'user', send }),
    onClose: streams.onClose,
    close: streams.close,
    /** Ends the streams of an account that is gone, and forgets its calls. */
    forget(account: number): void {
      streams.close(account);
      kept.delete(account);
      for (const key of lastSent.keys()) if (key.startsWith(`${account} `)) lastSent.delete(key);
    },
  };
}

export type Screens = ReturnType<typeof createScreens>;

/** One event of a text/event-stream (HTML standard, 9.2). JSON text holds no line breaks. */
export function eventFrame(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * A call as it is sent to the screens of users with the names of extensions, and with null to readers with an integration
 * token: a phone system does not need names and customers. Times are Unix milliseconds.
 */
export function screenCall(call: CallRecord, extensions: Extensions | null): ScreenCall {
  return {
    id: call.id,
    status: call.status,
    from: call.from,
    number: call.number,
    number_shown: spaced(call.number),
    customer: extensions && call.customer,
    segment: call.segment,
    priority: call.priority,
    ...scalarFields(call),
    ...(call.extras !== noExtras && extraFields(call.extras)),
    ...(extensions && {
      integration: call.integration,
      answered_by: call.callerId && answererName(extensions, call.callerId),
      ...(call.extras.numberCalled !== null && {
        called: numberCalledText(extensions, call.extras.numberCalled),
      }),
    }),
  };
}
