import type { Extensions } from '../accounts/account.ts';
import { noExtensions } from '../accounts/extensions.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { type Screens, screenCall } from '../calls/screens.ts';
import type { CallBacksOnScreen } from '../rules/screen-call.ts';
import { createSerialise } from '../store/statements.ts';
import { type CallBack, inOrder, isHolding, personOf } from './call-backs.ts';
import type { CallerAction } from './caller-action-store.ts';
import type { CallerStore } from './caller-store.ts';
import { createMissedPeopleReader, type MissedPeopleReader } from './missed-people.ts';

/** People on a screen; it says how many there are. */
const MAX_ON_SCREEN = 50;
/** Delay before the list is read after a call, and the minimum interval between reads. */
const [SOON_MS, PAUSE_MS] = [50, 1_000];
/** Interval between reads of an account's whole list: calls become too old for it. Without screens it is dropped then. */
const KEPT_MS = 10 * 60_000;
/** With more calls to look up, the whole list is read. */
const MAX_MOVED = 100;

/** What is known of an account that has screens or a bridge that asks, or had one a while ago: a new one then begins with it. */
type Known = {
  /** By `person`; closed ones too. */
  people: Map<string, CallBack>;
  /** Whether there may be others, that were missed before these. */
  more: boolean;
  /** Numbers whose calls or actions have changed since then, and whom their calls are from; `all`: anything may have. */
  changed: Map<string, string | null> | 'all';
  /** What the screens have: a person's row as it was sent, and how many there are. Null: nothing yet. */
  sent: { readonly rows: ReadonlyMap<string, string>; readonly count: number; readonly more: boolean } | null;
  /** One reading at a time: the next one sees what has changed meanwhile. */
  readonly inTurn: ReturnType<typeof createSerialise>;
  readAt: number;
};

/** What an account's list works with. */
type Work = {
  readonly callers: CallerStore;
  readonly screens: Screens;
  readonly clock: () => number;
  readonly extensions: (account: number) => Extensions;
  readonly missed: MissedPeopleReader;
  /** By account. */
  readonly known: Map<number, Known>;
  /** Accounts whose change is sent soon. */
  readonly sending: Set<number>;
  readonly noteFollowers: ((account: number) => void)[];
};

/**
 * An account's missed people, shared by all its users. `extensions`: those of an account; `userNames`: of its users, all
 * when absent. What screens get is the start
 * of the list, and then what has changed in it; a call that moves costs the reading of its person.
 */
export function createCallBackList(
  callers: CallerStore,
  screens: Screens,
  clock: () => number,
  extensions: (account: number) => Extensions = () => noExtensions,
  userNames?: (account: number) => Promise<readonly string[]>,
) {
  const missed = createMissedPeopleReader(callers, clock, userNames);
  const known = new Map<number, Known>();
  const work: Work = {
    callers,
    screens,
    clock,
    extensions,
    missed,
    known,
    sending: new Set(),
    noteFollowers: [],
  };
  screens.onMoved((account, call) => readSoon(account, call, work));
  return {
    ...missed,
    /** Everybody who waits to be called back, unordered: costs the reading of those who have changed since the last time. */
    waiting: (account: number) => waiting(account, work),
    /** What a new screen starts with. */
    onScreen: (account: number) => onScreen(account, work),
    /**
     * Stores what a user did and sends what it changes to the account's screens. A user cannot take or release a person whom a
     * colleague has taken in the meantime: returns the person then. `taker`: who had taken the person on the page of the
     * user, '' for no one.
     */
    act: (account: number, action: CallerAction, taker = '') => act(account, action, taker, work),
    /** Calls `follower` after each new note. */
    onNote: (follower: (account: number) => void): void => void work.noteFollowers.push(follower),
    /** After anything may have changed in the account: sends what has to its screens at this process. */
    publish: (account: number) => publish(account, work),
    /** Of an account that is gone. */
    forget: (account: number): void => void known.delete(account),
    /** Calls may have moved unseen. */
    readAgain(): void {
      for (const one of known.values()) one.changed = 'all';
    },
  };
}

export type CallBackList = ReturnType<typeof createCallBackList>;

/** Reads all again, or who is concerned by what has changed. */
async function bringUpToDate(account: number, one: Known, { missed, clock }: Work): Promise<void> {
  const { changed } = one;
  one.changed = new Map();
  one.readAt = clock();
  try {
    if (changed === 'all') {
      const { people, more } = await missed.readAll(account);
      one.people = new Map(people.map((each) => [each.person, each]));
      one.more = more;
    } else if (changed.size > 0) {
      const persons = new Set(changed.values());
      const before = [...one.people.values()].filter(
        ({ person, numbers }) => persons.has(person) || numbers.some((number) => changed.has(number)),
      );
      const numbers = new Set([...changed.keys(), ...before.flatMap((each) => each.numbers)]);
      const { people: now } = await missed.read(account, [...numbers]);
      for (const { person } of before) one.people.delete(person);
      for (const each of now) one.people.set(each.person, each);
    }
  } catch (error) {
    one.changed = 'all';
    throw error;
  }
}

