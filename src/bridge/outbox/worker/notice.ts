import type { LogFields } from '../../../shared/log/log.ts';
import type { MessageCode } from '../../../shared/log/messages.ts';

/** The state of the storage, for health checks. `full` and `failing`: nothing is stored at the moment. */
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
