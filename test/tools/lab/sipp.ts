import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '../until.ts';
import { atExit } from './at-exit.ts';
import { commands, type Script, scenario } from './sip-script.ts';

/** One end of calls, played by a sipp process. */
export type SipEnd = {
  readonly port: number;
  /** The Call-ID of a caller's call. */
  readonly callId: string;
  /** Its process has ended: a caller's last call is over. */
  readonly ended: Promise<unknown>;
  /** What sipp found wrong, '' if nothing. */
  complaints(): Promise<string>;
  /** The first lines of the SIP messages that it sent and received, with their times. */
  messages(): Promise<string>;
  /** Ends the process and removes its files. */
  close(): Promise<void>;
};

/** Has the sipp that listens on `port` do something in the call of this Call-ID (see `commands`). */
export function tellSipp(
  { port, callId }: { readonly port: number; readonly callId: string },
  command: keyof typeof commands,
  headers: readonly string[] = [],
): void {
  const method = commands[command];
  const lines = [
    `${method} sip:lab@127.0.0.1 SIP/2.0`,
    'Via: SIP/2.0/UDP 127.0.0.1',
    'From: <sip:lab>',
    'To: <sip:lab>',
    `Call-ID: ${callId}`,
    `CSeq: 1 ${method}`,
    ...headers,
    'Content-Length: 0',
  ];
  const socket = createSocket('udp4');
  socket.send(`${lines.join('\r\n')}\r\n\r\n`, port, '127.0.0.1', () => socket.close());
}

/** Control ports are this far above the SIP port they belong to. */
const controlOffset = 98;

/**
 * Starts sipp with this script on a port of 127.0.0.1: a phone waits for calls; a caller (`calls`: Asterisk's SIP
 * port) places one, which ends the process when it is over.
 */
export async function startSipp(options: {
  readonly script: Script;
  readonly port: number;
  readonly calls?: number;
  /** How many calls it places one after the other, and how many at the same time; one when absent. */
  readonly times?: { readonly calls: number; readonly atOnce: number };
  /** What `[mobile]` in the script stands for; nothing when absent. */
  readonly mobile?: string;
  /** What `[office]` stands for: the digit with which its numbers begin. */
  readonly office?: number;
  /** What to run it with, such as `nsenter`, to have it in another network. */
  readonly runner?: readonly string[];
}): Promise<SipEnd> {
  const dir = await mkdtemp(path.join(tmpdir(), 'pbx-lab-sipp-'));
  const file = path.join(dir, 'scenario.xml');
  const errors = path.join(dir, 'errors.log');
  const messages = path.join(dir, 'messages.csv');
  await writeFile(file, scenario(options.script));
  const callId = `lab-${options.port}-${path.basename(dir)}`;
  const where = ['-i', '127.0.0.1', '-p', `${options.port}`, '-cp', `${options.port + controlOffset}`];
  const { calls: count, atOnce } = options.times ?? { calls: 1, atOnce: 1 };
  const many = ['-m', `${count}`, '-l', `${atOnce}`, '-r', '100', '-cid_str', `${callId}-%u`];
  const role =
    options.calls === undefined
      ? []
      : [`127.0.0.1:${options.calls}`, ...(count === 1 ? ['-m', '1', '-cid_str', callId] : many)];
  // -aa: what Asterisk sends in passing (NOTIFY, INFO) is answered.
  const keys = ['-key', 'mobile', options.mobile ?? '', '-key', 'office', `${options.office ?? ''}`];
  const how = ['-sf', file, ...keys, '-aa', '-nostdin'];
  const log = ['-trace_err', '-error_file', errors, '-trace_shortmsg', '-shortmessage_file', messages];
  const sipp = [...(options.runner ?? []), 'sipp'];
  const child = spawn('setpriv', ['--pdeathsig=KILL', ...sipp, ...role, ...where, ...how, ...log], {
    stdio: 'ignore',
    cwd: dir,
  });
  const forget = atExit(() => {
    child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (options.calls === undefined) await untilBound(child, options.port);

  return {
    port: options.port,
    callId,
    ended,
    complaints: () => readFile(errors, 'utf8').catch(() => ''),
    messages: () => readFile(messages, 'utf8').catch(() => ''),
    async close() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      forget();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function untilBound(child: ChildProcess, port: number): Promise<void> {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  await until(`sipp listens on ${port}`, () => {
    if (child.exitCode !== null)
      throw new Error(`sipp ended with ${child.exitCode} before it listened on ${port}`);
    return readFileSync(`/proc/${child.pid}/net/udp`, 'utf8').includes(local);
  });
}
