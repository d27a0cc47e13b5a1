import { workerData } from 'node:worker_threads';
import type { Log } from '../../../shared/log/log.ts';
import { type Main, serveThread } from '../../../shared/storage/serve-thread.ts';
import { createKeeper, type KeeperOptions } from './keeper.ts';
import type { Notice } from './store.ts';

// The thread that owns the outbox's database.

serveThread<Notice>((main) =>
  createKeeper(workerData as KeeperOptions, { main, log: logTo(main), now: Date.now }),
);

/** Lines go over to the main thread, which writes the log. */
function logTo({ notify }: Main<Notice>): Log {
  const log: Log = { say: (code, fields = {}) => notify({ type: 'say', code, fields }), child: () => log };
  return log;
}
