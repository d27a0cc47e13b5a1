import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that the system gives out by itself, above those of the labs (`test/asterisk/ports.ts`). */
const [first, last] = [30_000, 32_767];

/**
 * A port of 127.0.0.1 for a server that closes it and opens it again, or leaves it closed: one that the system gave out
 * could go to somebody else meanwhile.
 */
export async function ownPort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * (last + 1 - first));
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
