import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CallStatus } from '../../src/api/contract/call-status.ts';
import { cpuMsOf } from '../faults/bridge-process.ts';
import { percentile, print } from './compare.ts';

/**
 * End to end: a PBX with so many calls a second (this process), the bridge, and the far side, each a process of its
 * own. Nothing may be lost; printed are the times from the PBX's event to the far side's having applied it,
 * the bridge's CPU time per answered call (on all its threads) and its memory.
 *
 * node test/bench/end-to-end.ts [--rate 1000] [--seconds 60] [--tree CHECKOUT]
 */
const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
    tree: { type: 'string', default: '.' },
  },
});
const rate = Number(values.rate);
const seconds = Number(values.seconds);
const CALL_LASTS_MS = 500;

const event = (name: string, fields: Record<string, string>) =>
  `Event: ${name}\r\nPrivilege: call,all\r\n${Object.entries(fields)
    .map(([key, value]) => `${key}: ${value}\r\n`)
    .join('')}\r\n`;

/** The frames of one call, in three bursts: it rings, it is answered, it ends. About as many as Asterisk 22 sends. */
function framesOf(index: number): Record<CallStatus, string> {
  const uniqueid = `${epoch}.${index * 2}`;
  const channel = (name: string, id: string, state: string) => ({
    Channel: name,
    ChannelState: state,
    ChannelStateDesc: state === '6' ? 'Up' : 'Ring',
    CallerIDNum: `+4940${String(10_000_000 + index).slice(-7)}`,
    CallerIDName: 'A Caller With a Name',
    ConnectedLineNum: '<unknown>',
    ConnectedLineName: '<unknown>',
    Language: 'en',
    AccountCode: '',
    Context: 'from-trunk',
    Exten: '4940',
    Priority: '1',
    Uniqueid: id,
    Linkedid: uniqueid,
  });
  const hex = index.toString(16).padStart(8, '0');
  const caller = (state: string) => channel(`PJSIP/trunk-${hex}`, uniqueid, state);
  const phone = (state: string) => channel(`PJSIP/1001-${hex}`, `${epoch}.${index * 2 + 1}`, state);
  const bridge = {
    BridgeUniqueid: `bridge-${index}`,
    BridgeType: 'basic',
    BridgeTechnology: 'simple_bridge',
    BridgeCreator: '<unknown>',
    BridgeName: '<unknown>',
    BridgeNumChannels: '2',
    BridgeVideoSourceMode: 'none',
  };
  const dest = { DestChannel: `PJSIP/1001-${hex}`, DestUniqueid: `${epoch}.${index * 2 + 1}` };
  const dial = { ...caller('4'), ...dest, DialString: '1001' };
  return {
    ringing: [
      event('Newchannel', caller('4')),
      event('DialBegin', dial),
      event('Newchannel', { ...phone('0'), Context: 'from-internal' }),
      event('NewCallerid', { ...phone('0'), 'CID-CallingPres': '0 (Presentation Allowed, Not Screened)' }),
      event('NewConnectedLine', phone('0')),
      event('Newstate', phone('5')),
      event('DialState', dial),
      event('NewConnectedLine', caller('4')),
    ].join(''),
    answered: [
      event('Newstate', phone('6')),
      event('DialEnd', { ...dial, DialStatus: 'ANSWER' }),
      event('Newstate', caller('6')),
      event('BridgeCreate', bridge),
      event('BridgeEnter', { ...bridge, ...phone('6') }),
      event('BridgeEnter', { ...bridge, ...caller('6') }),
      event('NewConnectedLine', caller('6')),
      event('RTCPReceived', caller('6')),
    ].join(''),
    completed: [
      event('HangupRequest', phone('6')),
      event('BridgeLeave', { ...bridge, ...phone('6') }),
      event('BridgeLeave', { ...bridge, ...caller('6') }),
      event('BridgeDestroy', bridge),
      event('Hangup', { ...phone('6'), Cause: '16', 'Cause-txt': 'Normal Clearing' }),
      event('SoftHangupRequest', { ...caller('6'), Cause: '16' }),
      event('Hangup', { ...caller('6'), Cause: '16', 'Cause-txt': 'Normal Clearing' }),
    ].join(''),
  };
}

const epoch = Math.floor(Date.now() / 1_000);

