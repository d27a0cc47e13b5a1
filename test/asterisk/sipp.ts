import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { atExit } from './at-exit.ts';
import { hangUpCommand, type Script, scenario } from './sip-script.ts';

/** One end of calls, played by a sipp process. */
export type SipEnd = {
  /** Hangs up (or gives up) the call in progress the polite way, by BYE or CANCEL. Callers only. */
  hangsUp(): void;
  /** What sipp found wrong, '' if nothing. */
  complaints(): Promise<string>;
  /** Ends the process and removes its files. */
  close(): Promise<void>;
};

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
  /** What `[mobile]` in the script stands for. */
  readonly mobile: string;
}): Promise<SipEnd> {
  const dir = await mkdtemp(path.join(tmpdir(), 'pbx-lab-sipp-'));
  const file = path.join(dir, 'scenario.xml');
  const errors = path.join(dir, 'errors.log');
  await writeFile(file, scenario(options.script));
  const callId = `lab-${options.port}-${path.basename(dir)}`;
  const common = [
    '-sf',
    file,
    '-i',
    '127.0.0.1',
    '-p',
    `${options.port}`,
    '-cp',
    `${options.port + controlOffset}`,
  ];
  const role =
    options.calls === undefined ? [] : [`127.0.0.1:${options.calls}`, '-m', '1', '-cid_str', callId];
  const rest = ['-key', 'mobile', options.mobile, '-nostdin', '-trace_err', '-error_file', errors];
  const child = spawn('sipp', [...role, ...common, ...rest], {
    stdio: 'ignore',
    cwd: dir,
  });
  const forget = atExit(() => child.kill('SIGKILL'));
  if (options.calls === undefined) await untilBound(child, options.port);

  return {
    hangsUp() {
      const socket = createSocket('udp4');
      const command = [
        `${hangUpCommand} sip:lab@127.0.0.1 SIP/2.0`,
        `Call-ID: ${callId}`,
        `CSeq: 1 ${hangUpCommand}`,
      ];
      const lines = [
        ...command,
        'Via: SIP/2.0/UDP 127.0.0.1',
        'From: <sip:lab>',
        'To: <sip:lab>',
        'Content-Length: 0',
      ];
      socket.send(`${lines.join('\r\n')}\r\n\r\n`, options.port, '127.0.0.1', () => socket.close());
    },
    complaints: () => readFile(errors, 'utf8').catch(() => ''),
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
  for (let tries = 0; tries < 500; tries++) {
    if (readFileSync('/proc/net/udp', 'utf8').includes(local)) return;
    if (child.exitCode !== null)
      throw new Error(`sipp ended with ${child.exitCode} before it listened on ${port}`);
    await sleep(10);
  }
  throw new Error(`sipp does not listen on ${port}`);
}
