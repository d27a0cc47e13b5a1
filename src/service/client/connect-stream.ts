import type { State } from './board.ts';
import { openStream } from './open-stream.ts';

/**
 * Opens the stream of calls: one for all tabs of a session where the browser can share one. `worker`: the address of
 * entries/stream-worker.ts; `name`: of the session.
 */
export function connectStream(take: (state: State) => void, worker: string, name: string) {
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
  const { port } = new SharedWorker(worker, { type: 'module', name });
  port.onmessage = ({ data }) => take(data);
  return {
    check: () => port.postMessage('check'),
    end: () => port.postMessage('bye'),
  };
}