/** Just enough of a manager interface for the bridge to be content. */
function serve(socket: net.Socket): void {
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.write('Asterisk Call Manager/9.0.0\r\n');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      const request = text.slice(0, end);
      text = text.slice(end + 4);
      const id = /ActionID: (.*)/i.exec(request)?.[1] ?? '';
      const action = /^Action: (.*)/im.exec(request)?.[1]?.toLowerCase() ?? '';
      const respond = (name: string) => `Response: ${name}\r\nActionID: ${id}\r\n\r\n`;
      const complete = (list: string) =>
        `Event: ${list}Complete\r\nActionID: ${id}\r\nEventList: Complete\r\nListItems: 0\r\n\r\n`;
      if (action === 'coreshowchannels') socket.write(respond('Success') + complete('CoreShowChannels'));
      else if (action === 'bridgelist') socket.write(respond('Success') + complete('BridgeList'));
      else if (action === 'devicestatelist') socket.write(respond('Success') + complete('DeviceStateList'));
      else if (action === 'status') {
        const index = Number.parseInt(/trunk-(\w+)/.exec(request)?.[1] ?? '', 16);
        const row = event('Status', {
          ActionID: id,
          Uniqueid: `${epoch}.${index * 2}`,
          Variable: 'CALLERID(num-pres)=allowed_not_screened',
        });
        socket.write(respond('Success') + row + complete('Status'));
      } else socket.write(respond('Success'));
    }
  });
}

const state = mkdtempSync(join(tmpdir(), 'bench-'));
const far = spawn(process.execPath, ['test/fakes/far-side.ts', '--port', '0', '--token', 'a-token']);
const { baseUrl } = JSON.parse(String((await once(far.stdout, 'data'))[0])) as { baseUrl: string };
const control = new URL('/control/', baseUrl).href;

let pbx: net.Socket | undefined;
const server = net.createServer((socket) => {
  pbx = socket;
  serve(socket);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const bridge = spawn(process.execPath, [join(values.tree, 'src/cli.ts'), 'run'], {
  env: {
    PATH: process.env.PATH,
    AMI_PORT: String((server.address() as net.AddressInfo).port),
    AMI_USERNAME: 'bridge',
    AMI_SECRET: 'sesame',
    API_BASE_URL: baseUrl,
    API_TOKEN: 'a-token',
    STATE_DIR: state,
    AGI_LISTEN: 'off',
    STATUS_LISTEN: 'off',
    LOG_LEVEL: 'warn',
  },
  stdio: ['ignore', 'inherit', 'inherit'],
});
while (pbx === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
await new Promise((resolve) => setTimeout(resolve, 1_000));

const idle = memoryOf('VmRSS');
const cpuBefore = cpuMsOf(bridge.pid ?? 0);
const sent: Record<CallStatus, number[]> = { ringing: [], answered: [], completed: [] };
const total = rate * seconds;
const begin = Date.now();
for (let now = begin; sent.completed.length < total; now = Date.now()) {
  const due = (after: number) => Math.min(total, Math.floor(((now - begin - after) * rate) / 1_000));
  for (const [status, after] of [
    ['completed', CALL_LASTS_MS],
    ['answered', CALL_LASTS_MS / 2],
    ['ringing', 0],
  ] as const)
    for (let index = sent[status].length; index < due(after); index += 1) {
      pbx.write(framesOf(index)[status]);
      sent[status].push(Date.now());
    }
  await new Promise((resolve) => setTimeout(resolve, 5));
}

type Held = {
  id: string;
  state: CallStatus;
  received: CallStatus[];
  at: Partial<Record<CallStatus, number>>;
};
type Counts = { moved: number; repeated: number; inverted: number };
const get = async <T>(path: string) => (await (await fetch(control + path)).json()) as T;
const deadline = Date.now() + 60_000;
let counts = await get<Counts>('counts');
while (counts.moved < total * 3 && Date.now() < deadline) {
  await new Promise((resolve) => setTimeout(resolve, 200));
  counts = await get<Counts>('counts');
}
const calls = await get<Held[]>('calls');
const cpuMs = cpuMsOf(bridge.pid ?? 0) - cpuBefore;

print(
  `\nEnd to end: ${rate} calls/s for ${seconds} s, ${rate * 23} AMI events/s, ${rate * 3} events/s to the API`,
);
print(
  `  events sent ${total * 3}, applied ${counts.moved}, lost ${total * 3 - counts.moved}, out of order ${counts.inverted}`,
);
for (const status of ['ringing', 'answered', 'completed'] as const) {
  const times = calls.map(({ id, at }) => {
    const index = Number(id.split('.')[1]) / 2;
    return (at[status] ?? Number.NaN) - (sent[status][index] ?? Number.NaN);
  });
  print(
    `  ${status.padEnd(10)} p50 ${percentile(times, 50)} ms, p99 ${percentile(times, 99)} ms, max ${Math.max(...times)} ms`,
  );
}
print(
  `  bridge: ${(cpuMs / total).toFixed(2)} ms of CPU per call; memory ${idle} MB before the first call, ${memoryOf('VmHWM')} MB at most, ${memoryOf('VmRSS')} MB now`,
);

bridge.kill('SIGTERM');
await once(bridge, 'close');
far.kill('SIGTERM');
pbx.destroy();
server.close();
rmSync(state, { recursive: true });
process.exitCode = counts.moved === total * 3 && counts.inverted === 0 ? 0 : 1;

/** MB. */
function memoryOf(what: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${bridge.pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${what}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
}
