import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { requestText } from './agi-request.fixture.ts';

export type Asked = {
  /** The commands that came, in order. */
  readonly commands: readonly string[];
  /** The variables that they set. */
  readonly variables: Readonly<Record<string, string>>;
};

/**
 * Asks a FastAGI server as Asterisk does: sends its lines, replies to each command, until the server closes. `reply`
 * is what a command gets, `lines` what is sent in place of a request.
 */
export async function askAgi(
  port: number,
  options: {
    readonly lines?: string;
    readonly reply?: (command: string) => string | undefined;
    readonly host?: string;
  } = {},
): Promise<Asked> {
  const socket = await openTo(port, options.host);
  const commands: string[] = [];
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const command = text.slice(0, end);
      text = text.slice(end + 1);
      commands.push(command);
      const reply = (options.reply ?? replyTo)(command);
      if (reply !== undefined) socket.write(reply);
    }
  });
  const closed = closeOf(socket);
  socket.write(options.lines ?? requestText());
  await closed;
  if (text !== '') commands.push(text);
  const pairs = commands.flatMap((command) => {
    const [, name, value] = /^SET VARIABLE (\S+) (.*)$/s.exec(command) ?? [];
    return name === undefined ? [] : [[name, value ?? '']];
  });
  return { commands, variables: Object.fromEntries(pairs) };
}

/** The reply of a call whose caller allows the number. */
export function replyTo(command: string): string {
  return command.startsWith('GET') ? '200 result=1 (allowed,,,allowed)\n' : '200 result=1\n';
}

/** A connection that says nothing by itself, and whose errors are its own. */
export async function openTo(port: number, host = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host });
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.resume();
  return socket;
}

/** Resolves when the connection is gone, however it went. */
export function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}

export function callFrom(number: string): string {
  return requestText({ agi_callerid: number });
}
