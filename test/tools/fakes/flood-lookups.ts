import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { askAgi } from '../../../src/bridge/agi/agi-client.fixture.ts';
import { requestText } from '../../../src/bridge/agi/agi-request.fixture.ts';
import { floodCall } from './flood.ts';

/** What the dialplan got, and after how long, ms; `no answer` if the bridge ended the connection without one. */
export type FloodLookup = { readonly status: string; readonly ms: number };

const everyMs = 50;

/**
 * Looks up the priority of callers of a flood while it goes on, from a thread of its own: what floods the bridge has no time
 * for it.
 */
export function startFloodLookups(port: number) {
  /** How many calls of the flood have begun; -1 when it is over. */
  const calls = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), { workerData: { port, calls } });
  const asked = new Promise<FloodLookup[]>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return {
    began: (count: number) => Atomics.store(calls, 0, count),
    /** Ends it, and resolves with all that was asked once that is answered. */
    end() {
      Atomics.store(calls, 0, -1);
      return asked;
    },
  };
}

async function lookUp(port: number, calls: Int32Array): Promise<FloodLookup[]> {
  const lookups: Promise<FloodLookup>[] = [];
  for (let began = 0; began >= 0; began = Atomics.load(calls, 0)) {
    const { number, uniqueid, channel } = floodCall(Math.max(began - 20, 0));
    const own = { agi_callerid: number, agi_channel: channel };
    lookups.push(
      // By the channel that asks, by an argument, and for a channel that the bridge has not heard of.
      ask(port, requestText({ ...own, agi_uniqueid: uniqueid })),
      ask(port, requestText({ ...own, agi_callerid: '100', agi_uniqueid: uniqueid }, [number])),
      ask(port, requestText({ ...own, agi_uniqueid: '1.1' })),
    );
    await sleep(everyMs);
  }
  return Promise.all(lookups);
}

async function ask(port: number, lines: string): Promise<FloodLookup> {
  const began = performance.now();
  const { variables } = await askAgi(port, { lines });
  return { status: variables.CALLER_PRIORITY_STATUS ?? 'no answer', ms: performance.now() - began };
}

if (!isMainThread) parentPort?.postMessage(await lookUp(workerData.port, workerData.calls));
