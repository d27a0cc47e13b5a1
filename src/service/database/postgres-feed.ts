import { callColumns, callOf, whoCalls } from '../calls/call-rows.ts';
import type { CallFeed } from '../calls/call-store.ts';
import type { Queries } from '../store/postgres/database.ts';
import { CHANNEL, listen } from '../store/postgres/listener.ts';
import { type Primary, timelineSql } from '../store/postgres/primary.ts';
import type { CallChanges } from '../webhooks/event-queue-store.ts';

/** How late a screen is at most when a notification is lost. */
const POLL_MS = 1_000;
/** Notifications that arrive within this time cause one read. */
const TOGETHER_MS = 25;
/** More accounts than this in one notification are not named. */
const NAMED = 500;

/**
 * The calls that moved since the last read. A place is a transaction id: every transaction before it had ended at the
 * last read, so a long transaction is not skipped when a later one commits first. (A sequence number would skip it: it
 * is assigned at the start, not at the commit.) Ids above the newest transaction are from a restored backup of another
 * server. Ids count within a timeline: a standby that takes over begins a new one.
 */
const movedSql = `SELECT here.*, c.account_id, ${callColumns}
  FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS up_to,
               ${timelineSql} AS timeline) AS here
  LEFT JOIN calls c ON c.account_id = ANY ($1::bigint[])
    AND c.changed >= $2::xid8 AND c.changed < pg_snapshot_xmax(pg_current_snapshot())
  ${whoCalls}
  ORDER BY c.changed`;

/** The same for webhooks: a place is the timeline and the snapshot, `00000001 731:733:731`. */
export const callChanges: CallChanges = {
  here: `SELECT ${timelineSql} || ' ' || pg_current_snapshot()::text AS place`,
  goesOn: (from, to) => from.split(' ')[0] === to.split(' ')[0],
  changed: `webhooks w JOIN calls c ON c.account_id = w.account_id
    WHERE c.changed >= $1::text::xid8 AND c.changed < pg_snapshot_xmax(pg_current_snapshot())`,
  values: (from) => [/ (\d+)/.exec(from)?.[1] ?? NONE],
};

type Place = { readonly up_to: string; readonly timeline: string };

/** Above every transaction: reads no call, only the place. */
const NONE = '9223372036854775807';

export type Feed = CallFeed & {
  /** Notifies the other processes that calls of these accounts have moved. Does not wait. */
  notify(accounts: Iterable<number>): void;
  /** Notifies them that a user did something about a missed caller. Does not wait. */
  notifyCalledBack(account: number): void;
  /** Says here and, without waiting, to the other processes that the account's customers have changed. */
  customersChanged(account: number): void;
  stop(): void;
};

export function makeFeed(database: Queries, direct: Primary, sender: string): Feed {
  const stops = new Set<() => void>();
  const toldOfCustomers = new Set<(account: number) => void>();
  const pending = new Set<number>();
  let notifying = false;

  const tell = (what: string, accounts: number | string) =>
    database.prepared('SELECT pg_notify($1, $2)', CHANNEL, `${what} ${sender} ${accounts}`);

  async function notifyAll(): Promise<void> {
    notifying = true;
    while (pending.size > 0) {
      const accounts = pending.size > NAMED ? '*' : [...pending].join(',');
      pending.clear();
      // After the commit and not in it: a commit that notifies holds a lock that all others wait for.
      await tell('calls', accounts).catch(() => pending.clear());
      await new Promise((resolve) => setTimeout(resolve, TOGETHER_MS));
    }
    notifying = false;
  }

  return {
    notify(accounts) {
      for (const account of accounts) pending.add(account);
      if (!notifying && pending.size > 0) void notifyAll();
    },

    notifyCalledBack(account) {
      void tell('called-back', account).catch(() => {});
    },

    customersChanged(account) {
      for (const told of toldOfCustomers) told(account);
      void tell('customers', account).catch(() => {});
    },

    follow(watched, on) {
      let place: Place | undefined;
      let stopped = false;
      let timer: NodeJS.Timeout | undefined;
      let polling = false;
      let woken = false;

      async function poll(): Promise<void> {
        polling = true;
        woken = false;
        const accounts = [...watched()];
        try {
          const rows = await database.prepared(movedSql, accounts, place?.up_to ?? NONE);
          if (stopped) return;
          const here = rows[0] as Place;
          const goesOn = place?.timeline === here.timeline;
          if (!goesOn) on.missed();
          else
            for (const row of rows)
              if (row.account_id !== null) on.moved(row.account_id as number, callOf(row));
          // A screen of another account connected meanwhile: read from the old place once more for it.
          const read = new Set(accounts);
          if (!goesOn || [...watched()].every((account) => read.has(account))) place = here;
        } catch {
          // The next database to answer may be a restored backup with the same timeline.
          place = undefined;
        }
        polling = false;
        if (!stopped) arm(woken ? TOGETHER_MS : POLL_MS);
      }

      function arm(ms: number): void {
        clearTimeout(timer);
        timer = setTimeout(() => void poll(), ms);
      }
      function wake(): void {
        if (!polling && !woken) arm(TOGETHER_MS);
        woken = true;
      }

      const receive = (payload: string) => {
        if (payload === 'directory') return on.directory();
        const [kind, from, account = ''] = payload.split(' ', 3);
        if (from === sender) return;
        if (kind === 'called-back') return on.calledBack(Number(account));
        if (kind === 'customers') return on.customers(Number(account));
        if (kind !== 'calls') return;
        const moved = new Set(account.split(','));
        if (moved.has('*') || [...watched()].some((account) => moved.has(String(account)))) wake();
      };
      const unlisten = listen(direct, receive, () => {
        on.directory();
        for (const account of watched()) on.customers(account);
        wake();
      });
      const stop = () => {
        stopped = true;
        clearTimeout(timer);
        unlisten();
        toldOfCustomers.delete(on.customers);
        stops.delete(stop);
      };
      stops.add(stop);
      toldOfCustomers.add(on.customers);
      void poll();
      return stop;
    },

    stop() {
      for (const stop of stops) stop();
    },
  };
}
