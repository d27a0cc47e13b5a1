import { LRUCache } from 'lru-cache';
import type { CallNow } from '../../shared/api/contract/bridge-calls.ts';
import { spaced } from '../../shared/phone-number/normalise-number.ts';
import type { Extensions } from '../accounts/account.ts';
import { answererName, noExtensions, numberCalledText } from '../accounts/extensions.ts';
import type { About, CallBacksOnScreen, ScreenCall } from '../rules/screen-call.ts';
import { type CallRecord, extraFields, noExtras, progressOf, scalarFields } from './call-record.ts';

/** Open calls on a screen: the newest, since a call whose end was never reported stays open. */
export const MAX_OPEN_CALLS = 500;

/** Calls of an account whose last sent state is remembered. */
const MAX_REMEMBERED = 20_000;

/** Calls of an account of which it is remembered who rings and talks: nobody has checked that there are such calls. */
const MAX_TOLD = 2 * MAX_OPEN_CALLS;

/** People of a call who are sent with a name: more do not fit on a card. */
const MAX_NAMED = 4;

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

/**
 * Sends the changes of calls to the screens that this process serves. `extensions`: those of an account; `since`: when this
 * process began, Unix ms.
 */
export function createScreens(
  extensions: (account: number) => Extensions = () => noExtensions,
  since = Number.NEGATIVE_INFINITY,
) {
  const streams = createStreams();
  const kept = new Set<number>();
  const followers: ((account: number, call: CallRecord) => void)[] = [];
  const known = new Map<number, ReturnType<typeof createKnown>>();
  const knownOf = (account: number) => {
    const ofAccount = known.get(account) ?? createKnown();
    known.set(account, ofAccount);
    return ofAccount;
  };
  const sendToUsers = (account: number, frame: string) => {
    for (const { reader, send } of streams.of(account)) if (reader === 'user') send(frame);
  };
  /**
   * Who rings and talks now, as people call them: as was told since the call's last event, else as that says, unless this
   * process may have missed what was told.
   */
  function nowOf(account: number, call: CallRecord): Pick<ScreenCall, 'rings' | 'talks'> {
    const told = known.get(account)?.told.get(call.id);
    const isNewer = told !== undefined && told.at >= (call.answeredAt ?? Number.NEGATIVE_INFINITY);
    if (call.status === 'completed' || (call.rang === null && !isNewer)) return {};
    if (isNewer) return namedNow(extensions(account), told);
    if ((call.answeredAt ?? call.startedAt) < since) return {};
    const talks = call.status === 'answered' && call.callerId !== null ? [call.callerId] : [];
    return namedNow(extensions(account), { rings: [], talks });
  }
  const watched = (account: number) => streams.has(account) || kept.has(account);
  return {
    /** Sends a call's new state, unless the screens already have it or a later one, or it is of the past. */
    publish(account: number, call: CallRecord): void {
      if (call.past || !watched(account)) return;
      const { lastSent } = knownOf(account);
      const progress = progressOf(call);
      if (progress <= (lastSent.get(call.id) ?? -1)) return;
      lastSent.set(call.id, progress);
      const frames = { user: '', token: '' };
      for (const { reader, send } of streams.of(account)) {
        frames[reader] ||= eventFrame('call', {
          ...screenCall(call, reader === 'user' ? extensions(account) : null),
          ...(reader === 'user' && nowOf(account, call)),
        });
        send(frames[reader]);
      }
      for (const follower of followers) follower(account, call);
    },
    /** What screens show of who rings and talks now in a call: nothing if its bridge does not say it. */
    nowOf,
    /** Sends who rings and talks now in open calls, and remembers it; `at`: Unix ms. */
    who(account: number, calls: readonly CallNow[], at: number): void {
      const { told } = knownOf(account);
      for (const { id, rings, talks } of calls) told.set(id, { rings, talks, at });
      if (!streams.has(account)) return;
      const names = extensions(account);
      sendToUsers(
        account,
        eventFrame('who', { calls: calls.map((call) => ({ id: call.id, ...namedNow(names, call) })) }),
      );
    },
    /** Calls `follower` with each new state of a call in an account that is watched. */
    onMoved: (follower: (account: number, call: CallRecord) => void): void => void followers.push(follower),
    /** Sends who calls in calls that screens have, after the account's customers have changed. */
    whoCalls(account: number, calls: readonly CallRecord[]): void {
      const who = calls.map(({ id, customer, segment, priority }) => ({ id, customer, segment, priority }));
      sendToUsers(account, eventFrame('customers', { calls: who }));
    },
    /** Sends what screens say of the callers that ring, by call id. */
    about(account: number, callers: ReadonlyMap<string, About>): void {
      const calls = Array.from(callers, ([id, about]) => ({ id, about }));
      if (calls.length > 0) sendToUsers(account, eventFrame('about', { calls }));
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
      known.delete(account);
    },
  };
}

export type Screens = ReturnType<typeof createScreens>;

/** What is known of an account's calls, by id, beside the database: lost with the process. */
const createKnown = () => ({
  /** The progress that screens have. */
  lastSent: cacheOf<number>(MAX_REMEMBERED),
  /** Who rings and talks since `at`, Unix ms. */
  told: cacheOf<Pick<CallNow, 'rings' | 'talks'> & { readonly at: number }>(MAX_TOLD),
});

/** With `max`, it would have memory for all of them from the beginning, in each account. */
const cacheOf = <Value extends {}>(most: number) =>
  new LRUCache<string, Value>({ maxSize: most, sizeCalculation: () => 1 });

const namedNow = (
  extensions: Extensions,
  { rings, talks }: Pick<CallNow, 'rings' | 'talks'>,
): Required<Pick<ScreenCall, 'rings' | 'talks'>> => ({
  rings: named(extensions, rings),
  talks: named(extensions, talks),
});
const named = (extensions: Extensions, people: readonly string[]) =>
  people.map((by, nth) => (nth < MAX_NAMED ? { by, name: answererName(extensions, by) } : { by }));

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
    ...(call.status === 'completed' && whoWas(call)),
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

/** Who rang and who talked, with their names if there are `extensions`. */
export const whoWas = (
  { rang, talked }: Pick<CallRecord, 'rang' | 'talked'>,
  extensions: Extensions | null = null,
): Pick<ScreenCall, 'rang' | 'talked'> => ({
  ...(rang && { rang: rang.map((one) => withName(extensions, one)) }),
  ...(talked && { talked: talked.map((one) => withName(extensions, one)) }),
});

const withName = <Person extends { readonly by: string }>(extensions: Extensions | null, person: Person) =>
  extensions ? { ...person, name: answererName(extensions, person.by) } : person;
