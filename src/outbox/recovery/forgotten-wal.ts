import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { sync } from '../../storage/replace.ts';
import { repeated } from '../tables/intake.ts';
import type { Store } from '../worker/store.ts';
import { type SavedRow, salvageWal } from './salvage.ts';
import { firstForgottenFrame } from './wal.ts';

/** The WAL of which something is to be taken again, until that is done: a start may fail or be killed meanwhile. */
export const forgottenCopy = (path: string): string => `${path}-wal.forgotten`;

/**
 * The WALs of which SQLite forgets something: this one, and that of an earlier start that did not get to its end.
 * To be called before SQLite opens the file, since it may empty the WAL then. Keeps a copy, if the disk allows it.
 */
export function keepForgotten(path: string, wal: Buffer): Buffer[] {
  const copy = forgottenCopy(path);
  const earlier = existsSync(copy) ? [readFileSync(copy)] : [];
  if (firstForgottenFrame(wal) === undefined) return earlier;
  if (earlier.length === 0) tried(() => writeDurably(copy, wal));
  return [...earlier, wal];
}

/** All of it is taken: the copy becomes `aside`, or is deleted. True if there is a file of that name now. */
export function endForgotten(path: string, aside: string | undefined): boolean {
  const copy = forgottenCopy(path);
  rmSync(`${copy}.part`, { force: true });
  if (aside === undefined) rmSync(copy, { force: true });
  return aside !== undefined && tried(() => renameSync(copy, aside));
}

/** What cannot be is done without: a disk that is full must not keep us from taking what is in memory. */
function tried(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function writeDurably(path: string, bytes: Buffer): void {
  const fd = openSync(`${path}.part`, 'w', 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(`${path}.part`, path);
  sync(dirname(path));
}

/** Rows of the WAL from the first frame on that SQLite forgets. */
function forgottenRows(wal: Buffer): SavedRow[] {
  return [...salvageWal(wal, firstForgottenFrame(wal) ?? 0)];
}

/**
 * Takes what these WALs have and the database does not; gives how many events, and how many of those that had been
 * taken are missing still (undefined: not known). `repaired`: a repair has counted them already.
 */
export function takeAgain(
  { db, store }: { readonly db: DatabaseSync; readonly store: Store },
  wals: readonly Buffer[],
  repaired: boolean,
): { saved: number; lost: number | undefined } {
  const calls = new Map<string, string | null>();
  const events = new Map<number, readonly (string | number | null)[]>();
  const trunks: string[] = [];
  let newest: Counted | undefined;
  for (const { table, values } of wals.flatMap(forgottenRows)) {
    if (table === 'open_call') calls.set(values[0], values[1]);
    else if (table === 'trunk') trunks.push(values[0]);
    else if (table === 'event') events.set(values[0] as number, values);
    else if (table === 'tally') newest = newerOf(newest, countedIn(values as number[]));
  }
  const inOrder = [...events.values()].sort((a, b) => (a[0] as number) - (b[0] as number));
  for (const [, callId, status] of inOrder) if (status === 'completed') calls.set(callId as string, null);
  return store.transact(() => {
    const numbers = store.ops.append({
      calls: [...calls].flat(),
      trunks,
      events: inOrder.flatMap(([, ...columns]) => columns.slice(0, 3) as string[]),
      takenAt: inOrder.map((values) => values[4] as number),
      journal: '',
      journalAt: 0,
    });
    const saved = numbers.filter((number) => number !== repeated).length;
    if (repaired) return { saved, lost: 0 };
    const lost = newest && Math.max(0, newest.taken - store.ops.tally().taken);
    if (lost) db.prepare('UPDATE tally SET lost = lost + ?').run(lost);
    return { saved, lost };
  });
}

type Counted = { readonly taken: number; readonly lastSeq: number };

/** A row of counters, if it adds up. */
function countedIn([, taken, delivered, waiting, dead, , lastSeq]: readonly number[]): Counted | undefined {
  if (taken === undefined || lastSeq === undefined) return undefined;
  return taken === (delivered ?? 0) + (waiting ?? 0) + (dead ?? 0) ? { taken, lastSeq } : undefined;
}

function newerOf(one: Counted | undefined, other: Counted | undefined): Counted | undefined {
  return one && other && one.lastSeq > other.lastSeq ? one : (other ?? one);
}
