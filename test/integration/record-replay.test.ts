import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { systemClock } from '../../src/shared/process/clock.ts';
import type { ExpectedCall } from '../recordings/library.ts';
import { scenario } from '../recordings/library.ts';
import { createPlayer } from '../tools/player/player.ts';
import { runCommand } from '../tools/program/operator.ts';
import { runProgram, temporaryFolder } from '../tools/program/program.ts';
import { until } from '../tools/until.ts';

const { recording, calls } = scenario('asterisk-22/extension-caller-hangs-up');
const environment = { DEFAULT_COUNTRY: 'DE' };

test('record: a call on the wire becomes a file, masked, that replays as the same call', async (t) => {
  const file = `${temporaryFolder(t)}/trouble.jsonl`;
  const pbx = createPlayer({ username: 'bridge', secret: 'sesame', clock: systemClock });
  const { port } = await pbx.listen();
  t.after(() => pbx.close());
  const env = { ...environment, AMI_PORT: String(port), AMI_USERNAME: 'bridge', AMI_SECRET: 'sesame' };
  // Ctrl-C ends it before its time.
  const program = runProgram(['record', '--out', file, '--seconds', '3600'], {
    env,
    cwd: temporaryFolder(t),
  });
  await program.says(/recording into [\s\S]*masked/);
  pbx.send('Event: VarSet\r\nVariable: SECRET\r\nValue: hush');
  await pbx.play(recording, { speed: 5, rename: false });
  // A busy program may still have to read: each frame is in the file as soon as it is read.
  const hangups = (text: string) => text.split(/Event: Hangup(?!R)/).length;
  const played = hangups(recording.frames.map(({ frame }) => frame.toString()).join(''));
  await until('all of it in the file', () => hangups(readFileSync(file, 'utf8')) >= played);
  assert.equal((await program.end('SIGINT')).code, 0);
  assert.match(program.output(), /\d+ call events, \d+ bytes\. To see what they mean: pbx-bridge replay /);

  assert.equal(statSync(file).mode & 0o777, 0o600);
  const text = readFileSync(file, 'utf8');
  const [call] = calls;
  assert.ok(call);
  assert.doesNotMatch(text, new RegExp(call.from.slice(-8)));
  assert.doesNotMatch(text, /hush/);
  const replayed = await runCommand(['replay', file, '--json'], environment);
  const found = JSON.parse(replayed.text) as { calls: ExpectedCall[] };
  assert.equal(replayed.code, 0);
  assert.deepEqual(
    found.calls.map(({ uniqueid, reported }) => ({ uniqueid, reported })),
    calls.map(({ uniqueid, reported }) => ({ uniqueid, reported })),
  );
  assert.equal(found.calls[0]?.from.length, call.from.length);
  const other = await runCommand(['replay', file], { ...environment, INBOUND_CONTEXTS: 'from-provider' });
  assert.equal(other.code, 3);
  assert.match(
    other.text.replace(/\n +/g, ' '),
    /not reported .* context from-trunk matches no INBOUND_CONTEXTS/,
  );
});

test('record: a file that is there is not written over, and a PBX that is not there is said', async (t) => {
  const folder = temporaryFolder(t);
  const env = { AMI_PORT: '1', AMI_USERNAME: 'bridge', AMI_SECRET: 'sesame' };
  const ran = runProgram(['record', '--out', `${folder}/new`, '--seconds', '1'], { env, cwd: folder });
  await assert.rejects(
    runCommand(['record', '--out', '/dev/null'], env),
    /^Error: \/dev\/null exists: choose another file$/,
  );
  assert.equal((await ran.ended).code, 1);
  assert.match(
    ran.output(),
    /cannot connect to Asterisk: nothing answers there \(ECONNREFUSED\); run pbx-bridge check/,
  );
});
