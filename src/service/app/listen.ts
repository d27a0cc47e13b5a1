import type { AddressInfo, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { bracketed } from '../kit/public-address.ts';

/** Open requests may take this long to end when the service stops. */
const DRAIN_MS = 4000;
const SWEEP_MS = 50;

/** Returns the address as it listens. @throws if it cannot, with what to do */
export async function listen(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  await app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'EADDRINUSE'
        ? `port ${port} is used by another program: end it (as root, ss -ltnp names it), or choose another port`
        : `cannot listen on ${bracketed(host)}:${port} (${error.code ?? error.message}): choose an address of this machine, and a port that this user may use`;
    throw new Error(`SERVICE_LISTEN: ${why}`, { cause: error });
  });
  return `${app.initialConfig.https ? 'https' : 'http'}://${bracketed(host)}:${(app.server.address() as AddressInfo).port}`;
}

/**
 * Returns what ends the connections of a server that is about to listen, at once. Node's own knows those on which HTTP is
 * spoken, and not those that are about to agree on TLS.
 */
export function connectionsOf({ server }: FastifyInstance): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) socket.destroy();
  };
}

/** Ends when the last response is sent, or is cut off. `cutOff`: see connectionsOf. */
export async function closeApp(app: FastifyInstance, cutOff: () => void): Promise<void> {
  // Node closes the connections that are idle now; others become idle when their last response is sent.
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(cutOff, DRAIN_MS);
  await app.close();
  clearInterval(sweep);
  clearTimeout(cut);
}
