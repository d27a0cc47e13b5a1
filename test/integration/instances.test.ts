import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Finding } from '../../src/cli/check/finding.ts';
import { parseEnvFile } from '../../src/cli/config/env-file.ts';
import { amiEvent } from '../tools/fakes/ami-event.ts';
import { run } from '../tools/packaging/machine.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { createStand } from '../tools/program/stand.ts';
import { cli } from '../tools/program-under-test.ts';
import { until } from '../tools/until.ts';

/** A machine's settings by name, and the program as the package's command starts it there. */
function machine(t: TestContext, settings: Readonly<Record<string, string>>) {
  const folder = temporaryFolder(t);
  const at = (name: string) => join(folder, name);
  mkdirSync(at('etc'));
  for (const [name, text] of Object.entries(settings)) writeFileSync(at(`etc/${name}.env`), text);
  const environment = [`ENV_FILE=${at('etc/bridge.env')}`, `STATE_DIRECTORY=${at('state/bridge')}`];
  const bridge = (...args: string[]) => run('env', [...environment, process.execPath, cli, ...args]);
  return { at, bridge, environment };
}

const required =
  'AMI_PORT=1\nAMI_USERNAME=u\nAMI_SECRET=s\nAPI_BASE_URL=http://127.0.0.1:9/api/v1\nAPI_TOKEN=t\n';

test('--instance: settings and state are those of the unit with this name, in every command', async (t) => {
  const { at, bridge, environment } = machine(t, {
    bridge: `${required}PBX_ID=first\n`,
    'firm-a': `${required}PBX_ID=firm-a\nSTATUS_LISTEN=127.0.0.1:1\n`,
    'berlin.mitte': `${required}PBX_ID=berlin.mitte\nSTATUS_LISTEN=127.0.0.1:2\n`,
  });
  const checked = async (...args: string[]) => (await bridge('check', ...args)).output;
  assert.match(await checked(), new RegExp(`state directory ${at('state/bridge')}:`));
  assert.match(await checked('--instance', 'firm-a'), new RegExp(`state directory ${at('state/firm-a')}:`));
  assert.match(await checked('--instance', 'bridge'), new RegExp(`state directory ${at('state/bridge')}:`));
  const asBefore = (name: string, ...args: string[]) =>
    run('env', [...environment, `PBX_BRIDGE_INSTANCE=${name}`, process.execPath, cli, ...args]);
  for (const [name, port] of [
    ['firm-a', 1],
    ['berlin.mitte', 2],
  ] as const)
    assert.match(
      (await asBefore(name, 'status')).output,
      new RegExp(`connection refused at http://127\\.0\\.0\\.1:${port}\\b`),
    );
  assert.match((await asBefore('', 'check')).output, new RegExp(`state directory ${at('state/bridge')}:`));
  const nowhere = await bridge('outbox', 'list', '--instance', 'firm-a');
  assert.match(nowhere.output, new RegExp(`cannot read the state of the bridge in ${at('state/firm-a')}`));

  for (const [command, name, says] of [
    [
      'run',
      'firm-b',
      `"firm-b", and there is no ${at('etc/firm-b.env')}; there are berlin.mitte, firm-a; pbx-bridge setup`,
    ],
    ['status', '../firm-a', '"../firm-a"; takes 1 to 32 letters, digits, dots, dashes or underscores'],
    ['status', 'backups', '"backups", which is the folder of the backups'],
  ] as const) {
    const { code, output } = await bridge(command, '--instance', name);
    assert.equal(code, 78, output);
    assert.ok(output.startsWith(`--instance: got ${says}`), output);
  }
});

