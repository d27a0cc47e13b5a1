import { workerData } from 'node:worker_threads';
import { answerEach } from '../../shared/storage/answer.ts';
import { serveThread } from '../../shared/storage/serve-thread.ts';
import { historyEntries } from '../history/history-entries-sqlite.ts';
import { figureReader } from '../reports/figure-rows-sqlite.ts';
import { openForReading, statementRunner } from '../store/sqlite/open.ts';

/** The thread that reads: never waits for a commit, and never makes one wait. */

const db = openForReading(workerData.file);
const methods = {
  ...figureReader(db),
  historyEntries: historyEntries(db),
  rows: statementRunner(db),
};

export type ReaderMethods = typeof methods;

serveThread(() => ({ run: answerEach(methods), close: () => db.close() }));
