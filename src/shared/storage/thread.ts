import { Worker } from 'node:worker_threads';
import { createPendingRequests } from './pending-requests.ts';
import { StorageRefused, StoreUnavailable } from './storage-error.ts';
import type { FromThread, Methods, ThreadRequest, ToThread } from './thread-messages.ts';

/** How long `requestLater` waits for another request to share its message and commit, ms. */
const LATER_MS = 10;

/** How many answers are handed on in a turn of the event loop: what others wait for has its turn between them. */
const ANSWERS_PER_TURN = 50;

/** A thread that owns a database, as the main thread sees it. */
type Thread<M extends Methods> = {
  /** Resolves when this request and all earlier ones are done, and on disk. */
  request<Name extends keyof M & string>(
    name: Name,
    ...args: Parameters<M[Name]>
  ): Promise<ReturnType<M[Name]>>;
  /** The same, for requests that can wait: sent with the next request, or after LATER_MS, without a commit of their own. */
  requestLater: Thread<M>['request'];
  /** Transactions so far. */
  commits(): number;
  /** Resolves if the thread ends by itself. From then on every request is rejected. */
  readonly failed: Promise<Error>;
  /** Waits for the requests in progress, then ends the thread. */
  close(): Promise<void>;
};

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
  const pending = createPendingRequests();
  const batch = createBatch((requests) => worker.postMessage(requests satisfies ToThread));
  const failed = Promise.withResolvers<Error>();
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let settling: NodeJS.Immediate | undefined;
  let commits = 0;

  worker.on('message', (message: FromThread<Notice>) => {
    if (message.type === 'answers') {
      commits = message.answers.commits;
      pending.answered(message.answers);
      if (!settling) settle();
    } else if (message.type === 'notice') onNotice?.(message.notice);
    else if (message.type === 'ready') ready.resolve();
    else end(new (message.refused ? StorageRefused : Error)(message.message));
  });
  worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) => {
    end(new Error(`the storage thread ended with code ${code}`));
    ended.resolve();
  });

  /** Settles some requests in this turn of the event loop, and the rest in the next ones: a commit may answer thousands. */
  function settle(): void {
    settling = pending.settle(ANSWERS_PER_TURN) ? setImmediate(settle) : undefined;
  }

  /** Unless `close` was called before, the thread has ended by itself. */
  function end(error: Error): void {
    pending.settle();
    if (pending.refuse(error)) {
      failed.resolve(error);
      ready.reject(error);
    }
    pending.rejectAll();
  }

  await ready.promise;
  return {
    request: ((name, ...args) => pending.add(name, args, batch.addNow)) as Thread<M>['request'],
    requestLater: ((name, ...args) => pending.add(name, args, batch.addLater)) as Thread<M>['request'],
    commits: () => commits,
    failed: failed.promise,
    async close() {
      if (pending.refuse(new StoreUnavailable('the storage is closed'))) {
        batch.send();
        worker.postMessage('close' satisfies ToThread);
      }
      await ended.promise;
    },
  };
}

/** All requests of a turn of the event loop go in one message, since each message wakes the thread. */
function createBatch(post: (requests: readonly ThreadRequest[]) => void) {
  const unsent: ThreadRequest[] = [];
  let soon: NodeJS.Immediate | undefined;
  let later: NodeJS.Timeout | undefined;

  function send(): void {
    clearImmediate(soon);
    clearTimeout(later);
    soon = undefined;
    later = undefined;
    if (unsent.length > 0) post(unsent.splice(0));
  }

  return {
    send,
    addNow(request: ThreadRequest): void {
      unsent.push(request);
      soon ??= setImmediate(send);
    },
    addLater(request: ThreadRequest): void {
      unsent.push(request);
      later ??= setTimeout(send, LATER_MS);
    },
  };
}
