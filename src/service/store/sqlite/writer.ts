import { workerData } from 'node:worker_threads';
import { steadyMs } from '../../steady-clock.ts';
import { customerWriter } from './customer-rows.ts';
import { directoryWriter } from './directory-rows.ts';
import { figureWriter } from './figure-rows.ts';
import { openForWriting } from './open.ts';
import { type PackedRequest, unpack } from './packed-request.ts';
import { recorder } from './recorder.ts';
import { serveThread } from './rpc.ts';
import { trimmer } from './trimmer.ts';
import { userWriter } from './user-rows.ts';

/** The thread that writes: everything that has come while the last commit was under way is the next one. */

const db = openForWriting(workerData.file);
const records = recorder(db, steadyMs);
const trimStep = trimmer(db, records.removed);

const insertLink = db.prepare('INSERT OR IGNORE INTO used_links VALUES (?, ?)');
const forgetLinks = db.prepare('DELETE FROM used_links WHERE until < ?');

const methods = {
  record: (...packed: PackedRequest) => records.record(unpack(packed)),
  trim(limits: Parameters<typeof trimStep>[0]): number {
    records.finish(); // it reads the counts: another step of this transaction may have lowered them
    return trimStep(limits);
  },
  /** Answered after everything that was asked before it. */
  catchUp(): void {},
  useLink(link: string, until: number, now: number): boolean {
    forgetLinks.run(now);
    return until >= now && insertLink.run(link, until).changes === 1;
  },
  ...directoryWriter(db),
  ...customerWriter(db),
  ...figureWriter(db),
  ...userWriter(db),
};

export type WriterMethods = typeof methods;

type Outcome = { value: unknown } | { error: unknown };

function transaction(calls: (() => unknown)[]): Outcome[] {
  try {
    const outcomes = calls.map((call) => ({ value: call() }));
    records.finish();
    db.exec('COMMIT');
    return outcomes;
  } catch (error) {
    records.forget();
    if (db.isTransaction) db.exec('ROLLBACK');
    // One of them may be at fault: each for itself, so that it fails alone.
    return calls.length === 1 ? [{ error }] : calls.flatMap((call) => runAll([call]));
  }
}

function runAll(calls: (() => unknown)[]): Outcome[] {
  try {
    db.exec('BEGIN IMMEDIATE');
  } catch (error) {
    return calls.map(() => ({ error })); // another process writes, and for longer than we wait
  }
  return transaction(calls);
}

serveThread({ methods, runAll, close: () => db.close() });
