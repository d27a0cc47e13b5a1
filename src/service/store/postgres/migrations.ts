import { readFileSync } from 'node:fs';
import {
  nextWriter,
  ofBeforeRelease,
  type Step,
  sayDeleted,
  stepsOf,
  type Writer,
  writerValues,
  writtenBy,
} from '../../../shared/storage/written-by.ts';
import { rowsOfRemovedAccounts } from '../statements.ts';
import type { Database } from './database.ts';

const sqlOf = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

/** The first is the schema of the first release. */
export const steps: readonly Step[] = [
  { name: '1.0.0', sql: sqlOf('./schema.sql') },
  { name: 'rows-of-accounts', sql: sqlOf('./step-2.sql'), deletes: rowsOfRemovedAccounts },
  { name: 'site-tokens', sql: sqlOf('./step-3.sql') },
  { name: 'closed-calls', sql: sqlOf('./step-4.sql') },
  { name: 'customers-by-beginning', sql: sqlOf('./step-5.sql') },
  { name: 'answered-by-number', sql: sqlOf('./step-6.sql') },
  { name: 'customers-language-blocked', sql: sqlOf('./step-7.sql') },
  { name: 'past-calls', sql: sqlOf('./step-8.sql') },
  { name: 'who-had-the-caller', sql: sqlOf('./step-9.sql') },
  { name: 'call-backs-seen', sql: sqlOf('./step-10.sql') },
  { name: 'certificates', sql: sqlOf('./step-11.sql') },
  { name: 'data-for-programs', sql: sqlOf('./step-12.sql') },
  { name: 'call-backs-due', sql: sqlOf('./step-13.sql') },
  { name: 'notes-and-promises', sql: sqlOf('./step-14.sql') },
  { name: 'phone-book', sql: sqlOf('./step-15.sql') },
  { name: 'notifications', sql: sqlOf('./step-16.sql') },
  { name: 'webhook-shapes', sql: sqlOf('./step-17.sql') },
  { name: 'numbers-kept', sql: sqlOf('./step-18.sql') },
];

/** What keeps two processes from migrating at once; any number that is not used otherwise. */
const LOCK = 5_727_001;

/**
 * Brings the schema up to date, in one transaction, and notes in it that this version has written it. Processes that
 * start at the same time wait for each other; those that run already go on. Throws StorageRefused if this program
 * cannot live with the database.
 */
export async function migrate(database: Database, known: readonly Step[] = steps): Promise<void> {
  const name = 'the database of DATABASE_URL';
  const deleted = await database.transaction(
    async ({ rows }) => {
      await rows('SELECT pg_advisory_xact_lock($1)', LOCK);
      const [there] = await rows<{ ours: boolean; older: boolean }>(
        `SELECT to_regclass('written_by') IS NOT NULL AS ours, to_regclass('accounts') IS NOT NULL AS older`,
      );
      if (there?.older && !there.ours)
        throw ofBeforeRelease(name, 'save customers as CSV with that version, then name an empty database');
      if (!there?.ours) await rows(writtenBy.create);
      const writers = await rows<Writer>(writtenBy.read);
      const done = stepsOf(writers, known, name);
      const writer = nextWriter(writers, known, done);
      const counted: { what: string; rows: number }[] = [];
      if (writer === undefined) return counted;
      for (const { sql, deletes } of known.slice(done)) {
        const [found] = deletes ? await rows<{ rows: number }>(deletes.count) : [];
        if (deletes) counted.push({ ...deletes, rows: found?.rows ?? 0 });
        await rows(sql);
      }
      await rows(writtenBy.add, ...writerValues(writer));
      return counted;
    },
    // A step that must wait for a busy table gives up before others queue behind it; the start is tried again.
    { statement: 10 * 60_000, lock: 5_000, idle: 60_000 },
  );
  sayDeleted(name, deleted);
}
