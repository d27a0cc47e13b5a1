import { type MessagePort, parentPort, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** Calls from the service's thread to one that holds a database, many per message. */
// biome-ignore lint/suspicious/noExplicitAny: methods take whatever their caller's type says
export type Methods = Record<string, (...args: any[]) => unknown>;

/** Calls one behind the other: id, method, how many arguments, the arguments. Flat, as this is cheap to clone. */
type Calls = unknown[];
/** `done` are the calls that ended with nothing to tell; `values` and `errors` go in pairs with their call. */
type Results = { done: number[]; values: unknown[]; errors: unknown[] };

export type Thread<M extends Methods> = {
  call<Name extends keyof M & string>(name: Name, ...args: Parameters<M[Name]>): Promise<ReturnType<M[Name]>>;
  /** Lets the calls under way end, then ends the thread. */
  close(): Promise<void>;
};

/** Calls that may wait: a disk that hangs must not fill the memory with what clients send again and again. */
const MOST_WAITING = 20_000;

/**
 * Starts a thread; resolves when it has opened its database. Calls of one turn of the event loop go in one message.
 * `fail` is told if the thread ends by itself.
 */
export async function startThread<M extends Methods>(
  script: URL,
  data: unknown,
  fail: (error: Error) => void,
): Promise<Thread<M>> {
  const worker = new Worker(script, { workerData: data });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let outbox: Calls = [];
  let lastId = 0;
  let ended: Error | undefined;
  let closing: Promise<void> | undefined;

  const end = (error: Error) => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  const flush = () => {
    worker.postMessage(outbox);
    outbox = [];
  };
  const take = (id: number) => {
    const promise = waiting.get(id);
    waiting.delete(id);
    return promise;
  };
  const settle = ({ done, values, errors }: Results) => {
    for (const id of done) take(id)?.resolve(undefined);
    for (let at = 0; at < values.length; at += 2) take(values[at] as number)?.resolve(values[at + 1]);
    for (let at = 0; at < errors.length; at += 2) {
      take(errors[at] as number)?.reject(new Error(errors[at + 1] as string));
    }
  };

  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the database thread ended while it started')));
  });
  worker.on('message', settle);
  worker.on('error', (error) => {
    end(error as Error);
    fail(error as Error);
  });
  worker.on('exit', () => {
    const error = new Error(closing ? 'the database is closed' : 'the thread of the database ended');
    if (!closing && !ended) fail(error);
    end(error);
  });

  const call = (name: string, ...args: unknown[]): Promise<unknown> => {
    if (ended) return Promise.reject(ended);
    if (waiting.size >= MOST_WAITING) return Promise.reject(new Error('the disk does not keep up'));
    return new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      if (outbox.length === 0) setImmediate(flush);
      outbox.push(lastId, name, args.length, ...args);
    });
  };
  return {
    call: call as Thread<M>['call'],
    close: () => {
      closing ??= (async () => {
        const gone = new Promise((resolve) => worker.once('exit', resolve));
        if (ended) return;
        setImmediate(() => worker.postMessage('close'));
        await gone;
      })();
      return closing;
    },
  };
}

/**
 * The thread's side: answers calls until told to close. `runAll` runs the calls that have come together, in order;
 * a writer makes one transaction of them (group commit).
 */
export function serveThread(options: {
  methods: Methods;
  runAll(calls: (() => unknown)[]): ({ value: unknown } | { error: unknown })[];
  close(): void;
}): void {
  const port = parentPort as MessagePort;
  port.on('message', (first: Calls | 'close') => {
    const ids: number[] = [];
    const calls: (() => unknown)[] = [];
    let closing = false;
    for (let message: Calls | 'close' | undefined = first; message !== undefined; ) {
      if (message === 'close') closing = true;
      else readCalls(message, options.methods, ids, calls);
      message = receiveMessageOnPort(port)?.message;
    }
    if (calls.length > 0) port.postMessage(resultsOf(ids, options.runAll(calls)));
    if (closing) {
      options.close();
      port.close();
    }
  });
  port.postMessage('ready');
}

function readCalls(message: Calls, methods: Methods, ids: number[], calls: (() => unknown)[]): void {
  for (let at = 0; at < message.length; ) {
    const [id, name, count] = message.slice(at, at + 3) as [number, string, number];
    const args = message.slice(at + 3, at + 3 + count);
    const method = methods[name] as (...args: unknown[]) => unknown;
    ids.push(id);
    calls.push(() => method(...args));
    at += 3 + count;
  }
}

function resultsOf(
  ids: readonly number[],
  outcomes: readonly ({ value: unknown } | { error: unknown })[],
): Results {
  const results: Results = { done: [], values: [], errors: [] };
  for (const [index, outcome] of outcomes.entries()) {
    const id = ids[index] as number;
    if ('error' in outcome) results.errors.push(id, String(outcome.error));
    else if (outcome.value === undefined) results.done.push(id);
    else results.values.push(id, outcome.value);
  }
  return results;
}
