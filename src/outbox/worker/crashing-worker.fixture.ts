import { serveThread } from '../../storage/serve-thread.ts';

// A storage thread that dies of the first question.

serveThread(() => ({
  run() {
    throw new Error('a page is on fire');
  },
  close() {},
}));