test('setup --instance: begins with the settings of the first bridge, and with its own ports, token and rules', async (t) => {
  const first = `# Mine.\n${required}PBX_ID=first\nDEFAULT_COUNTRY=NL\nREPORT_RULES=ignore *\nCALL_BACKS=1*\nSTATE_DIR=/srv/state\n`;
  const { at, bridge } = machine(t, { bridge: first });
  const setup = (...args: string[]) => bridge('setup', '--instance', 'firm-a', ...args);
  const file = at('etc/firm-a.env');

  const without = await setup();
  assert.deepEqual([without.code, existsSync(file)], [78, false], without.output);
  assert.match(without.output, /^API_TOKEN: is not set;/);
  const all = await setup('API_TOKEN=token-a');
  assert.deepEqual([all.code, existsSync(file)], [78, false], all.output);
  assert.match(all.output, /^REPORT_RULES: is not set, and bridge is on the same PBX/);
  const rules = 'REPORT_RULES=report called 0301*, ignore *';
  const dry = await setup('API_TOKEN=token-a', rules, '--dry-run');
  assert.deepEqual([dry.code, existsSync(file)], [0, false], dry.output);
  assert.match(dry.output, new RegExp(`^would begin ${file} with the settings of ${at('etc/bridge.env')}, `));

  // Nothing answers at the PBX and at the API: it is configured, and not started.
  const { code, output } = await setup('API_TOKEN=token-a', rules);
  assert.equal(code, 2, output);
  assert.match(output, /^FAIL[\s\S]*^the bridge was not started/m);
  assert.equal(readFileSync(at('etc/bridge.env'), 'utf8'), first);
  assert.equal(statSync(file).mode & 0o777, 0o640);
  const text = readFileSync(file, 'utf8');
  const { AGI_LISTEN = '', STATUS_LISTEN = '', ...settings } = parseEnvFile(text);
  assert.match(text, /^# Mine\.$/m);
  assert.deepEqual(settings, {
    ...parseEnvFile(required),
    API_TOKEN: 'token-a',
    PBX_ID: 'firm-a',
    DEFAULT_COUNTRY: 'NL',
    REPORT_RULES: 'report called 0301*, ignore *',
    CALL_BACKS: '',
    STATE_DIR: '',
  });
  for (const address of [AGI_LISTEN, STATUS_LISTEN]) {
    assert.match(address, /^127\.0\.0\.1:\d+$/);
    assert.ok(!['127.0.0.1:9437', '127.0.0.1:9438', ''].includes(address), address);
    assert.ok(output.includes(`=${address}\n`), output);
  }
  assert.notEqual(AGI_LISTEN, STATUS_LISTEN);
  // Again: only what differs changes.
  assert.match((await setup('API_TOKEN=token-a')).output, /^nothing to change\n/);
  assert.equal(readFileSync(file, 'utf8'), text);
});

test('setup --instance: those that run at the same time choose different ports', async (t) => {
  const { at, bridge } = machine(t, { bridge: required });
  const names = ['firm-a', 'firm-b', 'firm-c', 'firm-d'];
  const outputs = await Promise.all(
    names.map((name) =>
      bridge('setup', '--instance', name, `API_TOKEN=${name}`, 'REPORT_RULES=report called 0301*, ignore *'),
    ),
  );
  for (const { code, output } of outputs) assert.equal(code, 2, output);
  const addresses = names.flatMap((name) => {
    const { AGI_LISTEN, STATUS_LISTEN } = parseEnvFile(readFileSync(at(`etc/${name}.env`), 'utf8'));
    return [AGI_LISTEN, STATUS_LISTEN];
  });
  assert.equal(new Set(addresses).size, 8, addresses.join(' '));
});

test('setup: refuses a port that another bridge of the machine has', async (t) => {
  const { at, bridge } = machine(t, {
    bridge: required,
    'firm-a': `${required}AGI_LISTEN=0.0.0.0:9501\nSTATUS_LISTEN=off\nAGI_ALLOW=10.0.0.1\n`,
  });
  const before = readFileSync(at('etc/firm-a.env'), 'utf8');
  const clash = await bridge('setup', '--instance', 'firm-a', 'AGI_LISTEN=localhost:9437');
  assert.equal(clash.code, 78, clash.output);
  assert.equal(
    clash.output,
    `AGI_LISTEN: localhost:9437 is also AGI_LISTEN of ${at('etc/bridge.env')}; give each bridge a port of its own\n`,
  );
  const plain = await bridge('setup', 'STATUS_LISTEN=127.0.0.1:9501');
  assert.ok(plain.output.startsWith('STATUS_LISTEN: 127.0.0.1:9501 is also AGI_LISTEN of '), plain.output);
  assert.equal(readFileSync(at('etc/firm-a.env'), 'utf8'), before);
});

test('check names what two bridges share, and the calls that both or none of them report', async (t) => {
  const stand = await createStand(t);
  await stand.start();
  for (const [index, Exten] of ['0301234', '0304567', '0309999'].entries()) {
    const Uniqueid = `1700000000.${index}`;
    const call = { Channel: `PJSIP/isp-${index}`, CallerIDNum: '0301111111', Uniqueid, Linkedid: Uniqueid };
    stand.pbx.send(amiEvent('Newchannel', { ...call, Exten }));
    stand.pbx.send(amiEvent('Hangup', call));
  }
  const isReported = () => [...stand.reported().values()].filter(({ length }) => length === 2).length === 3;
  await until('three calls to be reported', isReported);
  await stand.stop();
  const settings = (more: Readonly<Record<string, string>>) =>
    Object.entries({ ...stand.env, DEFAULT_COUNTRY: 'DE', STATUS_LISTEN: 'off', ...more })
      .map(([name, value]) => `${name}=${value}\n`)
      .join('');
  const { at, bridge } = machine(t, {
    bridge: '',
    'firm-a': settings({
      AGI_LISTEN: '127.0.0.1:9501',
      REPORT_RULES: 'report called 03012*, ignore *',
      CALL_BACKS: '1*,2001',
    }),
    'firm-b': settings({
      API_TOKEN: 'b',
      AGI_LISTEN: '0.0.0.0:9501',
      AGI_ALLOW: '10.0.0.1',
      REPORT_RULES: 'report called 0301*, report called 0304*, ignore *',
      CALL_BACKS: '200?,3*',
    }),
    'other-pbx': settings({ AMI_PORT: '1', AGI_LISTEN: 'off', CALL_BACKS: 'yes' }),
  });
  const { output } = await bridge('check', '--instance', 'firm-a', '--json');
  const { findings } = JSON.parse(output) as { findings: Finding[] };
  const texts = findings.slice(2, 7).map(({ what, result, verdict }) => `${verdict}: ${what}: ${result}`);
  assert.deepEqual(texts, [
    `error: AGI_LISTEN 127.0.0.1:9501: also AGI_LISTEN of ${at('etc/firm-b.env')}`,
    'warning: API_TOKEN: also that of other-pbx: both report to the same account',
    'warning: REPORT_RULES: calls to +49301234 are reported by firm-a (report called 03012*) and firm-b (report called 0301*)',
    'warning: REPORT_RULES: calls to +49309999 are reported by none of firm-a, firm-b',
    'warning: CALL_BACKS: calls of some phones are told by firm-a (1*,2001) and firm-b (200?,3*)',
  ]);
});
