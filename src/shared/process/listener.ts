import type { AddressInfo, Server } from 'node:net';
import type { Clock } from './clock.ts';

const RETRY_MS = 5_000;

type ListenerOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly backlog?: number;
  /**
   * Listening sockets on this port; 1 when absent. Node accepts one connection per socket in each turn of the event loop, so
   * on a busy loop those of a single socket wait in its backlog. The system spreads connections over the sockets by a hash.
   */
  readonly sockets?: number;
  /** Creates the server of a socket; called again for each attempt. */
  readonly create: () => Server;
  readonly onListening: (port: number) => void;
  /** Called for the first failed attempt only. */
  readonly onFailed: (error: unknown) => void;
  /** An error of the server while it listens. */
  readonly onError: (error: Error) => void;
  readonly clock: Pick<Clock, 'setTimer'>;
};

/** A server that retries until it can listen, so that a port in use does not keep the program from starting. */
export function createListener({ clock, onFailed, ...options }: ListenerOptions) {
  let servers: readonly Server[] = [];
  let cancelRetry = () => {};
  let attempting = Promise.resolve();

  function start(onAttemptFailed: (error: unknown) => void): Promise<void> {
    attempting = attempt(onAttemptFailed);
    return attempting;
  }

  async function attempt(onAttemptFailed: (error: unknown) => void): Promise<void> {
    try {
      servers = await listenAll(options);
      options.onListening(portOf(servers[0] as Server));
    } catch (error) {
      onAttemptFailed(error);
      cancelRetry = clock.setTimer(() => void start(() => {}), RETRY_MS);
    }
  }

  return {
    /** Resolves after the first attempt. */
    start: () => start(onFailed),
    isListening: () => servers.some(({ listening }) => listening),
    /** Stops listening; resolves when the connections have ended. `close` may end them. */
    async stop(close?: (server: Server) => void) {
      cancelRetry();
      await attempting;
      cancelRetry();
      await Promise.all(
        servers.map((server) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          server.close(() => resolve());
          close?.(server);
          return promise;
        }),
      );
    },
  };
}

type Place = Omit<ListenerOptions, 'clock' | 'onFailed'>;

async function listenAll(place: Place): Promise<Server[]> {
  const { sockets = 1 } = place;
  const alone = await listen(place, place.port);
  if (sockets === 1) return [alone];
  // Sockets that share a port would be let in next to those of another bridge, which would take half of its connections. This
  // one would not, nor is it let in next to them.
  const port = portOf(alone);
  alone.close();
  const servers: Server[] = [];
  try {
    while (servers.length < sockets) servers.push(await listen(place, port, true));
    return servers;
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
}

function listen({ create, onError, host, backlog }: Place, port: number, reusePort = false): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  const server = create();
  server.once('error', reject);
  server.listen({ host, port, backlog, reusePort }, () => {
    server.off('error', reject);
    server.on('error', onError);
    resolve(server);
  });
  return promise;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
