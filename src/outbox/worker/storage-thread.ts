import type { Log, LogFields } from '../../log/log.ts';
import type { MessageCode } from '../../log/messages.ts';
import { startThread } from '../../storage/thread.ts';
import type { KeeperOptions } from './keeper.ts';
import type { StoreOps } from './store.ts';

/** How storage is: for health. `full` and `failing` mean that nothing new is taken at the moment. */
export type StorageState = {
  readonly state: 'working' | 'full' | 'failing';
  /** One line for people, when it is not working. */
  readonly error?: string;
};

/** What the thread says by itself. */
export type Notice =
  /** The folder is ours; the database is not open yet. */
  | { readonly type: 'held' }
  | { readonly type: 'storage'; readonly storage: StorageState }
  | { readonly type: 'say'; readonly code: MessageCode; readonly fields: LogFields };

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
