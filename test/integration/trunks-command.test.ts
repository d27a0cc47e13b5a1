import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amiEvent } from '../tools/fakes/ami-event.ts';
import { runCommand } from '../tools/program/operator.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { createStand } from '../tools/program/stand.ts';

const rings = (number = '+49401234561', count = 1) =>
  amiEvent('Newchannel', {
    Channel: `PJSIP/isp-0000000${count}`,
    CallerIDNum: number,
    Uniqueid: `1763600000.${count}`,
    Linkedid: `1763600000.${count}`,
  });

test('trunks are listed with their evidence, added and forgotten while the bridge runs', async (t) => {
  const stand = await createStand(t);
  await stand.start();
  stand.pbx.send(rings());
  await stand.caughtUp();
  const trunks = async (args: readonly string[] = [], settings = {}) => {
    const ran = await runCommand(['trunks', ...args], { ...stand.env, ...settings });
    return { ...ran, flat: ran.text.replace(/\n +(?=\S)/g, ' ') };
  };
  const isp =
    /^PJSIP\/isp +calls came in in context from-trunk, which matches INBOUND_CONTEXTS; first call .*, last .*; writes numbers as \+49x+$/m;
  assert.match((await trunks()).flat, isp);
  const wrong = await trunks([], { INBOUND_CONTEXTS: 'from-provider' });
  assert.match(wrong.flat, /^PJSIP\/isp +not a trunk now: .* no longer matches INBOUND_CONTEXTS;/m);
  const byName = await trunks([], { INBOUND_CHANNELS: 'PJSIP/isp-*' });
  assert.match(byName.flat, /^PJSIP\/isp +matches INBOUND_CHANNELS;/m);

  assert.match((await trunks(['add', 'PJSIP/out'])).flat, /^PJSIP\/out is a trunk from now on/);
  assert.match((await trunks()).flat, /^PJSIP\/out +added by an operator; no call seen yet$/m);
  assert.deepEqual(await runCommand(['trunks', 'add', 'out'], stand.env).then(({ code }) => code), 1);
  assert.match((await trunks(['forget', 'PJSIP/isp'])).flat, /^PJSIP\/isp is forgotten/);
  assert.equal((await trunks(['forget', 'PJSIP/isp'])).code, 3);
  assert.doesNotMatch((await trunks()).flat, /PJSIP\/isp/);
  const [row] = JSON.parse((await trunks(['--json'])).text);
  assert.deepEqual([row.endpoint, row.isTrunk], ['PJSIP/marker', true]);
});

test('a rule for a trunk: trunks and check --number say so', async (t) => {
  const stand = await createStand(t);
  await stand.start();
  stand.pbx.send(rings('4915112345678', 1));
  await stand.caughtUp();
  const run = async (args: readonly string[], TRUNK_NUMBERS: string) => {
    const { text } = await runCommand(args, { ...stand.env, DEFAULT_COUNTRY: 'DE', TRUNK_NUMBERS });
    return text.replace(/\n +(?=\S)/g, ' ');
  };
  const rule = 'PJSIP/isp-*:e164';
  assert.match(await run(['trunks'], rule), /; read by TRUNK_NUMBERS PJSIP\/isp-\*:e164$/m);
  const number = ['check', '--number', '31612345678'];
  assert.match(await run(number, rule), /on PJSIP\/isp-\*: reported as \+31612345678 \(TRUNK_NUMBERS=/);
  assert.match(
    await run(number, rule),
    /on any other trunk: reported as \+4931612345678 \(as dialled in DE\)/,
  );
  assert.doesNotMatch(await run(number, ''), /\+31612345678/);
});

test('trunks of a folder where no bridge was started: says so', async (t) => {
  const env = { STATE_DIR: temporaryFolder(t) };
  assert.equal((await runCommand(['trunks'], env)).code, 1);
  await assert.rejects(
    runCommand(['trunks', 'add', 'PJSIP/x'], env),
    /no state in .*: start the bridge once/,
  );
});
