import type { Server } from 'node:net';
import type { Clock } from './clock.ts';

const RETRY_MS = 5_000;

type ListenerOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly backlog?: number;
  /** Creates the server; called again for each attempt. */
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
  let server: Server | undefined;
  let cancelRetry = () => {};

  async function attempt(onAttemptFailed: (error: unknown) => void): Promise<void> {
    try {
      server = await listen(options);
      const address = server.address();
      options.onListening(address !== null && typeof address === 'object' ? address.port : options.port);
    } catch (error) {
      onAttemptFailed(error);
      cancelRetry = clock.setTimer(() => void attempt(() => {}), RETRY_MS);
    }
  }

  return {
    /** Resolves after the first attempt. */
    start: () => attempt(onFailed),
    isListening: () => server?.listening === true,
    /** Stops listening; resolves when the connections have ended. `close` may end them. */
    async stop(close?: (server: Server) => void) {
      cancelRetry();
      if (server === undefined) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      close?.(server);
      await promise;
    },
  };
}

function listen({ create, onError, ...where }: Omit<ListenerOptions, 'clock' | 'onFailed'>): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  const server = create();
  server.once('error', reject);
  server.listen({ host: where.host, port: where.port, backlog: where.backlog }, () => {
    server.off('error', reject);
    server.on('error', onError);
    resolve(server);
  });
  return promise;
}
