import { parentPort } from 'node:worker_threads';

// A storage thread that dies of the first question.

parentPort?.postMessage({ type: 'ready' });
parentPort?.on('message', () => {
  throw new Error('a page is on fire');
});
