import { workerData } from 'node:worker_threads';
import { serveThread } from './rpc.ts';

/** A thread for tests: answers, refuses, and dies when told to. */
if (workerData === 'no start') throw new Error('cannot open');

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

serveThread({
  methods,
  runAll: (calls) =>
    calls.map((call) => {
      try {
        return { value: call() };
      } catch (error) {
        return { error };
      }
    }),
  close: () => {},
});
