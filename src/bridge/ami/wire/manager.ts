import { EventEmitter } from 'node:events';
import net from 'node:net';
// @ts-expect-error: it has no types
import asteriskManager from 'asterisk-manager';
import { allFields } from './frame.ts';

/** The answer to an action. */
export type Response = {
  /** `Error` is whatever is neither Success nor Goodbye nor Pong. */
  readonly response: 'Success' | 'Error';
  readonly actionid: string;
  /** Its values by key, as Asterisk spells them. */
  readonly fields: ReadonlyMap<string, string>;
};

/** What we use of the library. */
type Library = {
  connect(): void;
  login(callback: (error?: Response) => void): void;
  action(action: Record<string, string>, callback: (error: unknown, response: Response) => void): void;
  emit(event: 'rawevent', response: Response): void;
};

export type Manager = ReturnType<typeof createManager>;

/**
 * asterisk-manager for one connection: it logs in, writes actions and finds the action that a response answers.
 *
 * The library's own TCP socket is private: no TLS, no deadline for the connection, no limit on what a hostile peer may
 * send, no way to destroy it. So the library is connected to a stream of ours (`connectTo`): the actions that it writes go to
 * `write`. Responses are handed to it decoded, as its own parser does: as `rawevent`. Events never reach it.
 * @param write puts an action on the wire.
 */
export function createManager(username: string, secret: string, write: (text: string) => void) {
  /** A response to another id would be emitted under a name of Asterisk's choice. */
  const awaited = new Set<string>();
  const library = createLibrary(undefined, undefined, username, secret, true);
  connectTo(library, (text) => {
    awaited.add(/^ActionID: (.*)\r$/m.exec(text)?.[1] ?? '');
    write(text);
  });

  /** Takes a response's frame. False if it answers no action that waits. */
  function receive(frame: Buffer): boolean {
    const fields = allFields(frame, 'utf8');
    const actionid = fields.get('ActionID') ?? '';
    if (!awaited.delete(actionid)) return false;
    const response = /^(Success|Goodbye|Pong)$/i.test(fields.get('Response') ?? '') ? 'Success' : 'Error';
    library.emit('rawevent', { response, actionid, fields });
    return true;
  }

  return {
    /** Calls back with the response that refuses the login, or with none. */
    login: (done: (refusal?: Response) => void) => library.login(done),
    /** Calls back in a later tick than `receive`. */
    send: (action: Action, actionid: string, done: (response: Response) => void) =>
      library.action({ ...action, actionid }, (_error, response) => done(response)),
    receive,
  };
}

/** Connects the library to a stream that writes by `write`: only while it connects, `net` hands out that stream. */
function connectTo(library: Library, write: (text: string) => void): void {
  const nothing = (): void => {};
  const unused = { setKeepAlive: nothing, setNoDelay: nothing, setEncoding: nothing };
  const { createConnection } = net;
  net.createConnection = () => Object.assign(new EventEmitter(), unused, { write }) as never;
  try {
    library.connect();
  } finally {
    net.createConnection = createConnection;
  }
}

type CreateLibrary = (
  port: undefined,
  host: undefined,
  username: string,
  secret: string,
  events: boolean,
) => Library;

const createLibrary: CreateLibrary = asteriskManager;

/** An action as it is sent to Asterisk, without its ActionID. */
export type Action = { readonly action: string; readonly [key: string]: string };

/** A value with a line break or NUL. The message names only the key: the value may be a secret. */
export class UnsafeValueError extends Error {
  override readonly name = 'UnsafeValueError';
}

/** True if a value has no line break or NUL. */
export function isSafeValue(value: string): boolean {
  return !/[\r\n\0]/.test(value);
}

/** @throws UnsafeValueError for a line break or NUL in a value: the rest of it would be another line of the action. */
export function assertSafe(fields: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(fields)) {
    if (!/^[A-Za-z]+$/.test(key)) throw new UnsafeValueError('a key sent to Asterisk must be a plain word');
    if (!isSafeValue(value)) {
      throw new UnsafeValueError(
        `${key} must not have a line break or NUL in it: it is not sent to Asterisk`,
      );
    }
  }
}
