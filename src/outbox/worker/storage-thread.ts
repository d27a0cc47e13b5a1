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
export type Told =
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
  const onTold = (told: Told): void => {
    if (told.type === 'held') onHeld?.();
    else if (told.type === 'storage') storage = told.storage;
    else log.say(told.code, told.fields);
  };
  const thread = await startThread<StoreOps, Told>(script, options, { onTold });
  return { ...thread, storage: () => storage };
}
