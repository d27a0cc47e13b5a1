import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runProgram, temporaryFolder } from '../tools/program/program.ts';
import { cli } from '../tools/program-under-test.ts';

const configured = {
  AMI_PORT: '1',
  AMI_USERNAME: 'bridge',
  AMI_SECRET: 'sesame',
  API_BASE_URL: 'http://127.0.0.1:1/api/v1',
  API_TOKEN: 'a-token-that-is-never-shown',
  AGI_LISTEN: '127.0.0.1:0',
  STATUS_LISTEN: '127.0.0.1:0',
};

test('with nothing configured: three lines say what to do, exit 78', async (t) => {
  const program = runProgram(['run'], { env: {}, cwd: temporaryFolder(t) });
  assert.deepEqual(await program.ended, { code: 78, signal: null });
  const lines = program.output().trimEnd().split('\n');
  assert.equal(lines.length, 3);
  assert.match(lines[0] ?? '', /npm run demo/);
  assert.match(lines[1] ?? '', /pbx-bridge\.env\.example/);
  assert.match(lines[2] ?? '', /npx pbx-bridge service/);
});

test('wrong settings, from the environment and from .env: one line each, exit 78, nothing started', async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, '.env'), 'AMI_PORT=abc\nLOG_LEVEL=loud\nAMI_USERNAME=bridge\n');
  const env = { API_TOKEN: configured.API_TOKEN, API_BASE_URL: 'ftp://x' };
  const program = runProgram(['run'], { env, cwd });
  assert.deepEqual(await program.ended, { code: 78, signal: null });
  assert.deepEqual(program.output().trimEnd().split('\n'), [
    'AMI_PORT: got "abc"; takes a port number from 1 to 65535',
    "AMI_SECRET: is not set; takes the manager user's secret, on one line",
    'API_BASE_URL: got "ftp://x"; takes an http or https address that ends in /api/v1',
    'LOG_LEVEL: got "loud"; takes one of debug, info, warn, error',
  ]);
  assert.deepEqual(readdirSync(cwd), ['.env']);
});

test('runs without a PBX, says so and which setting is misspelt, refuses a second one on its folder, and stops with exit 0', async (t) => {
  const cwd = temporaryFolder(t);
  const env = { ...configured, INBOUND_CONTEXT: 'from-trunk' };
  const first = runProgram(['run'], { env, cwd });
  await first.says(/"code":"program\.misspelt"[^\n]*INBOUND_CONTEXTS/);
  await first.says(/"code":"ami\.unreachable"/);
  await runProgram(['check'], { env, cwd }).says(
    /unknown setting INBOUND_CONTEXT\n +-> If you mean INBOUND_CONTEXTS/,
  );
  const second = runProgram(['run'], { env: configured, cwd });
  assert.equal((await second.ended).code, 1);
  assert.match(second.output(), /state/);
  assert.equal(second.output().trimEnd().split('\n').length, 1);
  assert.deepEqual(await first.end('SIGTERM'), { code: 0, signal: null });
  assert.match(first.output(), /"code":"program\.stopped"/);
  assert.doesNotMatch(first.output() + second.output(), /a-token-that-is-never-shown|sesame/);
});

test('the reader has read enough (| head): the command ends without a word', () => {
  const recording = fileURLToPath(
    new URL('../recordings/asterisk-22/attended-transfer-completed/ami.jsonl', import.meta.url),
  );
  // It has ended long before the command writes.
  const script = 'set -o pipefail; "$0" "$1" replay "$2" | true';
  const ran = spawnSync('bash', ['-c', script, process.execPath, cli, recording], { encoding: 'utf8' });
  assert.deepEqual([ran.status, ran.stdout, ran.stderr], [0, '', '']);
});
