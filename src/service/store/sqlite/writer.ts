import { workerData } from 'node:worker_threads';
import { answerTogether } from '../../../storage/answer.ts';
import { serveThread } from '../../../storage/serve-thread.ts';
import { createTransact } from '../../../storage/transact.ts';
import { steadyMs } from '../../upkeep/steady-clock.ts';
import { customerWriter } from './customer-rows.ts';
import { directoryWriter } from './directory-rows.ts';
import { figureWriter } from './figure-rows.ts';
import { openForWriting } from './open.ts';
import { recorder } from './recorder.ts';
import { trimmer } from './trimmer.ts';
import { userWriter } from './user-rows.ts';

/** The thread that writes: everything that has come while the last commit was under way is the next one. */

const db = openForWriting(workerData.file);
const records = recorder(db, steadyMs);
const trimStep = trimmer(db, records.removed);

const methods = {
  record: records.record,
  trim(limits: Parameters<typeof trimStep>[0]): number {
    records.finish(); // it reads the counts: another step of this transaction may have lowered them
    return trimStep(limits);
  },
  /** Answered after everything that was asked before it. */
  catchUp(): void {},
  ...directoryWriter(db),
  ...customerWriter(db),
  ...figureWriter(db),
  ...userWriter(db),
};

export type WriterMethods = typeof methods;

const transact = createTransact(db, {
  beforeCommit: () => records.finish(),
  rolledBack: () => records.forget(),
});

serveThread(() => ({ run: answerTogether(methods, transact), close: () => db.close() }));
