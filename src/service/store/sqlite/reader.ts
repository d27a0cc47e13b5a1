import { workerData } from 'node:worker_threads';
import { answerEach } from '../../../storage/answer.ts';
import { serveThread } from '../../../storage/serve-thread.ts';
import { figureReader } from './figure-rows.ts';
import { historyEntries } from './history-entries.ts';
import { openForReading } from './open.ts';
import { statementRunner } from './statement-runner.ts';

/** The thread that reads: never waits for a commit, and never makes one wait. */

const db = openForReading(workerData.file);
const methods = {
  ...figureReader(db),
  historyEntries: historyEntries(db),
  rows: statementRunner(db),
};

export type ReaderMethods = typeof methods;

serveThread(() => ({ run: answerEach(methods), close: () => db.close() }));
