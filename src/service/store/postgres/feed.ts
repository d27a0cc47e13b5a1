import type { CallFeed } from '../call-store.ts';
import { callColumns, callOf } from '../shared/call-rows.ts';
import type { Database } from './database.ts';
import { CHANNEL, listen } from './listener.ts';
import { type Primary, timelineSql } from './primary.ts';

/** How late a screen is at most when a notification is lost. */
const POLL_MS = 1_000;
/** Notifications that come this close together are one look at the tables. */
const TOGETHER_MS = 25;
/** Bytes of a notification; and more accounts than this in one are not named. */
const LONGEST = 7_900;
const NAMED = 500;

/**
 * What moved since the last look, from the calls themselves. The place up to which everything was seen is a
 * transaction: all before it were over when the last look was taken, so a transaction that takes long is not passed
 * over, whatever commits before it. (A number from a sequence would be: its order is that of beginning, not of
 * commit.) What lies above the newest transaction is from a restored backup of another server. Transactions are
 * numbered within a timeline: a standby that takes over begins another one.
 */
const movedSql = `SELECT here.*, c.account_id, ${callColumns}
  FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS up_to,
               ${timelineSql} AS timeline) AS here
  LEFT JOIN calls c ON c.account_id = ANY ($1::bigint[])
    AND c.changed >= $2::xid8 AND c.changed < pg_snapshot_xmax(pg_current_snapshot())
  ORDER BY c.changed`;

type Place = { readonly up_to: string; readonly timeline: string };

/** Above every transaction: reads no call, only the place. */
const NONE = '9223372036854775807';

export type Feed = CallFeed & {
  /** Wakes the other processes: calls of these accounts have moved. Nobody waits for it. */
  tell(accounts: Iterable<number>): void;
  /** The same of missed calls that a user has dismissed; more than one notification holds are left to the next start of a stream. */
  tellDismissed(account: number, user: number, calls: readonly string[]): void;
  stop(): void;
};

export function makeFeed(database: Database, direct: Primary, sender: string): Feed {
  const stops = new Set<() => void>();
  const untold = new Set<number>();
  let telling = false;

  async function tellAll(): Promise<void> {
    telling = true;
    while (untold.size > 0) {
      const accounts = untold.size > NAMED ? '*' : [...untold].join(',');
      untold.clear();
      // After the commit and not in it: a commit that notifies holds a lock that all others wait for.
      await database
        .look([['SELECT pg_notify($1, $2)', CHANNEL, `calls ${sender} ${accounts}`]])
        .catch(() => untold.clear());
      await new Promise((resolve) => setTimeout(resolve, TOGETHER_MS));
    }
    telling = false;
  }

  return {
    tell(accounts) {
      for (const account of accounts) untold.add(account);
      if (!telling && untold.size > 0) void tellAll();
    },

    tellDismissed(account, user, calls) {
      const payload = `dismissed ${sender} ${account} ${user} ${JSON.stringify(calls)}`;
      if (Buffer.byteLength(payload) > LONGEST) return;
      void database.look([['SELECT pg_notify($1, $2)', CHANNEL, payload]]).catch(() => {});
    },

    follow(watched, told) {
      let place: Place | undefined;
      let stopped = false;
      let timer: NodeJS.Timeout | undefined;
      let looking = false;
      let woken = false;

      async function look(): Promise<void> {
        looking = true;
        woken = false;
        const accounts = [...watched()];
        try {
          const [rows = []] = await database.look([[movedSql, accounts, place?.up_to ?? NONE]]);
          if (stopped) return;
          const here = rows[0] as Place;
          const goesOn = place?.timeline === here.timeline;
          if (!goesOn) told.missed();
          else
            for (const row of rows)
              if (row.account_id !== null) told.moved(row.account_id as number, callOf(row));
          // A screen that came meanwhile has not seen what was before: look at it from the old place once more.
          const asked = new Set(accounts);
          if (!goesOn || [...watched()].every((account) => asked.has(account))) place = here;
        } catch {
          // Perhaps a database answers next that was restored from a backup, in a timeline of the same number.
          place = undefined;
        }
        looking = false;
        if (!stopped) arm(woken ? TOGETHER_MS : POLL_MS);
      }

      function arm(ms: number): void {
        clearTimeout(timer);
        timer = setTimeout(() => void look(), ms);
      }
      function wake(): void {
        if (!looking && !woken) arm(TOGETHER_MS);
        woken = true;
      }

      const hear = (payload: string) => {
        if (payload === 'directory') return told.directory();
        const [kind, from, account = '', user] = payload.split(' ', 4);
        if (from === sender) return;
        if (kind === 'dismissed')
          return told.dismissed(
            Number(account),
            Number(user),
            JSON.parse(payload.slice(payload.indexOf('['))),
          );
        if (kind !== 'calls') return;
        const moved = new Set(account.split(','));
        if (moved.has('*') || [...watched()].some((account) => moved.has(String(account)))) wake();
      };
      const deafen = listen(direct, hear, () => {
        told.directory();
        wake();
      });
      const stop = () => {
        stopped = true;
        clearTimeout(timer);
        deafen();
        stops.delete(stop);
      };
      stops.add(stop);
      void look();
      return stop;
    },

    stop() {
      for (const stop of stops) stop();
    },
  };
}
