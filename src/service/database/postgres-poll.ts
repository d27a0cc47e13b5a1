import { callColumns, callOf, whoCalls } from '../calls/call-rows.ts';
import type { CallFeed } from '../calls/call-store.ts';
import type { Queries, Row } from '../store/postgres/database.ts';
import { timelineSql } from '../store/postgres/primary.ts';
import { nextPace, type Pace, type PaceEvent } from './poll-pace.ts';

/** How late a screen is at most when a notification is lost. */
const POLL_MS = 1_000;
/** Notifications that arrive within this time cause one read. */
export const TOGETHER_MS = 25;

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

type Place = { readonly up_to: string; readonly timeline: string };

/** Above every transaction: reads no call, only the place. */
const NONE = '9223372036854775807';

type Follow = Parameters<CallFeed['follow']>;

/** Reads the calls of the watched accounts that have moved: each second, and soon after it is woken. */
export function startPoll(database: Queries, watched: Follow[0], on: Pick<Follow[1], 'moved' | 'missed'>) {
  let place: Place | undefined;
  let pace: Pace = 'waiting';
  let timer: NodeJS.Timeout | undefined;

  function report(rows: readonly Row[], accounts: readonly number[]): void {
    const here = rows[0] as Place;
    const goesOn = place?.timeline === here.timeline;
    if (!goesOn) on.missed();
    else for (const row of rows) if (row.account_id !== null) on.moved(row.account_id as number, callOf(row));
    // A screen of another account connected meanwhile: read from the old place once more for it.
    const read = new Set(accounts);
    if (!goesOn || [...watched()].every((account) => read.has(account))) place = here;
  }

  async function read(): Promise<void> {
    const accounts = [...watched()];
    try {
      const rows = await database.prepared(movedSql, accounts, place?.up_to ?? NONE);
      if (pace !== 'stopped') report(rows, accounts);
    } catch {
      // The next database to answer may be a restored backup with the same timeline.
      place = undefined;
    }
    go('read');
  }

  function go(event: PaceEvent): void {
    const before = pace;
    pace = nextPace(pace, event);
    if (pace === before || pace === 'reading again') return;
    clearTimeout(timer);
    if (pace === 'reading') void read();
    else timer = setTimeout(go, pace === 'soon' ? TOGETHER_MS : POLL_MS, 'due');
  }
  go('due');

  return {
    wake: () => go('woken'),
    stop(): void {
      pace = 'stopped';
      clearTimeout(timer);
    },
  };
}