/** The beginning of the list, after its screens have what has changed in it. */
async function send(account: number, one: Known, work: Work): Promise<CallBacksOnScreen> {
  await one.inTurn(() => bringUpToDate(account, one, work));
  const open = [...one.people.values()].filter(({ closed }) => closed === null).sort(inOrder);
  // A reminder comes first on its user's screens, wherever its person is in the list.
  const reminders = open.slice(MAX_ON_SCREEN).filter(({ due }) => due !== null);
  const first = [...open.slice(0, MAX_ON_SCREEN), ...reminders.slice(0, MAX_ON_SCREEN)];
  const list = first.map(({ person, call, times, since, taken, due }) => ({
    ...screenCall(call, work.extensions(account)),
    person,
    times,
    since,
    taken_by: taken?.user ?? null,
    due_at: due,
  }));
  const [before, count, more] = [one.sent, open.length, one.more];
  const rows = new Map(list.map((row) => [row.person, JSON.stringify(row)]));
  one.sent = { rows, count, more };
  if (before !== null) {
    const missed = list.filter(({ person }) => before.rows.get(person) !== rows.get(person));
    const gone = [...before.rows.keys()].filter((person) => !rows.has(person));
    if (missed.length + gone.length > 0 || count !== before.count || more !== before.more)
      work.screens.callBacks(account, { missed, gone, count, more });
  }
  return { missed: list, count, more };
}

async function waiting(account: number, work: Work): Promise<CallBack[]> {
  const one = knownOf(account, work);
  await one.inTurn(() => bringUpToDate(account, one, work));
  return [...one.people.values()].filter(({ closed }) => closed === null);
}

const onScreen = (account: number, work: Work): Promise<CallBacksOnScreen> =>
  send(account, knownOf(account, work), work);

function knownOf(account: number, work: Work): Known {
  const { known, screens } = work;
  const one: Known = known.get(account) ?? {
    people: new Map(),
    more: false,
    changed: 'all',
    sent: null,
    inTurn: createSerialise(),
    readAt: 0,
  };
  if (!known.has(account)) {
    known.set(account, one);
    screens.keep(account, true);
    renewLater(account, work);
  }
  return one;
}

function renewLater(account: number, work: Work): void {
  const { known, screens } = work;
  setTimeout(() => {
    if (screens.hasScreen(account)) {
      renewLater(account, work);
      void publish(account, work).catch(() => {});
    } else {
      known.delete(account);
      screens.keep(account, false);
    }
  }, KEPT_MS).unref();
}

async function publish(account: number, work: Work): Promise<void> {
  const one = work.known.get(account);
  if (one === undefined) return;
  one.changed = 'all';
  if (work.screens.hasScreen(account)) await send(account, one, work);
}

function noteChange(one: Known, number: string, person: string | null): void {
  if (one.changed === 'all') return;
  one.changed.set(number, person ?? one.changed.get(number) ?? null);
  if (one.changed.size > MAX_MOVED) one.changed = 'all';
}

/** After a call has moved: it may be a missed one, or one that got through. */
function readSoon(account: number, call: CallRecord, work: Work): void {
  const { known, sending, screens, clock } = work;
  const one = known.get(account);
  if (one === undefined || call.status === 'ringing') return;
  noteChange(one, call.number, personOf(call));
  if (sending.has(account) || !screens.hasScreen(account)) return;
  sending.add(account);
  const pause = one.readAt + PAUSE_MS - clock();
  setTimeout(
    () => {
      sending.delete(account);
      void send(account, one, work).catch(() => {});
    },
    Math.max(SOON_MS, Math.min(pause, PAUSE_MS)),
  ).unref();
}

async function act(
  account: number,
  action: CallerAction,
  taker: string,
  work: Work,
): Promise<CallBack | undefined> {
  const { kind, number, user } = action;
  const { callers, missed, known, screens } = work;
  if (kind !== 'released' && !isHolding(action)) await callers.act(account, action);
  else
    for (let stored = false; !stored; ) {
      const newest = await callers.newestAction(account, number);
      const [person] = (await missed.read(account, newest.numbers)).people;
      const isClosed = kind !== 'released' && person !== undefined && person.closed !== null;
      if (isClosed || !['', taker, user].includes(person?.taken?.user ?? '')) return person;
      // By their times the last one counts: this one, however quick they are.
      const at = Math.max(action.at, newest.at + 1);
      stored = await callers.act(account, { ...action, at }, newest.id);
    }
  if (kind === 'note') for (const follower of work.noteFollowers) follower(account);
  const one = known.get(account);
  if (one === undefined) return undefined;
  noteChange(one, number, null);
  if (screens.hasScreen(account)) await send(account, one, work);
  return undefined;
}
