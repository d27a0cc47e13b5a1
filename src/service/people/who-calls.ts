import { LRUCache } from 'lru-cache';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { answererName } from '../accounts/extensions.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { MAX_OPEN_CALLS, type Screens } from '../calls/screens.ts';
import { formatsFor } from '../kit/formats.ts';
import { plainText } from '../rules/plain-text.ts';
import type { About } from '../rules/screen-call.ts';
import type { CallBackList } from './call-back-list.ts';
import { personOf } from './call-backs.ts';
import type { CustomerStore } from './customer-store.ts';

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

/** Calls of whose callers more is read when a screen starts; more do not ring at once where people read. */
const MAX_RINGING = 20;

/** Characters of a note on a card; the person's page has all of it. */
const MAX_NOTE_ON_CARD = 240;

type FactsParts = {
  readonly store: { readonly customers: Pick<CustomerStore, 'callerFacts'> };
  readonly directory: Pick<ServiceDirectory, 'accounts' | 'extensions'>;
  /** Unix ms. */
  readonly clock: () => number;
};

/** By call id: what screens say of the callers in the calls that ring, strangers and customers alike. */
export async function aboutCallers(
  { store, directory, clock }: FactsParts,
  account: number,
  open: readonly CallRecord[],
): Promise<ReadonlyMap<string, About>> {
  const ringing = open.filter(({ status }) => status === 'ringing').slice(0, MAX_RINGING);
  if (ringing.length === 0) return new Map();
  const extensions = directory.extensions(account);
  const { timeZone = null } = directory.accounts().find(({ id }) => id === account) ?? {};
  const today = formatsFor(timeZone).startOfDay(clock());
  const found = await Promise.all(
    ringing.map(async ({ id, number }) => {
      const { last, note, missed } = await store.customers.callerFacts(account, number, today);
      const about: About = {
        ...(last && { last: { ...last, name: answererName(extensions, last.by) } }),
        ...(note && { note: { ...note, text: oneLine(note.text) } }),
        ...(missed > 0 && { missed_today: missed }),
      };
      return [id, about] as const;
    }),
  );
  return new Map(found.filter(([, about]) => Object.keys(about).length > 0));
}

const oneLine = (text: string) => plainText(text.trim().replace(/\s+/g, ' '), MAX_NOTE_ON_CARD);

/**
 * Sends an account's screens what they say of each caller that rings, and again when another call of the caller ends. Returns what
 * is called with an account in which notes may have changed.
 */
export function sendAboutCallers(screens: Screens, parts: FactsParts): (account: number) => void {
  /** The newest calls that ring, by account and id. */
  const ringing = new Map<number, LRUCache<string, CallRecord>>();
  async function send(account: number, calls: readonly CallRecord[], again: boolean): Promise<void> {
    if (calls.length === 0 || !screens.hasScreen(account)) return;
    const about = await aboutCallers(parts, account, calls);
    // Who knew something may have to forget it.
    screens.about(account, again ? new Map(calls.map(({ id }) => [id, about.get(id) ?? {}])) : about);
  }
  screens.onMoved((account, call) => {
    const calls = ringing.get(account) ?? new LRUCache({ max: MAX_RINGING });
    ringing.set(account, calls);
    if (call.status === 'ringing') calls.set(call.id, call);
    else calls.delete(call.id);
    const isSame = (one: CallRecord) => call.status === 'completed' && personOf(one) === personOf(call);
    const told = call.status === 'ringing' ? [call] : [...calls.values()].filter(isSame);
    void send(account, told, call.status !== 'ringing').catch(() => {});
  });
  return (account) => void send(account, [...(ringing.get(account)?.values() ?? [])], true).catch(() => {});
}
