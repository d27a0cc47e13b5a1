import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { didOf } from '../tools/lab/dialplan.ts';
import { freepbxDialplan } from '../tools/lab/freepbx-dialplan.ts';
import { labImpossible, type Version, versions } from '../tools/lab/install.ts';
import type { PortBlock } from '../tools/lab/ports.ts';
import { event } from '../tools/service/harness.ts';
import { withStore } from '../tools/service/people.ts';
import { until } from '../tools/until.ts';
import { type LookupScene, lookupPort, openLookupScene } from './lookup-scene.ts';
import { worlds } from './worlds.ts';

/**
 * What a dialplan does with what the service knows of a caller, by the sample's lines, on a real Asterisk: a blocked caller is
 * rejected, a promised call back reaches who promised it, everybody else the queue.
 */
const sample = readFileSync(new URL('../../config/asterisk/extensions_custom.conf', import.meta.url), 'utf8');
const [known, promised, gone, blocked, hostile, stranger] = [1, 2, 3, 4, 5, 9].map(
  (digit) => `+494066969010${digit}`,
) as [string, string, string, string, string, string];
/** Values that would do something in a dialplan which takes them for more than text. */
const evil = `x\${SHELL(touch /tmp/x)}"),System(x)&'Ö`;
const customers = `reference,name,segment,numbers,language,blocked
1,Ann,gold,${known},de,
2,Bob,silver,${promised},,
3,Cid,silver,${gone},,
4,Dun,,${blocked},,yes
5,"${evil.replaceAll('"', '""')}",silver,${hostile},,
`;

const plain = (ports: PortBlock) => `
[general]
[globals]
PBX_BRIDGE_AGI = 127.0.0.1:${lookupPort(ports)}
[from-trunk]
exten => ${didOf(0, 1)},1,Gosub(pbx-bridge-caller,s,1)
 same => n,Queue(support)
 same => n,Hangup()
[from-internal]
${sample}`;

const queues = `
[general]
[support]
strategy = ringall
timeout = 15
member => PJSIP/1001
`;

/** What FreePBX writes for an inbound route to a custom destination that returns, and goes on to a queue. */
const freepbx = (version: Version) => (ports: PortBlock) =>
  `${freepbxDialplan(version, ports.fastAgi, [
    { index: 0, lines: ['Gosub(pbx-bridge-caller,s,1)', 'Goto(ext-queues,{O}400,1)'] },
  ]).replace('[globals]\n', `[globals]\nPBX_BRIDGE_AGI=127.0.0.1:${lookupPort(ports)}\n`)}\n${sample}`;

const dialplans = versions.flatMap((version) => {
  const world = worlds[version === '22' ? 'freepbx-22' : 'freepbx-16'];
  const { files = {}, tech = 'PJSIP' } = world;
  return [
    [version, 'plain Asterisk', { dialplan: plain, files: { 'queues.conf': queues } }],
    [version, "FreePBX's lines", { dialplan: freepbx(version), files, tech }],
  ] as const;
});

/** What the service knows besides the customers: 1002 has spoken with Ann, and two callers are to be called back. */
async function fill({ service: { url, folder, token, command } }: LookupScene): Promise<void> {
  const [admin = ''] = /^\S{20,}$/m.exec(await command('account', 'admin-token')) ?? [];
  const send = async (method: string, path: string, body: object, bearer = admin) => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    assert.ok(answer.ok, `${path}: ${await answer.text()}`);
  };
  const report = (fields: object) => send('POST', '/api/v1/voice/call', event({ ...fields }), token);
  await report({ id: 'answered', from: known, status: 'answered', caller_id: '1002' });
  for (const [user, extension, from] of [
    ['Eve', '1002', promised],
    ['Fay', '1999', gone],
  ] as const) {
    for (const status of ['ringing', 'completed']) await report({ id: `missed ${from}`, from, status });
    await send('POST', '/admin/users', { name: user, role: 'agent', extensions: [extension] });
    const taken = { number: from, at: Date.now(), user, kind: 'taken', text: null } as const;
    await withStore({ stateDir: `${folder}/state/service` }, ({ callers }) => callers.act(1, taken));
  }
}

const skip = labImpossible() ?? false;
const names = [
  'SEGMENT',
  'NAME',
  'LANGUAGE',
  'BLOCKED',
  'LAST_EXTENSION',
  'CALLBACK_EXTENSION',
  'PRIORITY_STATUS',
];

for (const [version, dialplan, lab] of dialplans)
  test(`what is known of a caller, on Asterisk ${version} with ${dialplan}`, {
    skip,
  }, async (t: TestContext) => {
    const scene = await openLookupScene(t, version, {
      ...lab,
      customers,
      did: didOf(0, 1),
      phones: [1, 2],
      settings: { AGI_DEADLINE_MS: '5000', API_EXTRAS: 'yes' },
    });
    await fill(scene);
    const variables = async (caller: Parameters<typeof scene.variable>[1]) =>
      Promise.all(names.map((name) => scene.variable(`CALLER_${name}`, caller)));

    await t.test('a customer reaches the queue, by priority; all that is known is set', async () => {
      const caller = await scene.customerCalls(known);
      await scene.isServed(caller, '1001');
      assert.deepEqual(await variables(caller), ['gold', 'Ann', 'de', '', '1002', '', 'FOUND']);
      assert.equal(await scene.variable('QUEUE_PRIO', caller), '10');
      caller.hangsUp();
      await scene.isGone(caller);
    });

    await t.test('a caller reaches the colleague who has promised to call back', async () => {
      const caller = await scene.customerCalls(promised);
      await scene.isServed(caller, '1002');
      assert.ok(!scene.reached(caller).has('Queue'));
      caller.hangsUp();
      await scene.isGone(caller);
    });

    await t.test('a colleague whose phone does not exist: the queue', async () => {
      const caller = await scene.customerCalls(gone);
      await scene.isServed(caller, '1001');
      assert.equal(await scene.variable('CALLER_CALLBACK_EXTENSION', caller), '1999');
      caller.hangsUp();
      await scene.isGone(caller);
    });

    await t.test('a blocked caller is rejected, and rings nobody', async () => {
      const caller = await scene.customerCalls(blocked);
      await scene.isGone(caller);
      for (const application of ['Dial', 'Queue', 'Answer'])
        assert.ok(!scene.reached(caller).has(application), application);
      const stateDir = `${scene.service.folder}/state/service`;
      await until('the end of the call to be stored', () =>
        withStore({ stateDir }, async (store) => {
          const called = await store.callers.lastCalls(1, [blocked]);
          return called.size > 0 && (await store.openCalls(1, 9)).every(({ number }) => number !== blocked);
        }),
      );
      const toCallBack = await withStore({ stateDir }, ({ callers }) =>
        callers.missedAmong(1, 0, [blocked, promised]),
      );
      assert.deepEqual(toCallBack, [promised], 'nobody calls back who is blocked');
    });

    await t.test('a name does nothing in the dialplan', async () => {
      const caller = await scene.customerCalls(hostile);
      await scene.isServed(caller, '1001');
      const [segment, name] = await variables(caller);
      assert.deepEqual([segment, name], ['silver', 'x SHELL touch tmp x System x Ö']);
      caller.hangsUp();
      await scene.isGone(caller);
    });

    await t.test(
      'a stranger reaches the queue; nothing is known, and nothing is left of others',
      async () => {
        const caller = await scene.customerCalls(stranger);
        await scene.isServed(caller, '1001');
        assert.deepEqual(await variables(caller), ['', '', '', '', '', '', 'NOTFOUND']);
        caller.hangsUp();
        await scene.isGone(caller);
      },
    );
  });
