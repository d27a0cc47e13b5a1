import { workerData } from 'node:worker_threads';
import { answerEach } from '../../../storage/answer.ts';
import { serveThread } from '../../../storage/serve-thread.ts';
import { callReader } from './call-reader.ts';
import { customerReader } from './customer-rows.ts';
import { directoryReader } from './directory-rows.ts';
import { figureReader } from './figure-rows.ts';
import { historyReader } from './history-reader.ts';
import { openForReading } from './open.ts';
import { userReader } from './user-rows.ts';

/** The thread that reads: never waits for a commit, and never makes one wait. */

const db = openForReading(workerData.file);
const methods = {
  ...callReader(db),
  ...directoryReader(db),
  ...customerReader(db),
  ...figureReader(db),
  ...historyReader(db),
  ...userReader(db),
};

export type ReaderMethods = typeof methods;

serveThread(() => ({ run: answerEach(methods), close: () => db.close() }));
