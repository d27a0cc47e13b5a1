import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFarSide } from '../fakes/far-side.ts';
import { runCommand } from '../integration/operator.ts';
import { temporaryFolder } from '../integration/program.ts';
import { connectAmi } from './ami.ts';
import { managerUsers } from './config.ts';
import { labImpossible, versions } from './install.ts';
import { openLab } from './lab.ts';
import { onlyNeededActions, startWire } from './wire.ts';

const skip = labImpossible() ?? false;

/** What `check` says of a real Asterisk: with the manager user of the documents, and with worse ones. */
for (const version of versions)
  test(`check on a real Asterisk ${version}`, { skip }, async (t) => {
    const lab = await openLab(version);
    const farSide = await startFarSide({ token: 'a-token' });
    t.after(async () => {
      await lab.stop();
      await farSide.close();
    });
    const env = {
      AMI_PORT: String(lab.pbx.ports.ami),
      AMI_USERNAME: managerUsers.bridge.name,
      AMI_SECRET: managerUsers.bridge.secret,
      API_BASE_URL: farSide.baseUrl,
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
        ['BridgeList', 'CoreSettings', 'DeviceStateList', 'Getvar', 'ListCommands', 'Ping', 'ShowDialPlan'],
      );
      assert.equal(code, 0);
    });
  });
