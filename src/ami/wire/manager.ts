import type { EventEmitter } from 'node:events';
import { createRequire, registerHooks } from 'node:module';
import type { AmiObject } from './ami-object.ts';

/**
 * asterisk-manager, on a stream of ours.
 *
 * The library opens its own TCP socket and keeps it private: no TLS, no deadlines, no limits, no way to
 * destroy it. A private Unix socket in between would give it bytes of our choosing, at the price of a folder
 * of mode 0700 that must exist, be short of 108 bytes and be cleaned up, of two more descriptors, and of
 * copying everything through the kernel once more. Instead its `require('net')` is answered with
 * library-net.ts, by Node's own module hooks and only while it is loaded: then the stream that is passed to
 * `connect` as the port is its connection. What comes out of the stream is read at once, in the same tick.
 */
export type ManagerStream = EventEmitter & {
  readyState: 'open' | 'closed';
  write(text: string): void;
  end(): void;
  setKeepAlive(): void;
  setNoDelay(): void;
  setEncoding(): void;
};

/** Called with the response as the error when Asterisk answered `Error`. */
export type ActionCallback = (error: AmiObject | null | undefined, response?: AmiObject) => void;

/** What we use of the library. It emits `managerevent` for every event, each in a tick of its own. */
export type Manager = {
  connect(stream: ManagerStream, host: undefined, connected: () => void): void;
  login(callback: (error?: AmiObject) => void): void;
  action(action: Record<string, string>, callback: ActionCallback): string;
  disconnect(): void;
  on(event: 'managerevent', listener: (event: AmiObject) => void): void;
};

type CreateManager = (
  port: undefined,
  host: undefined,
  username: string,
  secret: string,
  events: boolean,
) => Manager;

/** A fresh object for one connection: what an old one holds of a cut frame would otherwise come back as a ghost. */
export function createManager(username: string, secret: string): Manager {
  return library(undefined, undefined, username, secret, true);
}

const library = load();

function load(): CreateManager {
  const netUrl = new URL('./library-net.ts', import.meta.url).href;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const asked = specifier === 'net' && context.parentURL?.includes('/asterisk-manager/');
      return asked ? { url: netUrl, shortCircuit: true } : next(specifier, context);
    },
  });
  try {
    return createRequire(import.meta.url)('asterisk-manager');
  } finally {
    hooks.deregister();
  }
}
