import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below those that the system gives to connections and to `listen(0)`, and none of a lab (`test/tools/lab/ports.ts`). */
const [first, end] = [10_000, 20_000];

/** Where this process looks next: processes that begin at the same port would take each other's way. */
let next = first + (process.pid % (end - first));

/**
 * A port of 127.0.0.1 for a server that cannot choose one by itself, that closes it and opens it again, or that leaves it
 * closed: one that the system gave out could go to another test meanwhile. It stays reserved until this process ends: no
 * other test, of this run or of another one on this machine, is given the same.
 */
export async function freePort(): Promise<number> {
  for (let left = end - first; left > 0; left -= 1) {
    const port = next;
    next = port + 1 < end ? port + 1 : first;
    if (!(await reserve(port))) continue;
    const server = await listen(createServer(), { port, host: '127.0.0.1' });
    if (server === undefined) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error(`no port between ${first} and ${end} is free`);
}

/** A name that only one process can hold, and that the kernel takes back when it ends. Linux has such names. */
async function reserve(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const held = await listen(createServer(), { path: `\0pbx-bridge-test-port-${port}` });
  held?.unref();
  return held !== undefined;
}

async function listen(server: Server, where: { port: number; host: string } | { path: string }) {
  server.listen(where);
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  return isListening ? server : undefined;
}
