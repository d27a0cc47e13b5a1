import { Worker } from 'node:worker_threads';
import type { Log } from '../ops/log.ts';
import { OutboxRefused } from './database.ts';
import type { IntakeBatch } from './intake.ts';
import type { Ask, StoreOp, StoreOps } from './store.ts';
import type { FromWorker, Numbered, StorageState, ToWorker, WorkerOptions } from './worker-messages.ts';

/** Messages that may be under way: one that is being written, one that waits its turn. The rest is gathered here, */
const enoughUnderWay = 2;

/** unless there is so much that a full message can go already. */
const mostUnderWay = 32;

/** Rows in a full message: copying many more at once would hold up the main thread. */
const fullMessage = 1_000;

const workerScript = new URL('./worker.ts', import.meta.url);

type Waiting = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void };

/** The thread's rows are short-lived: more room for them only makes the process bigger, by V8's default 50 MB. */
const YOUNG_MB = 6;

/** The storage thread as the main thread sees it. */
export type StorageThread = Awaited<ReturnType<typeof startStorageThread>>;

/**
 * Starts the worker and waits until its database is open. Rejects with OutboxRefused when a rule forbids the start.
 * `failed` resolves when the thread ends by itself, and everything is rejected from then on: there is no storage then.
 */
export async function startStorageThread(options: WorkerOptions, log: Log, script = workerScript) {
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
  const worker = new Worker(script, { workerData: options, resourceLimits });
  const waiting = new Map<number, Waiting>();
  let gathered: Numbered[] = [];
  let gatheredRows = 0;
  const full: Numbered[][] = [];
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
    while (full.length > 0 && underWay < mostUnderWay) post(full.shift() as Numbered[]);
    if (gathered.length > 0 && full.length === 0 && underWay < enoughUnderWay) post(takeGathered());
  }

  function post(asks: Numbered[]): void {
    underWay++;
    worker.postMessage(asks satisfies ToWorker);
  }

  function takeGathered(): Numbered[] {
    const taken = gathered;
    gathered = [];
    gatheredRows = 0;
    return taken;
  }

  function weigh(rows: number): void {
    gatheredRows += rows;
    if (gatheredRows >= fullMessage) full.push(takeGathered());
    if (flushing) return;
    flushing = true;
    queueMicrotask(flush);
  }

  /** Puts a question to the store; answered when everything asked before it is on disk. */
  function ask<K extends StoreOp>(op: K, ...args: Parameters<StoreOps[K]>): Promise<ReturnType<StoreOps[K]>> {
    if (dead) return Promise.reject(dead);
    const id = ++lastId;
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<StoreOps[K]>>();
    waiting.set(id, { resolve, reject });
    gathered.push({ id, ask: { op, args } as unknown as Ask });
    weigh(1);
    return promise;
  }

  let gatheredIntake: { batch: IntakeBatch; numbers: Promise<number[]> } | undefined;

  /**
   * Asks to `append`. What is appended while the thread is busy becomes one question: it is written with fewer
   * statements, and crosses over as one object instead of many.
   */
  async function append(batch: IntakeBatch): Promise<number[]> {
    const count = batch.takenAt.length;
    let intake = gatheredIntake;
    let from = 0;
    if (intake && gathered.at(-1)?.ask.args[0] === intake.batch) {
      from = intake.batch.takenAt.length;
      addTo(intake.batch, batch);
    } else {
      intake = { batch, numbers: ask('append', batch) };
      gatheredIntake = intake;
    }
    weigh(count);
    const numbers = await intake.numbers;
    return numbers.slice(from, from + count);
  }

  await ready.promise;
  return {
    ask,
    append,
    failed: failed.promise,
    storage: () => storage,
    commits: () => commits,
    async close(): Promise<void> {
      if (!dead) {
        for (const asks of [...full.splice(0), takeGathered()]) post(asks);
        dead = new Error('the outbox is closed');
        worker.postMessage('close' satisfies ToWorker);
      }
      await ended.promise;
    },
  };
}

function addTo(all: IntakeBatch, { calls, trunks, events, takenAt, journal, journalAt }: IntakeBatch): void {
  for (const one of calls) all.calls.push(one);
  for (const one of trunks) all.trunks.push(one);
  for (const one of events) all.events.push(one);
  for (const one of takenAt) all.takenAt.push(one);
  if (journal !== '') all.journal += all.journal === '' ? journal : `\n${journal}`;
  all.journalAt = Math.max(all.journalAt, journalAt);
}
