import { LRUCache } from 'lru-cache';
import { type CallStatus, isForward } from '../../shared/api/contract/call-status.ts';
import { spaced } from '../../shared/phone-number/normalise-number.ts';
import { type Extensions, extensionText, noExtensions, numberCalledText } from '../accounts/extensions.ts';
import { type CallRecord, extraFields, noExtras, scalarFields } from './call-record.ts';

/** `times`: how many missed calls the caller has; `taken_by`: the user who calls back. */
type ToCallBack = { readonly times: number; readonly taken_by: string | null };
/** Callers who are to be called back, newest first: the newest missed call of each. */
export type CallBacksOnScreen = {
  readonly missed: readonly (ReturnType<typeof screenCall> & ToCallBack)[];
  /** Those beyond what a screen shows, which count. */
  readonly others: readonly ({ readonly id: string; readonly number: string } & ToCallBack)[];
};

/** Open calls on a screen: the newest, since a call whose end was never reported stays open. */
export const MAX_OPEN_CALLS = 500;

/** Calls whose last sent state is remembered. */
const MAX_REMEMBERED = 20_000;

/** Sends the changes of calls to the screens that this process serves. `extensions`: those of an account. */
export function makeScreens(extensions: (account: number) => Extensions = () => noExtensions) {
  type Screen = { readonly reader: 'user' | 'token'; readonly send: (frame: string) => void };
  const listeners = new Map<number, Set<Screen>>();
  const closers = new Set<() => void>();
  const moves = new Map<number, number>();
  const lastSent = new LRUCache<string, CallStatus>({ max: MAX_REMEMBERED });
  const close = () => {
    for (const closer of closers) closer();
  };
  const sendToUsers = (account: number, frame: string) => {
    for (const { reader, send } of listeners.get(account) ?? []) if (reader === 'user') send(frame);
  };
  return {
    /** Sends a call's new state, unless the screens already have it or a later one. */
    publish(account: number, call: CallRecord): void {
      const ofAccount = listeners.get(account);
      if (ofAccount === undefined) return;
      const key = `${account} ${call.id}`;
      if (!isForward(lastSent.get(key), call.status)) return;
      lastSent.set(key, call.status);
      if (call.status !== 'ringing') moves.set(account, (moves.get(account) ?? 0) + 1);
      const frames = { user: '', token: '' };
      for (const { reader, send } of ofAccount) {
        frames[reader] ||= eventFrame(
          'call',
          screenCall(call, reader === 'user' ? extensions(account) : null),
        );
        send(frames[reader]);
      }
    },
    /** Sends who calls in calls that screens have, after the account's customers have changed. */
    whoCalls(account: number, calls: readonly CallRecord[]): void {
      const who = calls.map(({ id, customer, segment, priority }) => ({ id, customer, segment, priority }));
      sendToUsers(account, eventFrame('customers', { calls: who }));
    },
    /** Sends an account's callers who are to be called back; they replace those that screens show. */
    callBacks: (account: number, callers: CallBacksOnScreen): void =>
      sendToUsers(account, eventFrame('missed', callers)),
    /** How many calls of an account were answered or have ended on its screens: a list read meanwhile lacks them. */
    moves: (account: number): number => moves.get(account) ?? 0,
    /** The accounts with at least one screen. */
    accounts: () => [...listeners.keys()],
    /** How many screens there are. */
    connected: () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0),
    /** Whether the account has one. */
    watched: (account: number) => listeners.has(account),
    /** Calls `send` with frames of an event stream. Returns a function that ends it. */
    subscribe(
      { account, user }: { readonly account: number; readonly user: unknown },
      send: (frame: string) => void,
    ): () => void {
      const ofAccount = listeners.get(account) ?? new Set();
      const screen = { reader: user === null ? 'token' : 'user', send } as const;
      listeners.set(account, ofAccount.add(screen));
      return () => {
        ofAccount.delete(screen);
        if (ofAccount.size === 0 && listeners.get(account) === ofAccount) listeners.delete(account);
      };
    },
    /** Calls `listener` when every stream must end. Returns a function that removes it. */
    onClose(listener: () => void): () => void {
      closers.add(listener);
      return () => closers.delete(listener);
    },
    /** Ends every stream: the screens reconnect and load the current calls. */
    close,
  };
}

export type Screens = ReturnType<typeof makeScreens>;

/** One event of a text/event-stream (HTML standard, 9.2). JSON text holds no line breaks. */
export function eventFrame(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * A call as it is sent to the screens of users with the names of extensions, and with null to readers with an integration
 * token: a phone system does not need names and customers. Times are Unix milliseconds.
 */
export function screenCall(call: CallRecord, extensions: Extensions | null) {
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
      answered_by: call.callerId && extensionText(extensions, call.callerId),
      ...(call.extras.numberCalled !== null && {
        called: numberCalledText(extensions, call.extras.numberCalled),
      }),
    }),
  };
}
