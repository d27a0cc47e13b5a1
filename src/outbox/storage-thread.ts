import { Worker } from 'node:worker_threads';
import type { Log } from '../ops/log.ts';
import { OutboxRefused } from './database.ts';
import type { Ask, StoreOp, StoreOps } from './store.ts';
import type { FromWorker, Numbered, StorageState, ToWorker, WorkerOptions } from './worker-messages.ts';

/** Messages that may be under way: one that is being written, one that waits its turn. The rest is gathered here. */
const mostUnderWay = 2;

type Waiting = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void };

/** The storage thread as the main thread sees it. */
export type StorageThread = Awaited<ReturnType<typeof startStorageThread>>;

/** Starts the worker and waits until its database is open. Rejects with OutboxRefused when a rule forbids the start. */
export async function startStorageThread(options: WorkerOptions, log: Log) {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: options });
  const waiting = new Map<number, Waiting>();
  let gathered: Numbered[] = [];
  let underWay = 0;
  let lastId = 0;
  let flushing = false;
  let storage: StorageState = { state: 'working' };
  let commits = 0;
  let dead: Error | undefined;
  const failed = Promise.withResolvers<Error>();
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();

  worker.on('message', (message: FromWorker) => {
    if (message.type === 'done') {
      const { ids, values, refused } = message.answers;
      underWay -= message.messages;
      commits = message.commits;
      ids.forEach((id, i) => {
        claim(id)?.resolve(values[i] as never);
      });
      for (const { id, message: why } of refused) claim(id)?.reject(new Error(why));
      flush();
    } else if (message.type === 'storage') storage = message.storage;
    else if (message.type === 'say') log.say(message.code, message.fields);
    else if (message.type === 'ready') ready.resolve();
    else die(new (message.refused ? OutboxRefused : Error)(message.message));
  });
  worker.on('error', (error) => die(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) => {
    die(new Error(`the storage thread ended with code ${code}`));
    ended.resolve();
  });

  function claim(id: number): Waiting | undefined {
    const found = waiting.get(id);
    waiting.delete(id);
    return found;
  }

  function die(error: Error): void {
    if (!dead) {
      dead = error;
      failed.resolve(error);
      ready.reject(error);
    }
    for (const { reject } of waiting.values()) reject(dead);
    waiting.clear();
  }

  function flush(): void {
    flushing = false;
    if (dead) return;
    while (gathered.length > 0 && underWay < mostUnderWay) {
      underWay++;
      worker.postMessage(gathered satisfies ToWorker);
      gathered = [];
    }
  }

  /** Puts a question to the store; answered when everything asked before it is on disk. */
  function ask<K extends StoreOp>(op: K, ...args: Parameters<StoreOps[K]>): Promise<ReturnType<StoreOps[K]>> {
    if (dead) return Promise.reject(dead);
    const id = ++lastId;
    gathered.push({ id, ask: { op, args } as unknown as Ask });
    if (!flushing) {
      flushing = true;
      queueMicrotask(flush);
    }
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<StoreOps[K]>>();
    waiting.set(id, { resolve, reject });
    return promise;
  }

  await ready.promise;
  return {
    ask,
    failed: failed.promise,
    storage: () => storage,
    commits: () => commits,
    async close(): Promise<void> {
      if (!dead) {
        flush();
        dead = new Error('the outbox is closed');
        worker.postMessage('close' satisfies ToWorker);
      }
      await ended.promise;
    },
  };
}
