import { Worker } from 'node:worker_threads';
import { StorageRefused, StoreUnavailable } from './storage-error.ts';
import type { Answers, FromThread, Methods, ThreadRequest, ToThread } from './thread-messages.ts';

/** Most unanswered requests: while a disk hangs, clients that retry must not fill the memory. */
const mostWaiting = 20_000;
/** How long `askLater` waits for another request to share its message and commit, ms. */
const LATER_MS = 10;

/** How many answers are handed on in a turn of the event loop: what others wait for has its turn between them. */
const ANSWERS_PER_TURN = 50;

/** A thread that owns a database, as the main thread sees it. */
type Thread<M extends Methods> = {
  /** Resolves when this request and all earlier ones are done, and on disk. */
  ask<Name extends keyof M & string>(name: Name, ...args: Parameters<M[Name]>): Promise<ReturnType<M[Name]>>;
  /** The same, for requests that can wait: sent with the next request, or after LATER_MS, without a commit of their own. */
  askLater: Thread<M>['ask'];
  /** Transactions so far. */
  commits(): number;
  /** Resolves if the thread ends by itself. From then on every request is rejected. */
  readonly failed: Promise<Error>;
  /** Waits for the requests in progress, then ends the thread. */
  close(): Promise<void>;
};

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

type ThreadOptions<Notice> = {
  /** Called with messages that answer no request. */
  readonly onNotice?: (notice: Notice) => void;
};

/**
 * Starts a thread (a script that calls `serveThread`) with `data`, and waits until its database is open. Rejects with
 * StorageRefused when a rule forbids the start, or with the thread's error.
 */
export async function startThread<M extends Methods, Notice = never>(
  script: URL,
  data: unknown,
  { onNotice }: ThreadOptions<Notice> = {},
): Promise<Thread<M>> {
  const worker = new Worker(script, { workerData: data });
  const waiting = new Map<number, Waiting>();
  const unsent: ThreadRequest[] = [];
  let sending: NodeJS.Immediate | undefined;
  let sendingLater: NodeJS.Timeout | undefined;
  /** Answers that have come and were not handed on yet, in their order. */
  const answers: (() => void)[] = [];
  let settling: NodeJS.Immediate | undefined;
  let lastId = 0;
  let commits = 0;
  let dead: Error | undefined;
  const failed = Promise.withResolvers<Error>();
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();

  worker.on('message', (message: FromThread<Notice>) => {
    if (message.type === 'answers') {
      commits = message.answers.commits;
      answers.push(...settlements(message.answers));
      if (!settling) settle();
    } else if (message.type === 'notice') onNotice?.(message.notice);
    else if (message.type === 'ready') ready.resolve();
    else die(new (message.refused ? StorageRefused : Error)(message.message));
  });
  worker.on('error', (error) => die(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) => {
    die(new Error(`the storage thread ended with code ${code}`));
    ended.resolve();
  });

  /** Settles some requests in this turn of the event loop, and the rest in the next ones: a commit may answer thousands. */
  function settle(): void {
    for (const answer of answers.splice(0, ANSWERS_PER_TURN)) answer();
    settling = answers.length > 0 ? setImmediate(settle) : undefined;
  }

  function settlements({ done, values, errors }: Answers): (() => void)[] {
    const settled = done.map((id) => () => take(id)?.resolve(undefined));
    for (let at = 0; at < values.length; at += 2)
      settled.push(() => take(values[at] as number)?.resolve(values[at + 1]));
    for (const { id, message, isUnavailable } of errors)
      settled.push(() => take(id)?.reject(new (isUnavailable ? StoreUnavailable : Error)(message)));
    return settled;
  }

  function take(id: number): Waiting | undefined {
    const found = waiting.get(id);
    waiting.delete(id);
    return found;
  }

  function die(error: Error): void {
    for (const answer of answers.splice(0)) answer();
    if (!dead) {
      dead = error;
      failed.resolve(error);
      ready.reject(error);
    }
    for (const { reject } of waiting.values()) reject(dead);
    waiting.clear();
  }

  /** Posts all requests of this turn of the event loop in one message, since each message wakes the thread. */
  function send(): void {
    clearImmediate(sending);
    clearTimeout(sendingLater);
    sending = undefined;
    sendingLater = undefined;
    if (unsent.length > 0) worker.postMessage(unsent.splice(0) satisfies ToThread);
  }

  function ask(name: string, ...args: unknown[]): Promise<unknown> {
    sending ??= setImmediate(send);
    return request(name, args);
  }

  function askLater(name: string, ...args: unknown[]): Promise<unknown> {
    sendingLater ??= setTimeout(send, LATER_MS);
    return request(name, args);
  }

  function request(name: string, args: unknown[]): Promise<unknown> {
    if (dead) return Promise.reject(dead);
    if (waiting.size >= mostWaiting) return Promise.reject(new StoreUnavailable('the disk does not keep up'));
    const id = ++lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    waiting.set(id, { resolve, reject });
    unsent.push({ id, name, args });
    return promise;
  }

  await ready.promise;
  return {
    ask: ask as Thread<M>['ask'],
    askLater: askLater as Thread<M>['ask'],
    commits: () => commits,
    failed: failed.promise,
    async close() {
      if (!dead) {
        dead = new StoreUnavailable('the storage is closed');
        send();
        worker.postMessage('close' satisfies ToThread);
      }
      await ended.promise;
    },
  };
}
