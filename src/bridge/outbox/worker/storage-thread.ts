import type { Log } from '../../../shared/log/log.ts';
import { startThread } from '../../../shared/storage/thread.ts';
import type { KeeperOptions } from './keeper.ts';
import type { Notice, StorageState } from './notice.ts';
import type { StoreOps } from './store.ts';

const workerScript = new URL('./worker.ts', import.meta.url);

/** Starts the outbox's thread; see `startThread`. */
export async function startStorageThread(
  options: KeeperOptions,
  { log, onHeld, script = workerScript }: { log: Log; onHeld?: (() => void) | undefined; script?: URL },
) {
  let storage: StorageState = { state: 'working' };
  const onNotice = (notice: Notice): void => {
    if (notice.type === 'held') onHeld?.();
    else if (notice.type === 'storage') storage = notice.storage;
    else log.say(notice.code, notice.fields);
  };
  const thread = await startThread<StoreOps, Notice>(script, options, { onNotice });
  return { ...thread, storage: () => storage };
}
