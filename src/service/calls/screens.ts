import { LRUCache } from 'lru-cache';
import { type CallStatus, isForward } from '../../api/contract/call-event.ts';
import { spaced } from '../../phone-number/normalise-number.ts';
import { type CallRecord, plainFields } from './call-record.ts';

/** The calls of an account as they move, to the screens that this process serves. */
export type Screens = {
  /** News of a call, perhaps late or again: screens only ever see it move forward. */
  publish(account: number, call: CallRecord): void;
  /** What a user takes off one screen leaves the others. */
  dismissed(account: number, user: number, calls: readonly string[]): void;
  /** True if a screen shows the account's calls. */
  watched(account: number): boolean;
  /** Those accounts that a screen shows the calls of. */
  accounts(): number[];
  /** `listener` gets frames of an event stream. Gives the way to stop listening. */
  subscribe(
    watcher: { readonly account: number; readonly user: { readonly id: number } | null },
    listener: (frame: string) => void,
  ): () => void;
  /** `listener` is told when every stream is to end: the service stops. Gives the way to forget it. */
  onClose(listener: () => void): () => void;
  /** Ends every stream: the screens connect again, and begin with the calls as they are. */
  restart(): void;
  close(): void;
};

/** Calls whose latest state on the screens is remembered. */
const REMEMBERED = 20_000;

export function makeScreens(): Screens {
  type Screen = { readonly user: number | null; readonly tell: (frame: string) => void };
  const listeners = new Map<number, Set<Screen>>();
  const closers = new Set<() => void>();
  const shown = new LRUCache<string, CallStatus>({ max: REMEMBERED });
  const close = () => {
    for (const closer of closers) closer();
  };
  return {
    publish(account, call) {
      const ofAccount = listeners.get(account);
      if (ofAccount === undefined) return;
      const key = `${account} ${call.id}`;
      if (!isForward(shown.get(key), call.status)) return;
      shown.set(key, call.status);
      const frame = eventFrame('call', screenCall(call));
      for (const { tell } of ofAccount) tell(frame);
    },
    dismissed(account, user, calls) {
      const frame = eventFrame('dismissed', { calls });
      for (const screen of listeners.get(account) ?? []) if (screen.user === user) screen.tell(frame);
    },
    watched: (account) => listeners.has(account),
    accounts: () => [...listeners.keys()],
    subscribe({ account, user }, tell) {
      const ofAccount = listeners.get(account) ?? new Set();
      const screen = { user: user?.id ?? null, tell };
      listeners.set(account, ofAccount.add(screen));
      return () => {
        ofAccount.delete(screen);
        if (ofAccount.size === 0 && listeners.get(account) === ofAccount) listeners.delete(account);
      };
    },
    onClose(listener) {
      closers.add(listener);
      return () => closers.delete(listener);
    },
    restart: close,
    close,
  };
}

/** One event of a text/event-stream (HTML standard, 9.2). JSON text holds no line breaks. */
export function eventFrame(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A call as screens get it. Times are Unix milliseconds. */
export function screenCall(call: CallRecord) {
  return {
    id: call.id,
    status: call.status,
    from: call.from,
    number: call.number,
    number_shown: spaced(call.number),
    customer: call.customer,
    ...plainFields(call),
  };
}
