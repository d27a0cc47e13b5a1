import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { systemClock } from '../../src/process/clock.ts';
import { createPlayer } from '../player/player.ts';

/** An Asterisk in a thread of its own that sends one long stream of events to the client that is logged in, on command. */
export type Sender = {
  readonly port: number;
  send(): void;
  close(): Promise<unknown>;
};

export const account = { username: 'bench', secret: 'bench' } as const;

export function startSender(stream: Buffer): Promise<Sender> {
  const worker = new Worker(new URL(import.meta.url), { workerData: new Uint8Array(stream) });
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (port: number) => {
      resolve({ port, send: () => worker.postMessage('send'), close: () => worker.terminate() });
    });
  });
}

if (!isMainThread) {
  const player = createPlayer({ ...account, clock: systemClock });
  const { port } = await player.listen();
  parentPort?.on('message', () => player.sendRaw(Buffer.from(workerData)));
  parentPort?.postMessage(port);
}
