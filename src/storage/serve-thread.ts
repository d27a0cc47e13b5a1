import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { messageOf } from '../process/message-of.ts';
import { StorageRefused } from './refused.ts';
import type { Answers, Call, FromThread, ToThread } from './thread-messages.ts';

/** What a thread does. */
export type Server = {
  /** Answers calls in order, all that have come; those that it keeps are answered later, by `Main.answer`. */
  run(calls: readonly Call[]): Answers;
  close(): void;
};

/** The main thread, as seen from here. */
export type Main<Told = never> = {
  answer(answers: Answers): void;
  tell(told: Told): void;
};

/**
 * The thread's side: it owns a database and may wait for the disk, as the main thread must not. What comes while it
 * works is answered together, so that on a slow disk one commit serves many (group commit).
 * What `start` throws is what `startThread` rejects with.
 */
export function serveThread<Told = never>(start: (main: Main<Told>) => Server): void {
  const port = parentPort as MessagePort;
  const post = (message: FromThread<Told>): void => port.postMessage(message);
  const answer = (answers: Answers, messages: number) => post({ type: 'answers', messages, answers });
  let server: Server;
  try {
    server = start({ answer: (answers) => answer(answers, 0), tell: (told) => post({ type: 'told', told }) });
  } catch (error) {
    post({ type: 'no-start', refused: error instanceof StorageRefused, message: messageOf(error) });
    port.close();
    return;
  }
  post({ type: 'ready' });
  port.on('message', (first: ToThread) => {
    const calls: Call[] = [];
    let messages = 0;
    let closing = false;
    for (let message: ToThread | undefined = first; message !== undefined; message = next(port)) {
      if (message === 'close') closing = true;
      else {
        readCalls(message, calls);
        messages++;
      }
    }
    if (messages > 0) answer(server.run(calls), messages);
    if (!closing) return;
    server.close();
    port.close();
  });
}

function next(port: MessagePort): ToThread | undefined {
  return receiveMessageOnPort(port)?.message as ToThread | undefined;
}

function readCalls(message: readonly unknown[], calls: Call[]): void {
  for (let at = 0; at < message.length; ) {
    const count = message[at + 2] as number;
    const args = message.slice(at + 3, at + 3 + count);
    calls.push({ id: message[at] as number, name: message[at + 1] as string, args });
    at += 3 + count;
  }
}
