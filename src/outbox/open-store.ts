import { writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../ops/log.ts';
import { checkThoroughly } from './check.ts';
import { openDatabase } from './database.ts';
import { repeated } from './intake.ts';
import { finishRepair, readWal, repair } from './repair.ts';
import { type SavedRow, salvageWal } from './salvage.ts';
import { messageOf, troubleOf } from './sqlite-trouble.ts';
import { createStore, type Store } from './store.ts';
import { firstForgottenFrame } from './wal.ts';

export type OpenStore = { readonly db: DatabaseSync; readonly store: Store };

/**
 * Opens the database, whatever has happened to its file: damage is repaired, and what SQLite would silently forget of
 * the WAL is taken again. Throws OutboxRefused, or SQLite's error when the disk is full or failing.
 * `now` (Unix ms) goes into the name of a file that is set aside.
 */
export function openStore(path: string, now: number, log: Log): OpenStore {
  finishRepair(path, stampOf(now));
  const wal = readWal(path);
  const forgotten = firstForgottenFrame(wal);
  let opened: OpenStore;
  try {
    opened = open(path);
  } catch (error) {
    if (troubleOf(error) !== 'corrupt') throw error;
    opened = repairAndOpen(path, now, error, log, wal);
  }
  if (forgotten !== undefined) {
    const saved = takeAgain(opened.store, salvageWal(wal, forgotten));
    if (saved > 0) {
      const aside = `${path}-wal.damaged-${stampOf(now)}`;
      writeFileSync(aside, wal, { mode: 0o600 });
      log.say('outbox.wal-repaired', { aside, saved });
    }
  }
  return opened;
}

/** Repairs a damaged file that is closed. `wal`: what was in its WAL, if that may be gone by now. */
export function repairAndOpen(path: string, now: number, error: unknown, log: Log, wal?: Buffer): OpenStore {
  const { aside, saved, waiting, lost } = repair(path, stampOf(now), wal);
  log.say('outbox.repaired', {
    error: messageOf(error),
    aside,
    saved,
    waiting,
    lost: lost ?? 'an unknown number of',
  });
  return open(path);
}

function stampOf(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, '');
}

function open(path: string): OpenStore {
  const db = openDatabase(path);
  try {
    checkThoroughly(db);
    return { db, store: createStore(db) };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Takes what is not there yet; gives how many events. */
function takeAgain(store: Store, rows: Iterable<SavedRow>): number {
  const calls = new Map<string, string | null>();
  const events = new Map<number, readonly (string | number | null)[]>();
  const trunks: string[] = [];
  for (const { table, values } of rows) {
    if (table === 'open_call') calls.set(values[0], values[1]);
    else if (table === 'trunk') trunks.push(values[0]);
    else if (table === 'event') events.set(values[0] as number, values);
  }
  const inOrder = [...events.values()].sort((a, b) => (a[0] as number) - (b[0] as number));
  for (const [, callId, status] of inOrder) if (status === 'completed') calls.set(callId as string, null);
  const numbers = store.transact(() =>
    store.ops.append({
      calls: [...calls].flat(),
      trunks,
      events: inOrder.flatMap(([, ...columns]) => columns.slice(0, 3) as string[]),
      takenAt: inOrder.map((values) => values[4] as number),
      journal: [],
      journalAt: 0,
    }),
  );
  return numbers.filter((number) => number !== repeated).length;
}
