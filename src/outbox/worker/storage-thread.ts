import type { Log, LogFields } from '../../log/log.ts';
import type { MessageCode } from '../../log/messages.ts';
import { startThread } from '../../storage/thread.ts';
import type { IntakeBatch } from '../tables/intake.ts';
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
  let gathered: { batch: IntakeBatch; numbers: Promise<number[]> } | undefined;

  /**
   * Asks to `append`. What is appended while the thread is busy becomes one call: it is written with fewer statements,
   * and crosses over as one object instead of many.
   */
  async function append(batch: IntakeBatch): Promise<number[]> {
    const count = batch.takenAt.length;
    let intake = gathered;
    let from = 0;
    if (intake && thread.unsent() === intake.batch) {
      from = intake.batch.takenAt.length;
      addTo(intake.batch, batch);
    } else {
      intake = { batch, numbers: thread.call('append', batch) };
      gathered = intake;
    }
    thread.weigh(count);
    const numbers = await intake.numbers;
    return numbers.slice(from, from + count);
  }

  return { ...thread, append, storage: () => storage };
}

function addTo(all: IntakeBatch, { calls, trunks, events, takenAt, journal, journalAt }: IntakeBatch): void {
  for (const one of calls) all.calls.push(one);
  for (const one of trunks) all.trunks.push(one);
  for (const one of events) all.events.push(one);
  for (const one of takenAt) all.takenAt.push(one);
  if (journal !== '') all.journal += all.journal === '' ? journal : `\n${journal}`;
  all.journalAt = Math.max(all.journalAt, journalAt);
}
