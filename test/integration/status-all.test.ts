import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BridgeStatus } from '../../src/bridge/status/bridge-status.ts';
import { always } from '../tools/fakes/fake-api-faults.ts';
import { createRig } from '../tools/faults/rig.ts';
import { runCommand } from '../tools/program/operator.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { createStand, markerCall } from '../tools/program/stand.ts';
import { until } from '../tools/until.ts';

test('status --all: each bridge of this machine in a row, and why one is not well', async (t) => {
  const folder = join(temporaryFolder(t), 'sites');
  mkdirSync(folder);
  const write = (name: string, listen: string, id = 'pbx') =>
    writeFileSync(join(folder, name), `STATUS_LISTEN=${listen}\nPBX_ID=${id}\n`);
  const [main, berlin] = [
    await createStand(t, { STATUS_LISTEN: '127.0.0.1:0', PBX_ID: 'main' }),
    await createStand(t, { STATUS_LISTEN: '127.0.0.1:0', PBX_ID: 'berlin' }),
  ];
  for (const stand of [main, berlin]) await stand.start();
  berlin.fakeApi.inject(always({ kind: 'status', status: 401 }));
  for (const frame of markerCall().frames) berlin.pbx.send(frame);
  const url = `http://127.0.0.1:${berlin.statusPort()}/status.json`;
  const isPaused = async () => {
    const { calls, outbox, delivery } = (await (await fetch(url)).json()) as BridgeStatus;
    return calls.open === 0 && outbox.waiting === 2 && delivery.state === 'paused';
  };
  await until('deliveries to pause', isPaused, { state: async () => (await fetch(url)).text() });
  write('berlin.env', `127.0.0.1:${berlin.statusPort()}`, 'berlin');
  write('bridge.env', `127.0.0.1:${main.statusPort()}`, 'main');
  // As a copy of the first one's settings begins: its port is the first one's.
  write('hamburg.env', `127.0.0.1:${main.statusPort()}`, 'hamburg');
  write('munich.env', '127.0.0.1:1');
  write('vienna.env', 'nowhere');
  write('sample.env.example', '127.0.0.1:1');

  const all = ['status', '--all', '--folder', folder];
  const { code, text: out } = await runCommand(all, {}, {});
  const [title, ...lines] = out.trimEnd().split('\n');
  assert.match(title ?? '', /^ {2}bridge +PBX +open +last event +waiting +oldest +dead +delivery$/);
  assert.match(lines[0] ?? '', /^\+ bridge +up [\d.]+ \w+ +0 +- +0 +- +0 +ok$/);
  assert.match(lines[1] ?? '', /^! berlin +up [\d.]+ \w+ +0 +[\d.]+ \w+ ago +2 +[\d.]+ \w+ +0 +paused$/);
  assert.match(lines[2] ?? '', /^ {4}no deliveries: 401/);
  const rest = lines.slice(3).join('\n');
  assert.match(
    rest,
    /^! hamburg +- +- .*\n {4}at \S+ is another bridge, with PBX_ID=main: this one, with hamburg/m,
  );
  assert.match(rest, /^! munich .*\n {4}the bridge is not set up: run pbx-bridge setup/m);
  assert.match(rest, /^! vienna .*\n {4}STATUS_LISTEN: got "nowhere"/m);
  assert.doesNotMatch(out, /sample/);
  assert.equal(code, 2);

  // As the package leaves it on a machine whose bridges all have names.
  writeFileSync(join(folder, 'bridge.env'), 'AMI_USERNAME=\nAPI_TOKEN=\nSTATUS_LISTEN=127.0.0.1:1\n');
  assert.doesNotMatch((await runCommand(all, {}, {})).text, /^[!+] bridge/m);
  write('bridge.env', `127.0.0.1:${main.statusPort()}`, 'main');

  const json = JSON.parse((await runCommand([...all, '--json'], {}, {})).text);
  assert.deepEqual(Object.keys(json), ['bridge', 'berlin', 'hamburg', 'munich', 'vienna']);
  assert.deepEqual([json.bridge.pbxId, json.berlin.pbxId], ['main', 'berlin']);
});

test('a bridge that has the port, but not the state folder, of these settings is another one', async (t) => {
  const [first, second] = [await createStand(t, { STATUS_LISTEN: '127.0.0.1:0' }), await createRig()];
  t.after(() => second.close());
  await first.start();
  const running = second.startBridge();
  await running.says('ami.connected');
  const url = `127.0.0.1:${first.statusPort()}`;
  const env = { STATUS_LISTEN: url, PBX_ID: 'pbx', STATE_DIR: second.stateDir };
  const { code, error } = await runCommand(['status'], env, {});
  assert.equal(code, 1);
  assert.match(
    error,
    /is another bridge, with PBX_ID=pbx and process \d+: this one, process \d+, has no status there/,
  );
  const own = { ...env, STATE_DIR: first.env.STATE_DIR as string };
  assert.equal((await runCommand(['status'], own, {})).code, 0);
});

test('status --all without any bridge says where it looked', async (t) => {
  const folder = temporaryFolder(t);
  await assert.rejects(
    runCommand(['status', '--all', '--folder', folder], {}, {}),
    new RegExp(
      `--folder: got ${folder}, which contains no settings; takes a directory with one NAME\\.env for each bridge`,
    ),
  );
});
