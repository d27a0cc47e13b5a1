import { openStream } from './stream.js';

/**
 * Opens the stream of calls: one for all tabs of a session where the browser can share one.
 * @param {(state: import('./stream.js').State) => void} take @param {string} name of the session
 */
export function connect(take, name) {
  if (typeof SharedWorker === 'undefined') {
    const stream = openStream(take);
    return {
      check() {
        stream.check();
        stream.report();
      },
      end() {},
    };
  }
  // One worker per session, so that another user's calls never show.
  const worker = new SharedWorker(new URL('./stream-worker.js', import.meta.url), {
    type: 'module',
    name,
  });
  worker.port.onmessage = ({ data }) => take(data);
  return {
    check: () => worker.port.postMessage('check'),
    end: () => worker.port.postMessage('bye'),
  };
}
