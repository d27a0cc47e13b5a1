import { type MessagePort, parentPort, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** Calls from the service's thread to one that holds a database, many per message. */
// biome-ignore lint/suspicious/noExplicitAny: methods take whatever their caller's type says
export type Methods = Record<string, (...args: any[]) => unknown>;

type Call = [id: number, method: string, args: unknown[]];
type Result = [id: number, error: string | null, value: unknown];

export type Thread<M extends Methods> = {
  call<Name extends keyof M & string>(name: Name, ...args: Parameters<M[Name]>): Promise<ReturnType<M[Name]>>;
  /** Lets the calls under way end, then ends the thread. */
  close(): Promise<void>;
};

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
  let outbox: Call[] = [];
  let lastId = 0;
  let ended: Error | undefined;

  const end = (error: Error) => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  const flush = () => {
    worker.postMessage(outbox);
    outbox = [];
  };
  const settle = (results: Result[]) => {
    for (const [id, error, value] of results) {
      const promise = waiting.get(id);
      waiting.delete(id);
      if (error === null) promise?.resolve(value);
      else promise?.reject(new Error(error));
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
  worker.on('exit', () => end(new Error('the database is closed')));

  const call = (name: string, ...args: unknown[]): Promise<unknown> => {
    if (ended) return Promise.reject(ended);
    return new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      if (outbox.push([lastId, name, args]) === 1) setImmediate(flush);
    });
  };
  let closing: Promise<void> | undefined;
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
  port.on('message', (first: Call[] | 'close') => {
    const calls: Call[] = [];
    let closing = false;
    for (let message: Call[] | 'close' | undefined = first; message !== undefined; ) {
      if (message === 'close') closing = true;
      else calls.push(...message);
      message = receiveMessageOnPort(port)?.message;
    }
    const outcomes = options.runAll(
      calls.map(
        ([, name, args]) =>
          () =>
            (options.methods[name] as (...args: unknown[]) => unknown)(...args),
      ),
    );
    const results = outcomes.map((outcome, index): Result => {
      const id = calls[index]?.[0] ?? 0;
      return 'value' in outcome ? [id, null, outcome.value] : [id, String(outcome.error), undefined];
    });
    if (results.length > 0) port.postMessage(results);
    if (closing) {
      options.close();
      port.close();
    }
  });
  port.postMessage('ready');
}
