import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** Ports that were given: what is to listen there may not do so yet, or be started again. */
const given = new Set<number>();

/**
 * A port of 127.0.0.1 for a program that cannot choose one by itself, or that is to have the same one after a restart.
 * It is none of those that the system gives to connections and to `listen(0)`: another test would be given it before the
 * program listens, or while it is down. Nor is it one of a lab (test/asterisk/ports.ts).
 */
export async function freePort(): Promise<number> {
  const [lowest = 32_768] = rangeOfSystem().split(/\s+/).map(Number);
  for (;;) {
    const port = randomInt(10_000, Math.min(lowest, 20_000));
    if (given.has(port)) continue;
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    given.add(port);
    return port;
  }
}

function rangeOfSystem(): string {
  try {
    return readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
  } catch {
    return '';
  }
}
