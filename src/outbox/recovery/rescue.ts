import { existsSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../log/log.ts';
import { openForReading } from '../../storage/open-database.ts';
import { messageOf } from '../../storage/trouble.ts';
import { slots } from '../tables/outcomes.ts';
import type { Adoptable } from './adoption.ts';
import { unsavedMark, unsavedOf } from './quick-repair.ts';

const workerScript = new URL('./rescue-worker.ts', import.meta.url);

/** Events that are taken over in one step; what is asked of the outbox meanwhile waits for one step at most. */
const step = 1_000;

/** How long trouble is waited out, ms. */
const retryMs = 5_000;

export type Rescue = {
  /** To be called when the database is open: begins, or goes on. */
  begin(): void;
  close(): void;
};

/**
 * Brings the rest of damaged files home that `repairQuickly` has set aside: a thread saves what can be read into a
 * database beside the file, and from there it is taken over in steps, in order. Killed at any moment, the next start
 * begins it anew: what is here already is left alone.
 */
export function createRescue(
  path: string,
  {
    adopt,
    lose,
    log,
  }: {
    /** Takes rows over, on disk when it returns; throws if the database will not have them now. */
    readonly adopt: (rows: Adoptable) => void;
    /** Raises the count of lost events to this. */
    readonly lose: (lost: number) => void;
    readonly log: Log;
  },
): Rescue {
  let aside: string | undefined;
  let worker: Worker | undefined;
  let saved: DatabaseSync | undefined;
  let timer: NodeJS.Timeout | undefined;
  let after = 0;
  let closed = false;
  let complained = false;

  function begin(): void {
    if (closed || aside !== undefined) return;
    for (const file of unsavedOf(path)) {
      if (existsSync(file)) aside ??= file;
      // Its repair was killed before it set anything aside, or somebody has deleted it.
      else rmSync(unsavedMark(file), { force: true });
    }
    if (aside === undefined) return;
    after = 0;
    if (existsSync(target(aside))) takeOver();
    else save(aside);
  }

  function save(file: string): void {
    worker = new Worker(workerScript, { workerData: { aside: file, target: target(file) } });
    worker.once('error', complain);
    worker.once('exit', (code) => {
      worker = undefined;
      if (closed) return;
      if (code === 0) takeOver();
      else again();
    });
  }

  function takeOver(): void {
    try {
      const file = aside as string;
      saved ??= openForReading(target(file));
      const rows = rowsAfter(saved, after);
      adopt(rows);
      const last = rows.events.at(-1)?.seq as number | undefined;
      if (last === undefined) end(file, saved);
      else {
        after = last;
        timer = setTimeout(takeOver);
      }
    } catch (error) {
      complain(error);
      again();
    }
  }

  function end(file: string, from: DatabaseSync): void {
    const counted = from
      .prepare('SELECT waiting, lost, (SELECT count(*) FROM event) AS saved FROM tally')
      .get() as Record<'waiting' | 'lost' | 'saved', number>;
    lose(counted.lost);
    log.say('outbox.rescued', { aside: file, ...counted });
    stopReading();
    rmSync(target(file), { force: true });
    rmSync(unsavedMark(file), { force: true });
    aside = undefined;
    complained = false;
    begin();
  }

  function again(): void {
    stopReading();
    aside = undefined;
    timer = setTimeout(begin, retryMs);
  }

  function complain(error: unknown): void {
    if (!complained && !closed) log.say('outbox.rescue-failed', { aside, error: messageOf(error) });
    complained = true;
  }

  function stopReading(): void {
    saved?.close();
    saved = undefined;
  }

  return {
    begin,
    close() {
      closed = true;
      clearTimeout(timer);
      void worker?.terminate();
      stopReading();
    },
  };
}

function target(aside: string): string {
  return `${aside}.saved`;
}

function rowsAfter(db: DatabaseSync, seq: number): Adoptable {
  const events = db.prepare('SELECT * FROM event WHERE seq > ? ORDER BY seq LIMIT ?').all(seq, step);
  const last = events.at(-1)?.seq as number | undefined;
  if (last === undefined) return { events, attempts: [] };
  const attempts = db
    .prepare('SELECT * FROM attempt WHERE id >= ? AND id < ?')
    .all((seq + 1) * slots, (last + 1) * slots);
  return { events, attempts };
}
