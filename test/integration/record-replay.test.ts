import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
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
const called =
  /^Exten: (49\d{9,})/m.exec(recording.frames.map(({ frame }) => frame.toString()).join('\n'))?.[1] ?? '';

test('record: a call on the wire becomes a file, masked, that replays as the same call', async (t) => {
  const file = `${temporaryFolder(t)}/trouble.jsonl`;
  const pbx = createPlayer({ username: 'bridge', secret: 'sesame', clock: systemClock });
  const { port } = await pbx.listen();
  t.after(() => pbx.close());
  const REPORT_RULES = `report called +${called.slice(0, -2)}*, ignore *`;
  const ami = { AMI_PORT: String(port), AMI_USERNAME: 'bridge', AMI_SECRET: 'sesame' };
  const env = { ...environment, ...ami, REPORT_RULES };
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
  const byRules = (rules: string) =>
    runCommand(['replay', '--calls', file], { ...environment, REPORT_RULES: rules });
  const same = await byRules(REPORT_RULES);
  assert.match(same.text, /-> answered by /);
  assert.equal(same.error, '');
  assert.match(
    (await byRules(`ignore caller *${call.from.slice(-4)}`)).error,
    /^Numbers may be masked in this/,
  );
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

/** The same call, by a dialplan that has asked for the caller's priority before it dials. */
const withLookup = {
  ...recording,
  frames: recording.frames.flatMap((one) => {
    const text = one.frame.toString();
    if (!text.startsWith('Event: DialBegin')) return [one];
    const [, channel] = /^Channel: (.*)$/m.exec(text) ?? [];
    const [, uniqueid] = /^Uniqueid: (.*)$/m.exec(text) ?? [];
    const status = `Event: Status\r\nChannel: ${channel?.trim()}\r\nUniqueid: ${uniqueid?.trim()}\r\nVariable: CALLER_PRIORITY_STATUS=NOTFOUND`;
    // First: the recorder may ask at once.
    return [{ ms: one.ms, frame: Buffer.from(status) }, one];
  }),
};

test('replay --calls writes what replay --expect compares: what was recorded before and after an upgrade', async (t) => {
  const folder = temporaryFolder(t);
  const recorded = async (name: string, played: typeof recording) => {
    const file = `${folder}/${name}`;
    const pbx = createPlayer({ username: 'bridge', secret: 'sesame', clock: systemClock });
    const { port } = await pbx.listen();
    t.after(() => pbx.close());
    const env = { ...environment, AMI_PORT: String(port), AMI_USERNAME: 'bridge', AMI_SECRET: 'sesame' };
    const program = runProgram(['record', '--out', file], { env, cwd: folder });
    await program.says(/recording into [\s\S]*masked/);
    await pbx.play(played, { speed: 5, rename: false });
    // A slow machine writes the answer to what it asked after the end of the call.
    const last = [/Event: Hangup(?!R)[^\n]*PJSIP\/trunk/, ...(played === withLookup ? [/_STATUS=/] : [])];
    await until('its end in the file', () => last.every((one) => one.test(readFileSync(file, 'utf8'))));
    assert.equal((await program.end('SIGINT')).code, 0);
    return file;
  };
  const [before, after] = [await recorded('before', withLookup), await recorded('after', recording)];

  const { text, code } = await runCommand(['replay', '--calls', before], environment);
  assert.match(text, /^\+\d+\* -> answered by 1001, priority asked first\n$/);
  assert.equal(code, 0);
  const expected = `${folder}/expected.txt`;
  writeFileSync(expected, `# the lines of the office\n${text}`);
  const same = await runCommand(['replay', '--expect', expected, before], environment);
  assert.deepEqual([same.code, same.text], [0, `1 call, as expected by ${expected}.\n`]);

  // Each recording has its own stand-ins for numbers: what is left of them is the same. The lookup is gone.
  const other = await runCommand(['replay', '--expect', expected, after], environment);
  const line = text.trim();
  assert.equal(
    other.text,
    `--- ${expected} (expected)\n+++ ${after} (recorded)\n- ${line}\n+ ${line.replace(', priority asked first', '')}\n`,
  );
  assert.equal(other.code, 1);
  const { same: isSame, calls: lines } = JSON.parse(
    (await runCommand(['replay', '--json', '--expect', expected, after], environment)).text,
  );
  assert.deepEqual([isSame, lines[0]], [false, { is: 'lacks', line }]);
});

test('replay --expect says in one line what it cannot read', async (t) => {
  const folder = temporaryFolder(t);
  const [expected, noRecording] = [`${folder}/expected.txt`, `${folder}/none.jsonl`];
  writeFileSync(expected, '# two\n+49* -> answered by 1001\n+49* answered by 1001\n');
  writeFileSync(noRecording, 'no recording\n');
  const wrong = await runCommand(['replay', '--expect', expected, noRecording], environment);
  assert.equal(wrong.code, 2);
  assert.match(wrong.error, /^\S+expected\.txt cannot be read: line 3 is not a call such as [^\n]+\n$/);
  writeFileSync(expected, '');
  const bad = await runCommand(['replay', '--expect', expected, noRecording], environment);
  assert.equal(bad.code, 2);
  assert.match(bad.error, /^\S+none\.jsonl cannot be read: line 1: not JSON\n$/);
  const absent = await runCommand(['replay', '--expect', `${folder}/absent`, noRecording], environment);
  assert.equal(absent.code, 2);
  assert.match(absent.error, /^\S+absent cannot be read: ENOENT[^\n]+\n$/);
});
