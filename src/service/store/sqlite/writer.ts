import { workerData } from 'node:worker_threads';
import { answerTogether } from '../../../storage/answer.ts';
import { serveThread } from '../../../storage/serve-thread.ts';
import { createTransact } from '../../../storage/transact.ts';
import { monotonicMs } from '../../upkeep/monotonic-clock.ts';
import { customerWriter } from './customer-writer.ts';
import { figureWriter } from './figure-rows.ts';
import { openForWriting } from './open.ts';
import { recorder } from './recorder.ts';
import { statementRunner } from './statement-runner.ts';
import { trimmer } from './trimmer.ts';

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
