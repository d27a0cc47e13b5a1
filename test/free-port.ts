import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that the system gives to connections and to `listen(0)`, and none of a lab (`test/asterisk/ports.ts`). */
const [first, end] = [10_000, 20_000];

/**
 * A port of 127.0.0.1 for a server that cannot choose one by itself, that closes it and opens it again, or that leaves it
 * closed: one that the system gave out could go to another test meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, end);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
