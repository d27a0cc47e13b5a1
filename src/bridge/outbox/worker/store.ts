import type { DatabaseSync } from 'node:sqlite';
import type { LogFields } from '../../../shared/log/log.ts';
import type { MessageCode } from '../../../shared/log/messages.ts';
import { createTransact } from '../../../shared/storage/open-database.ts';
import { checkAll } from '../recovery/check.ts';
import { createBackfillTable } from '../tables/backfill.ts';
import { createCounterKeeper } from '../tables/counters.ts';
import { createDueEvents } from '../tables/due-events.ts';
import { createHistory } from '../tables/history.ts';
import { createIntake } from '../tables/intake.ts';
import { createJournal, createLedger } from '../tables/ledger.ts';
import { createOutcomes } from '../tables/outcomes.ts';
import { createRequeuer } from '../tables/requeue.ts';
import { createTrunkTable } from '../tables/trunks.ts';

/** Everything that can be asked of an open database, synchronously: the worker's side of the outbox. */
export type Store = ReturnType<typeof createStore>;

/** What can be asked of it by name, across the threads. */
export type StoreOps = Store['ops'];
export type StoreOp = keyof StoreOps;

export function createStore(db: DatabaseSync) {
  const counters = createCounterKeeper(db);
  const { writeLines, pruneJournal } = createJournal(db);
  const requeuer = createRequeuer(db);
  const { trunks, saveTrunks } = createTrunkTable(db);
  const { writeLedger, checkpoint, unreported, ledgerEntries, callIdsFrom, pruneUnreported } =
    createLedger(db);
  const { backfill, saveBackfill } = createBackfillTable(db);
  const openCalls = db.prepare('SELECT id, state FROM open_call ORDER BY rowid');
  const ops = {
    ...createIntake(db, counters, writeLines, saveTrunks, writeLedger, saveBackfill),
    trunks,
    /** What a start needs to go on where the last one ended. */
    load: () => ({
      calls: openCalls.all() as { id: string; state: string }[],
      trunks: trunks(),
      unreported: unreported(),
      cdrCheckpoint: checkpoint(),
    }),
    ledgerEntries,
    callIdsFrom,
    backfill,
    saveDryBackfill: (text: string) => saveBackfill('dry', text),
    pruneUnreported,
    pruneJournal,
    ...createDueEvents(db),
    ...createOutcomes(db, counters),
    ...createHistory(db),
    sendAgain: (seqs: readonly number[], at: number) => requeuer.sendAgain(seqs, counters, at),
    counters: () => counters.read(),
    check: () => checkAll(db, 'quick_check'),
  };
  return {
    ops,
    transact: createTransact(db, {
      beforeCommit: counters.flush,
      committed: counters.committed,
      rolledBack: counters.rolledBack,
    }),
  };
}

/** The state of the storage, for health checks. In all but `working`, nothing is stored at the moment. */
export type StorageState = {
  readonly state: 'working' | 'full' | 'failing' | 'moved';
  /** One line for people, when it is not working. */
  readonly error?: string;
};

/** What the thread says by itself. */
export type Notice =
  /** The folder is ours; the database is not open yet. */
  | { readonly type: 'locked' }
  | { readonly type: 'storage'; readonly storage: StorageState }
  | { readonly type: 'say'; readonly code: MessageCode; readonly fields: LogFields };
