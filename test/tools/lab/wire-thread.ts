import { parentPort, workerData } from 'node:worker_threads';
import { startWire } from './wire.ts';

/** A wire in a thread of its own: what tests compute beside it must not delay what it carries. Says its port. */
const { port } = await startWire(workerData);
parentPort?.postMessage(port);
