import type { SQLOutputValue } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import type { CallRecord } from '../../call-record.ts';
import { callColumns, callOf } from './call-rows.ts';
import { customerReader } from './customer-rows.ts';
import { directoryReader } from './directory-rows.ts';
import { historyReader } from './history-reader.ts';
import { openForReading } from './open.ts';
import { serveThread } from './rpc.ts';
import { userReader } from './user-rows.ts';

/** The thread that reads: never waits for a commit, and never makes one wait. */

const db = openForReading(workerData.file);
const open = db.prepare(
  `SELECT ${callColumns} FROM calls WHERE account_id = ? AND status <> 'completed' ORDER BY started_at DESC, id DESC LIMIT ?`,
);
open.setReturnArrays(true);

const missed = db.prepare(
  `SELECT ${callColumns} FROM calls WHERE account_id = ? AND missed = 1 AND completed_at >= ?
   ORDER BY completed_at DESC, id DESC LIMIT ?`,
);
missed.setReturnArrays(true);

const methods = {
  openCalls: (account: number, max: number): CallRecord[] =>
    (open.all(account, max) as unknown as SQLOutputValue[][]).map(callOf).toReversed(),
  missedCalls: (account: number, since: number, max: number): CallRecord[] =>
    (missed.all(account, since, max) as unknown as SQLOutputValue[][]).map(callOf).toReversed(),
  ...directoryReader(db),
  ...customerReader(db),
  ...historyReader(db),
  ...userReader(db),
};

export type ReaderMethods = typeof methods;

serveThread({
  methods,
  runAll: (calls) =>
    calls.map((call) => {
      try {
        return { value: call() };
      } catch (error) {
        return { error };
      }
    }),
  close: () => db.close(),
});
