import type { CallFeed } from '../calls/call-store.ts';
import type { Queries } from '../store/postgres/database.ts';
import { CHANNEL, listen } from '../store/postgres/listener.ts';
import { type Primary, timelineSql } from '../store/postgres/primary.ts';
import type { CallChanges } from '../webhooks/event-queue-store.ts';
import { NONE, startPoll, TOGETHER_MS } from './postgres-poll.ts';

/** More accounts than this in one notification are not named. */
const NAMED = 500;

/** What changed for webhooks: a place is the timeline and the snapshot, `00000001 731:733:731`. */
export const callChanges: CallChanges = {
  here: `SELECT ${timelineSql} || ' ' || pg_current_snapshot()::text AS place`,
  goesOn: (from, to) => from.split(' ')[0] === to.split(' ')[0],
  changed: `webhooks w JOIN calls c ON c.account_id = w.account_id
    WHERE c.changed >= $1::text::xid8 AND c.changed < pg_snapshot_xmax(pg_current_snapshot())`,
  values: (from) => [/ (\d+)/.exec(from)?.[1] ?? NONE],
};

export type Feed = CallFeed & {
  /** Notifies the other processes that calls of these accounts have moved. Does not wait. */
  notify(accounts: Iterable<number>): void;
  /** Notifies them that a user did something about a missed caller. Does not wait. */
  notifyCalledBack(account: number): void;
  /** Says here and, without waiting, to the other processes that the account's customers have changed. */
  customersChanged(account: number): void;
  stop(): void;
};

export function createFeed(database: Queries, direct: Primary, sender: string): Feed {
  const stops = new Set<() => void>();
  const customerListeners = new Set<(account: number) => void>();
  const tell = (what: string, accounts: number | string) =>
    database.prepared('SELECT pg_notify($1, $2)', CHANNEL, `${what} ${sender} ${accounts}`);

  return {
    notify: createCallNotifier((accounts) => tell('calls', accounts)),

    notifyCalledBack(account) {
      void tell('called-back', account).catch(() => {});
    },

    customersChanged(account) {
      for (const notify of customerListeners) notify(account);
      void tell('customers', account).catch(() => {});
    },

    follow(watched, on) {
      const poll = startPoll(database, watched, on);
      const receive = (payload: string) => {
        if (payload === 'directory') return on.directory();
        const [kind, from, account = ''] = payload.split(' ', 3);
        if (from === sender) return;
        if (kind === 'called-back') return on.calledBack(Number(account));
        if (kind === 'customers') return on.customers(Number(account));
        if (kind !== 'calls') return;
        const moved = new Set(account.split(','));
        if (moved.has('*') || [...watched()].some((account) => moved.has(String(account)))) poll.wake();
      };
      const unlisten = listen(direct, receive, () => {
        on.directory();
        for (const account of watched()) on.customers(account);
        poll.wake();
      });
      const stop = () => {
        poll.stop();
        unlisten();
        customerListeners.delete(on.customers);
        stops.delete(stop);
      };
      stops.add(stop);
      customerListeners.add(on.customers);
      return stop;
    },

    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** Notifies of the accounts whose calls have moved, of all within a few ms at once. */
function createCallNotifier(tell: (accounts: string) => Promise<unknown>): Feed['notify'] {
  const pending = new Set<number>();
  let notifying = false;

  async function notifyAll(): Promise<void> {
    notifying = true;
    while (pending.size > 0) {
      const accounts = pending.size > NAMED ? '*' : [...pending].join(',');
      pending.clear();
      // After the commit and not in it: a commit that notifies holds a lock that all others wait for.
      await tell(accounts).catch(() => pending.clear());
      await new Promise((resolve) => setTimeout(resolve, TOGETHER_MS));
    }
    notifying = false;
  }

  return (accounts) => {
    for (const account of accounts) pending.add(account);
    if (!notifying && pending.size > 0) void notifyAll();
  };
}
