import { EventEmitter } from 'node:events';
import { createRequire, registerHooks } from 'node:module';
import { allFields } from './frame.ts';
import type { Action } from './safe-action.ts';

/** The answer to an action. */
export type Response = {
  /** `Error` is whatever is neither Success nor Goodbye nor Pong. */
  readonly response: 'Success' | 'Error';
  readonly actionid: string;
  /** Its values by key, as Asterisk spells them. */
  readonly fields: ReadonlyMap<string, string>;
};

/**
 * asterisk-manager for one connection: it logs in, writes actions and finds the action that a response answers.
 *
 * The library opens its own TCP socket and keeps it private: no TLS, no deadlines, no limits, no way to
 * destroy it. So its `require('net')` is answered with library-net.ts, by Node's own module hooks and only while it
 * is loaded: then the stream that is passed to `connect` as the port is its connection. Responses are handed to
 * it decoded, as its own parser would: as `rawevent`. Events never reach it.
 */
export type Manager = {
  /** Calls back with the response that refuses the login, or with none. */
  login(done: (refusal?: Response) => void): void;
  /** Calls back in a later tick than `receive`. */
  send(action: Action, actionId: string, done: (response: Response) => void): void;
  /** Takes a response's frame. False if it answers no action that waits. */
  receive(frame: Buffer): boolean;
};

/** What we use of the library. */
type Library = {
  connect(stream: LibraryStream): void;
  login(callback: (error?: Response) => void): void;
  action(action: Record<string, string>, callback: (error: unknown, response: Response) => void): void;
  emit(event: 'rawevent', response: Response): void;
};

type LibraryStream = EventEmitter & { write(text: string): void };

/**
 * A fresh library object, to be used for one connection only.
 * @param write puts an action on the wire.
 */
export function createManager(username: string, secret: string, write: (text: string) => void): Manager {
  /** A response to another id would be emitted under a name of Asterisk's choice. */
  const awaited = new Set<string>();
  const library = createLibrary(undefined, undefined, username, secret, true);
  const nothing = (): void => {};
  library.connect(
    Object.assign(new EventEmitter(), {
      setKeepAlive: nothing,
      setNoDelay: nothing,
      setEncoding: nothing,
      write(text: string) {
        awaited.add(/^ActionID: (.*)\r$/m.exec(text)?.[1] ?? '');
        write(text);
      },
    }),
  );

  function receive(frame: Buffer): boolean {
    const fields = allFields(frame, 'utf8');
    const actionid = fields.get('ActionID') ?? '';
    if (!awaited.delete(actionid)) return false;
    const response = /^(Success|Goodbye|Pong)$/i.test(fields.get('Response') ?? '') ? 'Success' : 'Error';
    library.emit('rawevent', { response, actionid, fields });
    return true;
  }

  return {
    login: (done) => library.login(done),
    send: (action, actionid, done) =>
      library.action({ ...action, actionid }, (_error, response) => done(response)),
    receive,
  };
}

type CreateLibrary = (
  port: undefined,
  host: undefined,
  username: string,
  secret: string,
  events: boolean,
) => Library;

const createLibrary = load();

function load(): CreateLibrary {
  const netUrl = new URL('library-net.ts', import.meta.url).href;
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
