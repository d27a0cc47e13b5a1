import PQueue from 'p-queue';
import { type Log, oncePerMinute } from '../../shared/log/log.ts';
import type { Account } from '../accounts/account.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { every } from '../kit/every.ts';
import { formatsFor } from '../kit/formats.ts';
import type { CallBack } from '../people/call-backs.ts';
import type { CallerStore } from '../people/caller-store.ts';
import { createMissedPeopleReader } from '../people/missed-people.ts';
import { dueNotices, GATHER_MS, isTime, type Notice } from './due-notices.ts';
import type { NoticeSender } from './notice-sender.ts';
import { type Medium, mediums } from './notification.ts';
import type { NotificationStore, Recipient } from './notification-store.ts';

type Parts = {
  readonly store: {
    readonly notifications: NotificationStore;
    readonly callers: CallerStore;
    readonly users: { list(account: number): Promise<readonly { readonly name: string }[]> };
  };
  readonly directory: Pick<ServiceDirectory, 'accounts' | 'extensions'>;
  readonly sender: NoticeSender;
  readonly clock: () => number;
  readonly log: Log;
};

/** For tests, ms. */
export type NotificationTimes = { readonly tickMs?: number; readonly gatherMs?: number };

const TICK_MS = 2_000;
/** Accounts that are served at a time: a server that hangs keeps few others waiting. */
const AT_A_TIME: Readonly<Record<Medium, number>> = { mail: 4, push: 20 };
/** After a failure, ms. */
const RETRY_MS = 60_000;
/** With more callers, the whole list of missed people is read. */
const MOST_NUMBERS = 100;

/**
 * Tells users of missed calls, as they have chosen. Which calls may concern whom is queued with the events of webhooks, once each
 * (event-queue-store.ts). Every process works on it: it takes a user for as long as a message takes, so that none is sent twice; what a
 * process that ends has not noted as sent, another one sends.
 */
export function createNotifications(parts: Parts, { tickMs = TICK_MS, gatherMs }: NotificationTimes = {}) {
  const { store, clock, log } = parts;
  const names = async (account: number) => (await store.users.list(account)).map(({ name }) => name);
  const people = createMissedPeopleReader(store.callers, clock, names);
  const rarely = oncePerMinute(clock);
  const failed = (error: unknown) => rarely(() => log.say('service.notifications-failed', { error }));
  const rounds = mediums.map((medium) =>
    createRounds(parts, people, { medium, gatherMs: gatherMs ?? GATHER_MS[medium], failed }),
  );
  let stops: (() => void)[] = [];
  return {
    /** Serves the users whose time has come. Resolves when they are served. */
    async run(medium: Medium): Promise<void> {
      await Promise.all((await rounds[mediums.indexOf(medium)]?.begin()) ?? []);
    },
    start(): void {
      stops = rounds.map(({ begin }) => every(tickMs, begin, failed));
    },
    /** Waits for what is being sent. */
    async stop(): Promise<void> {
      for (const stop of stops) stop();
      await Promise.all(rounds.map((round) => round.stop()));
    },
  };
}

type People = ReturnType<typeof createMissedPeopleReader>;

type How = {
  readonly medium: Medium;
  readonly gatherMs: number;
  readonly failed: (error: unknown) => void;
};

/** The users of a medium: those of an account one after the other, so that an account whose servers hang keeps no other waiting. */
function createRounds(parts: Parts, people: People, { medium, gatherMs, failed }: How) {
  const { store, directory, clock, log } = parts;
  const queue = new PQueue({ concurrency: AT_A_TIME[medium] });
  const busy = new Set<number>();
  const rarely = oncePerMinute(clock);
  let isStopped = false;

  /** Serves one user, if no other process does. */
  async function serve(recipient: Recipient, account: Account): Promise<void> {
    if (isStopped || !(await store.notifications.claim(recipient, clock()))) return;
    let until = clock() + RETRY_MS;
    try {
      const isSent = await notify(parts, people, recipient, account);
      until = isSent ? clock() + gatherMs : 0;
    } catch (error) {
      rarely(() => log.say('service.notification-failed', { user: recipient.user, medium, error }));
    }
    await store.notifications.release(recipient, until);
  }

  async function serveAll(recipients: readonly Recipient[], account: Account): Promise<void> {
    try {
      for (const recipient of recipients) await serve(recipient, account);
    } catch (error) {
      if (!isStopped) failed(error);
    } finally {
      busy.delete(account.id);
    }
  }

  return {
    /** Begins with the users whose time has come; gives the ends of that. */
    async begin(): Promise<Promise<void>[]> {
      const now = clock();
      const all = Map.groupBy(await store.notifications.recipients(medium, now), ({ account }) => account);
      return directory.accounts().flatMap((account) => {
        const { timeZone } = formatsFor(account.timeZone);
        const due = (all.get(account.id) ?? []).filter((one) => isTime(one, { now, timeZone, gatherMs }));
        if (due.length === 0 || busy.has(account.id)) return [];
        busy.add(account.id);
        return queue.add(() => serveAll(due, account));
      });
    },
    stop(): Promise<void> {
      isStopped = true;
      return queue.onIdle();
    },
  };
}

/** Tells a user of the missed calls that are due. False if there are none. */
async function notify(
  { store, directory, sender, clock }: Parts,
  people: People,
  recipient: Recipient,
  account: Account,
): Promise<boolean> {
  const notices = await store.notifications.notices(recipient);
  const user = {
    id: recipient.user,
    choice: recipient.choice,
    extensions: directory.extensions(account.id),
  };
  const missed = await peopleOf(store, people, account, notices);
  const now = clock();
  const { tell, told, done } = dueNotices(notices, user, missed, now);
  const isSent = tell.length > 0 && sender.canSend(recipient);
  if (isSent) await sender.send(recipient, account, tell, now);
  if (notices.length > 0) await store.notifications.done(recipient, [...done, ...told], now);
  return isSent;
}

/** The missed people with the numbers of these calls, or with other numbers of the same customers. */
async function peopleOf(
  { callers }: Parts['store'],
  people: People,
  { id }: Account,
  notices: readonly Notice[],
): Promise<readonly CallBack[]> {
  const numbers = [...new Set(notices.map(({ call }) => call.number))];
  if (numbers.length === 0) return [];
  const read =
    numbers.length > MOST_NUMBERS
      ? people.readAll(id)
      : people.read(id, await callers.numbersOfPeople(id, numbers));
  return (await read).people;
}
