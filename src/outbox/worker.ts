import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Log } from '../ops/log.ts';
import { OutboxRefused } from './database.ts';
import { createKeeper } from './keeper.ts';
import { messageOf } from './sqlite-trouble.ts';
import type { FromWorker, Numbered, ToWorker, WorkerOptions } from './worker-messages.ts';

// The thread that owns the database: it may wait for the disk, the main thread must not.

const port = parentPort;
if (!port) throw new Error('worker.ts is started by outbox.ts');
const post = (message: FromWorker): void => port.postMessage(message);
const log: Log = { say: (code, fields = {}) => post({ type: 'say', code, fields }), child: () => log };

try {
  const keeper = createKeeper(workerData as WorkerOptions, { post, log, now: Date.now });
  post({ type: 'ready' });
  port.on('message', (first: ToWorker) => {
    // Everything that waits goes into one transaction: on a slow disk this is what keeps up with the calls.
    const asks: Numbered[] = [];
    let messages = 0;
    let closing = false;
    for (let message: ToWorker | undefined = first; message; message = next()) {
      if (message === 'close') closing = true;
      else {
        for (const one of message) asks.push(one);
        messages++;
      }
    }
    keeper.run(asks, messages);
    if (!closing) return;
    keeper.close();
    port.close();
  });
} catch (error) {
  post({ type: 'no-start', refused: error instanceof OutboxRefused, message: messageOf(error) });
  port.close();
}

function next(): ToWorker | undefined {
  return port ? (receiveMessageOnPort(port)?.message as ToWorker | undefined) : undefined;
}
