import { workerData } from 'node:worker_threads';
import { answerTogether } from '../../shared/storage/answer.ts';
import { createTransact } from '../../shared/storage/open-database.ts';
import { serveThread } from '../../shared/storage/serve-thread.ts';
import { trimmer } from '../history/history-entries-sqlite.ts';
import { customerWriter } from '../people/customer-writer-sqlite.ts';
import { figureWriter } from '../reports/figure-rows-sqlite.ts';
import { monotonicMs } from '../store/monotonic-clock.ts';
import { openForWriting } from '../store/sqlite/open.ts';
import { statementRunner } from '../store/sqlite/statement-runner.ts';
import { recorder } from './sqlite-recorder.ts';

/** The thread that writes: requests that come during a commit make the next one. */

const db = openForWriting(workerData.file);
const records = recorder(db, monotonicMs);
const trimStep = trimmer(db, records.removed);

const methods = {
  record: records.record,
  trim(limits: Parameters<typeof trimStep>[0]): number {
    records.finish(); // reads the counts again: another step of this transaction may have lowered them
    return trimStep(limits);
  },
  /** Answered after all requests before it. */
  catchUp(): void {},
  putCustomers: customerWriter(db),
  ...figureWriter(db),
  rows: statementRunner(db),
};

export type WriterMethods = typeof methods;

const transact = createTransact(db, {
  beforeCommit: () => records.finish(),
  rolledBack: () => records.forget(),
});

serveThread(() => ({ run: answerTogether(methods, transact), close: () => db.close() }));
