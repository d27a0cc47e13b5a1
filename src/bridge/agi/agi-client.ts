import { connect } from 'node:net';

export type AgiAnswer = {
  /** The variables that were set, by name, in order. */
  readonly variables: Readonly<Record<string, string>>;
  /** The line for the console. */
  readonly console: string | undefined;
};

/** Of no channel: the server takes that for another program than Asterisk, and waits for no more lines. */
const environment = (address: string): string =>
  [
    ['network', 'yes'],
    ['network_script', address],
    ['request', `agi://127.0.0.1/${address}`],
    ['uniqueid', 'ask'],
  ]
    .map(([name, value]) => `agi_${name}: ${value}\n`)
    .join('');

/** Longest exchange, in characters. */
const MOST = 64 * 1024;

/**
 * Asks a FastAGI server as Asterisk does when the dialplan calls `AGI(agi://HOST:PORT/ADDRESS)`: each command gets its reply.
 * Rejects if there is no connection, or no end within `timeoutMs`.
 */
export function askAgi(
  { host, port }: { readonly host: string; readonly port: number },
  address: string,
  timeoutMs: number,
): Promise<AgiAnswer> {
  return new Promise((resolve, reject) => {
    const variables: [string, string][] = [];
    let said: string | undefined;
    let text = '';
    const socket = connect({ host, port, timeout: timeoutMs });
    socket.setEncoding('utf8');
    socket.on('connect', () => socket.write(`${environment(address)}\n`));
    socket.on('timeout', () => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    socket.on('error', reject);
    socket.on('close', () => resolve({ variables: Object.fromEntries(variables), console: said }));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MOST) socket.destroy(new Error('the answer is too long'));
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
        const command = text.slice(0, end);
        text = text.slice(end + 1);
        const [, name, value = ''] = /^SET VARIABLE (\S+) (.*)$/.exec(command) ?? [];
        if (name !== undefined) variables.push([name, unquoted(value)]);
        const [, line] = /^VERBOSE (".*") \d$/.exec(command) ?? [];
        if (line !== undefined) said = unquoted(line);
        socket.write(command.startsWith('GET') ? '200 result=1 (allowed,,,allowed)\n' : '200 result=1\n');
      }
    });
  });
}

/** An argument of an AGI command as Asterisk reads it (res_agi.c, parse_args). */
const unquoted = (text: string): string =>
  text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
