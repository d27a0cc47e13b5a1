import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { labImpossible, type Version, versions } from '../tools/lab/install.ts';
import type { PortBlock } from '../tools/lab/ports.ts';
import { type Caller, type LookupScene, lookupPort, openLookupScene } from './lookup-scene.ts';

/**
 * A queue with one agent on a real Asterisk, the sample dialplan as it is, the real bridge, and the real service with
 * its customers: who is served first, and what becomes of callers when a part of that is not there.
 */
const DEADLINE_MS = 2_000;
const BUSY_MS = 10_000;

const sample = readFileSync(new URL('../../config/asterisk/extensions_custom.conf', import.meta.url), 'utf8');
const did = '493023125100';
const agent = '1001';
const customers = `reference,name,segment,numbers
1,"Gold ""Ö"" One, Ltd",gold,+4940669690101
2,Gold Two,gold,+4940669690102
3,Gold Three,gold,+4940669690103
4,Silver,silver,+4940669690104
`;

const dialplan = (ports: PortBlock) => `
[general]
[globals]
PBX_BRIDGE_AGI = 127.0.0.1:${lookupPort(ports)}
PBX_BRIDGE_SET_NAME = yes
[from-trunk]
exten => ${did},1,Answer()
 same => n,Gosub(pbx-bridge-priority,s,1)
 same => n,Queue(support)
 same => n,Hangup()
[from-internal]
include => from-internal-custom
; Somebody's own lines, under the name that the sample uses too, as on many a FreePBX.
[from-internal-custom]
exten => *775,1,Hangup()
exten => *776,1,AGI(agi://\${PBX_BRIDGE_AGI}/dialparties.agi,1001)
 same => n,SayAlpha(1)
exten => *777,1,Goto(pbx-bridge-priority,s,1)
${sample}`;

const queues = `
[general]
[support]
strategy = ringall
timeout = 15
retry = 1
ringinuse = no
member => PJSIP/${agent}
`;

const openScene = (t: TestContext, version: Version) =>
  openLookupScene(t, version, {
    dialplan,
    files: { 'queues.conf': queues },
    customers,
    did,
    phones: [1],
    settings: { AGI_DEADLINE_MS: String(DEADLINE_MS) },
  });

/** While the agent talks to `first`, the two others come in; says in which order they are then served. */
async function twoWait(scene: LookupScene, first: string, others: readonly [string, string]) {
  const busy = await scene.customerCalls(first);
  await scene.isServed(busy);
  const waiting: Caller[] = [];
  for (const number of others) {
    const caller = await scene.customerCalls(number);
    await scene.reaches(caller, 'Queue');
    waiting.push(caller);
  }
  const status = await Promise.all(waiting.map((it) => scene.variable('CALLER_PRIORITY_STATUS', it)));
  const queuePrio = await Promise.all(waiting.map((it) => scene.variable('QUEUE_PRIO', it)));
  const names = await Promise.all(waiting.map((it) => scene.variable('CALLERID(name)', it)));
  const served: string[] = [];
  let left = waiting.map((caller, i) => ({ caller, number: others[i] as string }));
  busy.hangsUp();
  while (left.length > 0) {
    const next = await Promise.race(left.map((it) => scene.isServed(it.caller).then(() => it)));
    served.push(next.number);
    left = left.filter((it) => it !== next);
    next.caller.hangsUp();
    await scene.isGone(next.caller);
  }
  return { served, status, queuePrio, names, held: waiting.map(scene.held) };
}

const stranger = '+4940669690109';
const skip = labImpossible() ?? false;

for (const version of versions) {
  test(`a queue by priority on a real Asterisk ${version}`, { skip }, async (t) => {
    const scene = await openScene(t, version);

    const tellHeld = (t: TestContext, held: readonly number[]) =>
      t.diagnostic(`the dialplan was held for ${held.map((ms) => ms.toFixed(1)).join(' and ')} ms`);

    await t.test('of two that wait, the later one of a higher segment is served first', async (t) => {
      const { served, status, queuePrio, names, held } = await twoWait(scene, stranger, [
        '+4940669690104',
        '+4940669690101',
      ]);
      assert.deepEqual(served, ['+4940669690101', '+4940669690104']);
      assert.deepEqual(status, ['FOUND', 'FOUND']);
      assert.deepEqual(queuePrio, ['5', '10']);
      assert.deepEqual(names, ['Silver', 'Gold "Ö" One, Ltd'], 'what the phone shows');
      tellHeld(t, held);
    });

    await t.test("Asterisk's console shows what each caller got", async () => {
      const log = await scene.pbx.log();
      for (const said of ['10 (FOUND)', '5 (FOUND)', '0 (NOTFOUND)'])
        assert.ok(log.includes(`pbx-bridge: caller priority ${said}`), said);
    });

    for (const [number, priority] of [
      ['040669690101', '10'],
      ['', '0'],
    ] as const)
      await t.test(`dial *774${number} on a phone, and hear ${priority}`, async () => {
        const caller = await scene.phoneDials('1002', `*774${number}`);
        await scene.reaches(caller, 'SayAlpha');
        assert.equal(await scene.variable('CALLER_PRIORITY', caller), priority);
        caller.hangsUp();
        await scene.isGone(caller);
      });

    await t.test('a script that the bridge does not have: the dialplan goes on', async () => {
      const caller = await scene.phoneDials('1002', '*776');
      await scene.reaches(caller, 'SayAlpha');
      // As after a script that had nothing to say. FAILURE would need a connection that is refused.
      assert.equal(await scene.variable('AGISTATUS', caller), 'SUCCESS');
      for (const name of ['CALLER_PRIORITY', 'CALLER_PRIORITY_STATUS', 'QUEUE_PRIO'])
        assert.equal(await scene.variable(name, caller), '', name);
      caller.hangsUp();
      await scene.isGone(caller);
      await scene.bridge.says(/"code":"agi\.unknown-script"/);
    });

    await t.test("by Goto, as with Return: No, the call ends: Asterisk's log says why", async () => {
      const ended =
        /ERROR\[.*: pbx-bridge-priority was reached by Goto so the call ends here: set Return to Yes/;
      assert.doesNotMatch(await scene.pbx.log(), ended, 'calls by Gosub log nothing');
      await scene.isGone(await scene.phoneDials('1002', '*777'));
      assert.match(await scene.pbx.log(), ended);
    });

    await t.test('the API hangs: served in order of arrival, held no longer than the deadline', async (t) => {
      scene.service.process.kill('SIGSTOP');
      const { served, status, queuePrio, held } = await twoWait(scene, stranger, [
        '+4940669690105',
        '+4940669690102',
      ]);
      assert.deepEqual(served, ['+4940669690105', '+4940669690102']);
      assert.deepEqual(status, ['TIMEOUT', 'TIMEOUT']);
      assert.deepEqual(queuePrio, ['0', '0']);
      tellHeld(t, held);
      // The API never answers. What a machine that is busy with other things adds is not the lookup's.
      for (const ms of held) assert.ok(ms < DEADLINE_MS + BUSY_MS, `${ms} ms`);
    });

    await t.test('the bridge is gone: the dialplan goes on without it', async () => {
      await scene.bridge.end('SIGKILL');
      const caller = await scene.customerCalls('+4940669690101');
      await scene.isServed(caller);
      assert.equal(await scene.variable('CALLER_PRIORITY_STATUS', caller), '');
      assert.equal(await scene.variable('AGISTATUS', caller), 'FAILURE');
      caller.hangsUp();
      await scene.isGone(caller);
    });
  });
}
