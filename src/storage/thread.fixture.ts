import { workerData } from 'node:worker_threads';
import { answerEach } from './answer.ts';
import { StorageRefused } from './refused.ts';
import { serveThread } from './serve-thread.ts';

/** A thread for tests: answers, refuses, and dies on request. */
if (workerData === 'no start') throw new Error('cannot open');
if (workerData === 'refused') {
  serveThread(() => {
    throw new StorageRefused('not on this disk');
  });
}

const methods = {
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

serveThread(() => ({ run: answerEach(methods), close() {} }));
