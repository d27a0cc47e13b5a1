import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { messageOf } from '../process/parse-json.ts';
import { StorageRefused } from './storage-error.ts';
import type { Answers, FromThread, ThreadRequest, ToThread } from './thread-messages.ts';

/** Calls that are answered together: those that follow must not wait for more. */
const mostTogether = 1_000;

/** What a thread does. */
export type Server = {
  /** Answers all waiting requests, in order. Those that it holds are answered later, by `Main.answer`. */
  run(requests: readonly ThreadRequest[]): Answers;
  close(): void;
};

/** The main thread, as seen from here. */
export type Main<Notice = never> = {
  answer(answers: Answers): void;
  notify(notice: Notice): void;
};

/**
 * The thread's side. It owns a database and may wait for the disk, as the main thread must not. Requests that come
 * during its work are answered together, so that on a slow disk one commit serves many (group commit). An error of
 * `start` rejects `startThread`.
 */
export function serveThread<Notice = never>(start: (main: Main<Notice>) => Server): void {
  const port = parentPort as MessagePort;
  const post = (message: FromThread<Notice>): void => port.postMessage(message);
  const answer = (answers: Answers) => post({ type: 'answers', answers });
  let server: Server;
  try {
    server = start({ answer, notify: (notice) => post({ type: 'notice', notice }) });
  } catch (error) {
    post({ type: 'no-start', refused: error instanceof StorageRefused, message: messageOf(error) });
    port.close();
    return;
  }
  post({ type: 'ready' });
  port.on('message', (first: ToThread) => {
    const requests: ThreadRequest[] = [];
    let closing = false;
    for (let message: ToThread | undefined = first; message !== undefined; ) {
      if (message === 'close') closing = true;
      else requests.push(...message);
      message = requests.length < mostTogether ? next(port) : undefined;
    }
    if (requests.length > 0) answer(server.run(requests));
    if (!closing) return;
    server.close();
    port.close();
  });
}

function next(port: MessagePort): ToThread | undefined {
  return receiveMessageOnPort(port)?.message as ToThread | undefined;
}
