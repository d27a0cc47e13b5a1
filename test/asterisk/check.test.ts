import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createCertificate } from '../tools/certificate.ts';
import { startFakeApi } from '../tools/fakes/fake-api.ts';
import { connectAmi } from '../tools/lab/ami.ts';
import { start } from '../tools/lab/asterisk.ts';
import { managerUsers } from '../tools/lab/config.ts';
import { labImpossible, type Version, versions } from '../tools/lab/install.ts';
import { onlyNeededActions, startWire } from '../tools/lab/wire.ts';
import { run } from '../tools/packaging/machine.ts';
import { runCommand } from '../tools/program/operator.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { cli } from '../tools/program-under-test.ts';
import { readDocument } from '../tools/tree/documents.ts';
import { openLab } from './lab.ts';

const skip = labImpossible() ?? false;

/** What `check` says of a real Asterisk: with the manager user of the documents, and with worse ones. */
for (const version of versions)
  test(`check on a real Asterisk ${version}`, { skip }, async (t) => {
    const lab = await openLab(version);
    const fakeApi = await startFakeApi({ token: 'a-token' });
    t.after(async () => {
      await lab.stop();
      await fakeApi.close();
    });
    const env = {
      AMI_PORT: String(lab.pbx.ports.ami),
      AMI_USERNAME: managerUsers.bridge.name,
      AMI_SECRET: managerUsers.bridge.secret,
      API_BASE_URL: fakeApi.baseUrl,
      API_TOKEN: 'a-token',
      STATE_DIR: `${temporaryFolder(t)}/state`,
      AGI_LISTEN: 'off',
      STATUS_LISTEN: 'off',
    };
    const check = async (changes: Readonly<Record<string, string>>) => {
      const ran = await runCommand(['check'], { ...env, ...changes });
      return { ...ran, flat: ran.text.replace(/\n +(?=\S)/g, ' ') };
    };

    await t.test('as we say it should be set up: all is well', async () => {
      const { flat, code } = await check({});
      assert.match(flat, new RegExp(`^ok +Asterisk at .*: logged in; Asterisk ${lab.pbx.release}$`, 'm'));
      assert.match(
        flat,
        new RegExp(`^ok +version of Asterisk: each change is tried with Asterisk ${version}$`, 'm'),
      );
      assert.match(flat, /^ok +permissions of the manager user: only what is needed$/m);
      assert.match(
        flat,
        /^ok +trunk PJSIP\/trunk: configured with context from-trunk, which matches INBOUND_CONTEXTS; no call seen yet$/m,
      );
      assert.match(flat, /^ok +contexts that INBOUND_CONTEXTS matches: from-trunk; \d+ in the dialplan$/m);
      assert.match(flat, /^ok +clocks of the PBX and of this machine: agree$/m);
      // The lab's outgoing trunks are as FreePBX makes them.
      assert.match(
        flat,
        /^warn +withheld numbers: the header .* is ignored on PJSIP\/siproute-1, .* -> Set trust_id_inbound=yes/m,
      );
      assert.match(flat, /No errors, 1 warning\.\n$/);
      assert.equal(code, 0);
    });
    await t.test(
      'the rights that are needed let their holder read the configuration, passwords too',
      async () => {
        const { name: username, secret } = managerUsers.bridge;
        const ami = await connectAmi({ port: lab.pbx.ports.ami, username, secret, onEvent: () => {} });
        const variable = `AST_CONFIG(manager.conf,${managerUsers.driver.name},secret)`;
        const { fields } = await ami.action('Getvar', { Variable: variable });
        ami.close();
        assert.equal(fields.Value, managerUsers.driver.secret);
      },
    );
    await t.test('through a proxy that answers only the login and the list of channels', async (t) => {
      const wire = await startWire({ port: 0, target: lab.pbx.ports.ami, rewrite: onlyNeededActions });
      t.after(() => wire.close());
      const { flat, code } = await check({ AMI_PORT: String(wire.port) });
      assert.match(flat, /^ok +list channels /m);
      const named = [...flat.matchAll(/^warn +action (\w+): no answer: .* -> If a proxy stands between/gm)];
      assert.deepEqual(
        named.map(([, action]) => action),
        [
          'BridgeList',
          'CoreSettings',
          'DeviceStateList',
          'Getvar',
          'ListCommands',
          'Ping',
          'SIPpeers',
          'ShowDialPlan',
        ],
      );
      assert.equal(code, 0);
    });
  });

/** As README has it for a PBX that is too old for the package: the bridge is on another machine, and TLS is between them. */
test('set up from another machine, over TLS, by the lines of README', { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const { key, cert } = await createCertificate(folder, 'pbx.example.com');
  const pem = `${readFileSync(key, 'utf8')}${readFileSync(cert, 'utf8')}`;
  let tlsPort = 0;
  const pbx = await start(versions[0] as Version, {
    dialplan: () => '[from-trunk]\nexten => _X.,1,Hangup()\n',
    files: (ports) => {
      tlsPort = ports.at(0);
      const file = `/lab/pbx-${process.pid}-${ports.sip}/etc/manager.pem`;
      const tls = `tlsenable = yes\ntlsbindaddr = 127.0.0.1:${tlsPort}\ntlscertfile = ${file}\n`;
      return { 'manager_general.conf': tls, 'manager.pem': pem };
    },
  });
  const fakeApi = await startFakeApi({ token: 'a-token' });
  t.after(async () => {
    await pbx.stop();
    await fakeApi.close();
  });
  const [line = ''] = /^pbx-bridge setup AMI_HOST=[^`]+/m.exec(readDocument('README.md').text) ?? [];
  const { name, secret } = managerUsers.bridge;
  const args = line
    .replace('AMI_PORT=5039', `AMI_PORT=${tlsPort}`)
    .replace('AMI_HOST=pbx.example.com', 'AMI_HOST=127.0.0.1 AMI_TLS_SERVERNAME=pbx.example.com')
    .replace(/AMI_TLS_CA=\S+/, `AMI_TLS_CA=${cert}`)
    .replace(/AMI_USERNAME=\S+/, `AMI_USERNAME=${name}`)
    .replace(/AMI_SECRET=\S+/, `AMI_SECRET=${secret}`)
    .replace(/API_BASE_URL=\S+/, `API_BASE_URL=${fakeApi.baseUrl}`)
    .replace(/API_TOKEN=\S+/, 'API_TOKEN=a-token')
    .replace('pbx-bridge setup', '')
    .split(/[\s\\]+/)
    .filter(Boolean);
  const more = ['STATE_DIR=state', 'AGI_LISTEN=off', 'STATUS_LISTEN=off', 'INBOUND_CONTEXTS=from-trunk'];
  const setUp = await run('env', ['-C', folder, process.execPath, cli, 'setup', ...args, ...more]);
  assert.match(setUp.output.replace(/\n +(?=\S)/g, ' '), /^ok +Asterisk at 127\.0\.0\.1:\d+, .*: logged in/m);
  assert.equal(setUp.code, 0, setUp.output);
  const plain = await run('env', [
    '-C',
    folder,
    process.execPath,
    cli,
    'setup',
    'AMI_TLS_SERVERNAME=other.example.com',
  ]);
  assert.equal(plain.code, 2, plain.output);
  assert.match(plain.output, /other\.example\.com|certificate/);
});
