import assert from 'node:assert/strict';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseEnvFile } from '../../src/cli/config/env-file.ts';
import { run } from '../tools/packaging/machine.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { createStand } from '../tools/program/stand.ts';
import { cli } from '../tools/program-under-test.ts';

/** A machine's two files, an Asterisk that is asked to reload, and the command with this environment. */
function machine(t: TestContext, manager = '[general]\nenabled = yes\n') {
  const folder = temporaryFolder(t);
  const at = (name: string) => join(folder, name);
  mkdirSync(at('bin'));
  writeFileSync(at('bin/asterisk'), `#!/bin/sh\necho "$@" >> ${at('asked')}\n`, { mode: 0o755 });
  writeFileSync(at('manager.conf'), manager, { mode: 0o640 });
  writeFileSync(at('bridge.env'), '# Mine.\nAPI_BASE_URL=\nAPI_TOKEN=\nAMI_USERNAME=\nAMI_SECRET=\n');
  const setup = (...args: string[]) => {
    const environment = [`ENV_FILE=${at('bridge.env')}`, `STATE_DIR=${at('state')}`];
    const path = `PATH=${at('bin')}${delimiter}${process.env.PATH}`;
    const command = [process.execPath, cli, 'setup', '--manager-file', at('manager.conf'), ...args];
    return run('env', [...environment, path, ...command]);
  };
  const read = (name: string) => readFileSync(at(name), 'utf8');
  return { at, setup, read };
}

const api = ['API_BASE_URL=http://127.0.0.1:9/api/v1', 'API_TOKEN=secret-token'];

test('setup: a dry run says what it would do and does nothing; then it is done, once', async (t) => {
  const { at, setup, read } = machine(t);
  const before = [read('bridge.env'), read('manager.conf')];
  const dry = await setup(...api, '--dry-run');
  assert.equal(dry.code, 0, dry.output);
  assert.match(dry.output, /^would add the manager user \[pbx-bridge\] to .*manager\.conf$/m);
  assert.match(dry.output, /^would set API_BASE_URL, API_TOKEN, AMI_USERNAME, AMI_SECRET in .*bridge\.env$/m);
  assert.match(dry.output, /^would run asterisk -rx "manager reload"$/m);
  assert.doesNotMatch(dry.output, /secret-token/);
  assert.deepEqual([read('bridge.env'), read('manager.conf')], before);

  // Neither Asterisk nor the API is there: it is configured, and says so, and is not started.
  const first = await setup(...api);
  assert.equal(first.code, 2, first.output);
  assert.match(first.output, /^FAIL[\s\S]*^the bridge was not started/m);
  assert.equal(read('asked'), '-rx manager reload\n');
  const settings = parseEnvFile(read('bridge.env'));
  const [, secret] = /^\[pbx-bridge\]\nsecret = (\S{32})$/m.exec(read('manager.conf')) ?? [];
  assert.deepEqual(
    [settings.API_TOKEN, settings.AMI_USERNAME, settings.AMI_SECRET],
    ['secret-token', 'pbx-bridge', secret],
  );
  assert.match(read('bridge.env'), /^# Mine\.\n/);
  assert.equal(statSync(at('manager.conf')).mode & 0o777, 0o640);
  const after = [read('bridge.env'), read('manager.conf')];
  assert.match((await setup(...api)).output, /^nothing to change\n/);
  assert.deepEqual([read('bridge.env'), read('manager.conf')], after);
  assert.equal(read('asked'), '-rx manager reload\n');
});

test('setup: takes the secret that Asterisk has, and refuses unknown settings and values, changing nothing', async (t) => {
  const { setup, read } = machine(t, '[pbx-bridge]\nsecret = known\nread = call\n[other]\nsecret = other\n');
  const before = read('bridge.env');
  for (const [args, line] of [
    [['API_TOKN=x'], /^API_TOKN: unknown setting/m],
    [[...api, 'DEFAULT_COUNTRY=Atlantis'], /^DEFAULT_COUNTRY: got "Atlantis"; takes /m],
    [['API_TOKEN=x'], /^API_BASE_URL: /m],
    [[...api, '--manager-file', '/nowhere'], /^AMI_USERNAME: not set, .*\/nowhere is not there/m],
  ] as const) {
    const { code, output } = await setup(...args);
    assert.equal(code, 78, output);
    assert.match(output, line);
  }
  assert.equal(read('bridge.env'), before);
  await setup(...api);
  assert.equal(parseEnvFile(read('bridge.env')).AMI_SECRET, 'known');
});

test('setup: writes through no symbolic link, which another user may have put there, and changes nothing', async (t) => {
  for (const name of ['manager.conf', 'bridge.env']) {
    const { at, setup, read } = machine(t);
    renameSync(at(name), at('elsewhere'));
    symlinkSync(at('elsewhere'), at(name));
    const files = ['manager.conf', 'bridge.env', 'elsewhere'];
    const before = files.map(read);
    for (const args of [api, [...api, '--dry-run']]) {
      const { code, output } = await setup(...args);
      assert.equal(code, 78, output);
      assert.match(output, /is a symbolic link: give the file that it leads to/);
      assert.deepEqual(files.map(read), before);
    }
    assert.deepEqual(readdirSync(at('.')).sort(), ['bin', ...files].sort());
  }
});

test('setup: settings that work are replaced only by settings that do; root adds to the file of Asterisk', async (t) => {
  const { env } = await createStand(t);
  const { AMI_USERNAME: _, ...settings } = env;
  const manager = '[general]\nenabled = yes\n[bridge]\nsecret = sesame\n';
  const { at, setup, read } = machine(t, manager);
  const given = Object.entries({ ...settings, AMI_USERNAME: 'bridge', STATE_DIR: at('state') });
  const first = await setup(...given.map((pair) => pair.join('=')));
  assert.equal(first.code, 0, first.output);
  const before = read('bridge.env');
  for (const wrong of [['AMI_SECRET=wrong'], ['API_TOKEN=wrong', 'LOG_LEVEL=debug']]) {
    const { code, output } = await setup(...wrong);
    assert.equal(code, 2, output);
    assert.match(output, /^FAIL/m);
    assert.match(output, /bridge\.env is unchanged, and so is the bridge: correct what failed, /);
    assert.doesNotMatch(output, /^set /m);
    assert.equal(read('bridge.env'), before);
  }
  assert.deepEqual(readdirSync(at('.')).sort(), ['bin', 'bridge.env', 'manager.conf']);
  const right = await setup('LOG_LEVEL=debug');
  assert.equal(right.code, 0, right.output);
  assert.match(right.output, /^set LOG_LEVEL in .*bridge\.env$/m);
  assert.equal(parseEnvFile(read('bridge.env')).LOG_LEVEL, 'debug');
  assert.equal(statSync(at('bridge.env')).mode & 0o777, 0o644);
});
