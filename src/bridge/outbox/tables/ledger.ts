import type { DatabaseSync } from 'node:sqlite';
import type { CallStatus } from '../../../shared/api/contract/call-status.ts';
import { intakeSql } from './intake.ts';

/** What was decided about a call: its reported states, or why it is not reported. */
export type LedgerEntry = {
  /** In no order; empty if nothing was reported. */
  readonly reported: readonly CallStatus[];
  readonly unreported?: string;
};

/** A call id goes on with digits only: the colon is the character after the 9. */
const idsFrom = (table: 'event' | 'unreported') =>
  `SELECT j.value AS beginning, t.call_id AS id
    FROM json_each(?) j CROSS JOIN ${table} t ON t.call_id >= j.value AND t.call_id < j.value || ':'`;

export const ledgerSql = {
  unreported: 'SELECT call_id, why FROM json_each(?) j CROSS JOIN unreported u ON u.call_id = j.value',
  reportedFrom: idsFrom('event'),
  unreportedFrom: idsFrom('unreported'),
} as const;

/**
 * The ledger of decided calls: `event` has the reported ones, `open_call` those in progress, and `unreported` the
 * others with the reason. It also stores how far Asterisk's call records were read, in the same transactions.
 */
export function createLedger(db: DatabaseSync) {
  const write = db.prepare(
    `INSERT INTO unreported (call_id, at, why) VALUES (?, ?, ?)
     ON CONFLICT (call_id) DO UPDATE SET at = excluded.at, why = excluded.why`,
  );
  const writeCheckpoint = db.prepare(
    'INSERT INTO cdr_checkpoint (id, checkpoint) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET checkpoint = excluded.checkpoint',
  );
  const checkpoint = db.prepare('SELECT checkpoint FROM cdr_checkpoint');
  const events = db.prepare(intakeSql.eventsOfCalls);
  const unreported = db.prepare(ledgerSql.unreported);
  const allFrom = [ledgerSql.unreportedFrom, ledgerSql.reportedFrom].map((sql) => db.prepare(sql));
  const recent = db.prepare(
    'SELECT call_id FROM unreported WHERE at > (SELECT max(at) FROM unreported) - 172800000',
  );
  const forget = db.prepare(
    'DELETE FROM unreported WHERE at < ? AND rowid IN (SELECT rowid FROM unreported ORDER BY rowid LIMIT ?)',
  );
  return {
    /** `unreported`: id, at, why, id, at, why, … Runs inside the caller's transaction. */
    writeLedger(unreported: readonly (string | number)[], checkpoint: string): void {
      for (let i = 0; i < unreported.length; i += 3) write.run(...unreported.slice(i, i + 3));
      if (checkpoint !== '') writeCheckpoint.run(checkpoint);
    },
    /** Those of the two days before the newest: no call takes longer. */
    unreported: () => recent.all().map(({ call_id }) => call_id as string),
    checkpoint: () => checkpoint.get()?.checkpoint as string | undefined,
    /** Calls without an entry are left out. */
    ledgerEntries(callIds: readonly string[]): Map<string, LedgerEntry> {
      const ids = JSON.stringify(callIds);
      const entries = new Map<string, { reported: CallStatus[]; unreported?: string }>();
      for (const { call_id, why } of unreported.all(ids) as Record<string, string>[])
        entries.set(call_id as string, { reported: [], unreported: why as string });
      for (const { call_id, status } of events.all(ids) as { call_id: string; status: CallStatus }[]) {
        const entry = entries.get(call_id);
        if (entry === undefined) entries.set(call_id, { reported: [status] });
        else entry.reported.push(status);
      }
      return entries;
    },
    /** Of these beginnings of call ids, those of a call with an entry, each with the id of one. */
    callIdsFrom(beginnings: readonly string[]): Map<string, string> {
      const rows = allFrom.flatMap((select) => select.all(JSON.stringify(beginnings)));
      return new Map(
        (rows as { beginning: string; id: string }[]).map(({ beginning, id }) => [beginning, id]),
      );
    },
    /** Deletes the entries from before `before` (Unix ms) among the `limit` oldest, and returns their number. */
    pruneUnreported: (before: number, limit: number): number => Number(forget.run(before, limit).changes),
  };
}

/**
 * The journal, in chunks of lines, which are opaque here. A row's id is the number of characters written so far, so
 * that the size of the journal is the difference of two ids. There is no index: a search reads everything, and a write
 * costs one row per batch. A repair starts a new journal.
 */
export function createJournal(db: DatabaseSync) {
  const write = db.prepare(
    'INSERT INTO journal (id, at, lines) SELECT coalesce(max(id), 0) + ?, ?, ? FROM journal',
  );
  const ends = db.prepare('SELECT max(id) AS last FROM journal');
  const oldest = db.prepare('SELECT id, at FROM journal ORDER BY id LIMIT ?');
  const forget = db.prepare('DELETE FROM journal WHERE id <= ?');

  return {
    /** Runs in the caller's transaction, with the changes that the lines describe. */
    writeLines(lines: string, at: number): void {
      if (lines !== '') write.run(lines.length, at, lines);
    },

    /**
     * One step of deleting lines that were written before `before` (Unix ms), or are beyond `most` characters; reads
     * `limit` rows. Returns how many it deleted.
     */
    pruneJournal(before: number, most: number, limit: number): number {
      const last = (ends.get()?.last ?? 0) as number;
      const rows = oldest.all(limit) as { id: number; at: number }[];
      const old = rows.filter(({ id, at }) => at < before || id <= last - most);
      const newestOld = old.at(-1);
      return newestOld === undefined ? 0 : Number(forget.run(newestOld.id).changes);
    },
  };
}
