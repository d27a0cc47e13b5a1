import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAmiLink } from '../../src/ami/link.ts';
import { parseRecording } from '../../src/ami/recording/recording.ts';
import type { Input } from '../../src/calls/input.ts';
import { createRules } from '../../src/calls/rules.ts';
import { createTracker } from '../../src/calls/tracker.ts';
import { silentLog } from '../../src/log/log.ts';
import { systemClock } from '../../src/process/clock.ts';
import { createIdRewriter } from '../player/rewrite-ids.ts';
import { account, type Sender, startSender } from './ami-sender.ts';
import { type Contestant, compare, print } from './compare.ts';

/**
 * AMI bytes over TCP to the tracker's effects, and to its inputs only, against asterisk-manager alone and against
 * framing and decoding without it. The bytes are the recordings of the matrix, again and again under new ids, sent by
 * another thread.
 */
async function benchAmi(events = 200_000): Promise<void> {
  const { stream, count } = recordedStream(events);
  print(
    `${count} events, ${(stream.length / 1e6).toFixed(0)} MB, ${(stream.length / count).toFixed(0)} bytes each`,
  );
  const sender = await startSender(stream);
  const contestant = (name: string, read: (sender: Sender) => Promise<void>): Contestant => ({
    name,
    run: () => read(sender).then(() => count),
  });
  const result = await compare('AMI over TCP', 'events', [
    contestant('src/ami and the tracker', (from) => throughLink(from, tracker())),
    contestant('src/ami', (from) => throughLink(from, () => {})),
    contestant('asterisk-manager alone', throughLibrary),
    contestant('framing and decoding only', throughFraming),
  ]);
  await sender.close();
  const library = result.get('asterisk-manager alone') ?? Number.NaN;
  for (const name of ['src/ami and the tracker', 'src/ami'])
    print(`  ${name}: ${((result.get(name) ?? 0) / library).toFixed(2)} times asterisk-manager alone`);
}

/** Ends every stream: a bridge that no recording has. */
const lastFrame = 'Event: BridgeDestroy\r\nPrivilege: call,all\r\nBridgeUniqueid: end\r\n\r\n';

function recordedStream(atLeast: number): { stream: Buffer; count: number } {
  const root = path.join(import.meta.dirname, '..', 'recordings');
  const recordings = globSync(path.join(root, 'asterisk-22', '*', 'ami.jsonl'))
    .sort()
    .map((file) => parseRecording(readFileSync(file, 'utf8')));
  if (recordings.length === 0) throw new Error('there are no recordings to play yet');
  const ids = { channels: 0, names: 0, bridges: 0 };
  const parts: Buffer[] = [];
  let count = 1;
  while (count < atLeast) {
    for (const { frames } of recordings) {
      const rewrite = createIdRewriter(ids, 0);
      for (const { frame } of frames) parts.push(rewrite(frame), Buffer.from('\r\n\r\n'));
      count += frames.length;
    }
  }
  return { stream: Buffer.concat([...parts, Buffer.from(lastFrame)]), count };
}

function throughLink({ port, send }: Sender, consume: (input: Input) => void): Promise<void> {
  return new Promise((resolve) => {
    const link = createAmiLink(
      { host: '127.0.0.1', port, ...account },
      {
        onInput(input) {
          consume(input);
          if (input.type === 'snapshot') send();
          if (input.type === 'bridge-destroyed' && input.bridge === 'end') {
            link.stop();
            resolve();
          }
        },
        log: silentLog,
        clock: systemClock,
        random: () => 0,
      },
    );
    link.start();
  });
}

/** The library as it comes, on its own socket: one listener, which does nothing but look for the end. */
function throughLibrary({ port, send }: Sender): Promise<void> {
  const manager = createManager(port, '127.0.0.1', account.username, account.secret, true);
  return new Promise((resolve) => {
    manager.on('response', send);
    manager.on('managerevent', (event: Record<string, string>) => {
      if (event.bridgeuniqueid !== 'end') return;
      manager.disconnect();
      resolve();
    });
  });
}

/** The library as it is: a copy, since src/ami has loaded the installed one with another `net` (see manager.ts). */
const createManager = (() => {
  const require = createRequire(import.meta.url);
  const folder = mkdtempSync(path.join(tmpdir(), 'asterisk-manager-'));
  cpSync(path.dirname(require.resolve('asterisk-manager/package.json')), folder, { recursive: true });
  try {
    return require(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
})();

/** The floor: find each frame's end and make a string of it. */
function throughFraming({ port, send }: Sender): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    const { username, secret } = account;
    socket.write(`Action: Login\r\nActionID: 1\r\nUsername: ${username}\r\nSecret: ${secret}\r\n\r\n`);
    let rest: Buffer = Buffer.alloc(0);
    let started = false;
    let last = '';
    socket.on('data', (chunk: Buffer) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let start = 0;
      for (let end = bytes.indexOf('\r\n\r\n'); end >= 0; end = bytes.indexOf('\r\n\r\n', start)) {
        last = bytes.toString('utf8', start, end);
        start = end + 4;
        if (!started) {
          started = true;
          send();
        }
      }
      rest = bytes.subarray(start);
      if (!last.endsWith('BridgeUniqueid: end')) return;
      socket.destroy();
      resolve();
    });
  });
}

/** The tracker, as the bridge runs it; what it wants done is thrown away. */
function tracker(): (input: Input) => void {
  const rules = createRules({
    pbxId: 'pbx',
    inboundContexts: ['from-trunk*'],
    inboundChannels: [],
    defaultCountry: 'DE',
    answeredBy: 'endpoint',
  });
  const { apply } = createTracker(rules, { calls: [], trunks: [] });
  return (input) => void apply(input);
}

if (import.meta.main) await benchAmi();
