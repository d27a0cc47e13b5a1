import { workerData } from 'node:worker_threads';
import { answerEach } from './answer.ts';
import { serveThread } from './serve-thread.ts';
import { StorageRefused } from './storage-error.ts';

/** A thread for tests: answers, refuses, and dies on request. */
if (workerData === 'no start') throw new Error('cannot open');
if (workerData === 'refused') {
  serveThread(() => {
    throw new StorageRefused('not on this disk');
  });
}

let together = 0;
const methods = {
  /** How many requests are answered together with this one. */
  together: () => together,
  double: (value: number) => value * 2,
  nothing: () => {},
  refuse: () => {
    throw new Error('refused');
  },
  die: () => void setImmediate(() => process.exit(3)),
  crash: () =>
    void setImmediate(() => {
      throw new Error('crashed');
    }),
};

export type FixtureMethods = typeof methods;

const answer = answerEach(methods);
serveThread(() => ({
  run(requests) {
    together = requests.length;
    return answer(requests);
  },
  close() {},
}));
