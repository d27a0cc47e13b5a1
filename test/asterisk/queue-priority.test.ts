import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { connectAmi } from '../tools/lab/ami.ts';
import { start } from '../tools/lab/asterisk.ts';
import { type BoardChannel, createBoard } from '../tools/lab/board.ts';
import { managerUsers } from '../tools/lab/config.ts';
import { labImpossible, type Version, versions } from '../tools/lab/install.ts';
import { office, phonePort } from '../tools/lab/offices.ts';
import type { PortBlock } from '../tools/lab/ports.ts';
import { calls, phone } from '../tools/lab/sip-script.ts';
import { type SipEnd, startSipp, tellSipp } from '../tools/lab/sipp.ts';
import { type Program, runProgram, temporaryFolder } from '../tools/program/program.ts';

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

const agiPort = (ports: PortBlock) => ports.at(ports.room - 1);
const dialplan = (ports: PortBlock) => `
[general]
[globals]
PBX_BRIDGE_AGI = 127.0.0.1:${agiPort(ports)}
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

type Caller = { readonly channel: BoardChannel; hangsUp(): void };

async function openScene(t: TestContext, version: Version) {
  const pbx = await start(version, { dialplan, files: { 'queues.conf': queues } });
  t.after(() => pbx.stop());
  const board = createBoard();
  const times = new Map<string, Map<string, number>>();
  const driver = await connectAmi({
    port: pbx.ports.ami,
    username: managerUsers.driver.name,
    secret: managerUsers.driver.secret,
    onEvent(frame) {
      const { Event: event, Uniqueid: uniqueid = '', Application: application = '' } = frame.fields;
      if (event === 'Newexten') {
        const reached = times.get(uniqueid) ?? new Map<string, number>();
        if (!reached.has(application)) times.set(uniqueid, reached.set(application, performance.now()));
      }
      board.apply(frame);
    },
  });
  t.after(() => driver.close());

  const folder = temporaryFolder(t);
  const run = (args: readonly string[], env: Record<string, string>): Program => {
    const program = runProgram(args, { env, cwd: folder });
    t.after(async () => void (await program.end('SIGKILL')));
    return program;
  };
  const serviceEnv = { SERVICE_LISTEN: '127.0.0.1:0', SERVICE_COUNTRY: 'DE' };
  const serviceCommand = async (...args: string[]) => {
    const command = run(['service', ...args], serviceEnv);
    assert.equal((await command.ended).code, 0, command.output());
    return command.output();
  };
  const service = run(['service'], serviceEnv);
  const [, url] = await service.says(/"url":"([^"]+)"/);
  await serviceCommand('segments', 'set', 'gold', '10');
  await serviceCommand('segments', 'set', 'silver', '5');
  writeFileSync(`${folder}/customers.csv`, customers);
  await serviceCommand('customers', 'import', 'customers.csv');
  const [, token = ''] = /API_TOKEN=(\S+)/.exec(await serviceCommand('token')) ?? [];

  const bridge = run(['run'], {
    AMI_PORT: String(pbx.ports.ami),
    AMI_USERNAME: managerUsers.bridge.name,
    AMI_SECRET: managerUsers.bridge.secret,
    API_BASE_URL: `${url}/api/v1`,
    API_TOKEN: token,
    DEFAULT_COUNTRY: 'DE',
    AGI_LISTEN: `127.0.0.1:${agiPort(pbx.ports)}`,
    AGI_DEADLINE_MS: String(DEADLINE_MS),
    LOG_FORMAT: 'json',
  });
  await bridge.says(/"code":"ami\.connected"/);

  const ends: SipEnd[] = [];
  t.after(() => Promise.all(ends.map((end) => end.close())));
  const mobile = 'none';
  const phonePorts = phonePort(pbx.ports, office(1), 1);
  ends.push(await startSipp({ script: phone.answers(), port: phonePorts, mobile }));

  const place = async (
    from: string,
    to: string,
    headers: readonly string[],
    isIt: (channel: BoardChannel) => boolean,
  ): Promise<Caller> => {
    const known = new Set(board.channels.keys());
    const port = pbx.ports.at(20 + ends.length);
    const end = await startSipp({ script: calls({ to, from, headers }), port, calls: pbx.ports.sip, mobile });
    ends.push(end);
    const channel = await board.until(`the call from ${from}`, () =>
      [...board.channels.values()].find((each) => !known.has(each.uniqueid) && isIt(each)),
    );
    return { channel, hangsUp: () => tellSipp(end, 'hangUp') };
  };

  return {
    pbx,
    service,
    bridge,
    board,
    customerCalls: (from: string) => place(from, did, ['X-Trunk: yes'], ({ exten }) => exten === did),
    phoneDials: (from: string, to: string) =>
      place(from, to, [], ({ name }) => name.startsWith(`PJSIP/${from}-`)),
    reaches: ({ channel }: Caller, application: string) =>
      board.until(`${channel.name} is in ${application}`, () => channel.application === application),
    isServed: ({ channel }: Caller) =>
      board.until(`${channel.name} is served`, () =>
        board.connected(channel).some(({ name }) => name.startsWith(`PJSIP/${agent}-`)),
      ),
    isGone: ({ channel }: Caller) => board.until(`${channel.name} is gone`, () => channel.gone),
    async variable(name: string, { channel }: Caller) {
      const { fields } = await driver.action('GetVar', { Channel: channel.name, Variable: name });
      return fields.Value ?? '';
    },
    /** How long the dialplan was held: from the lookup to what came after it, ms. */
    held({ channel }: Caller): number {
      const reached = times.get(channel.uniqueid);
      return (reached?.get('Return') ?? Number.NaN) - (reached?.get('AGI') ?? Number.NaN);
    },
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

/** While the agent talks to `first`, the two others come in; says in which order they are then served. */
async function twoWait(scene: Scene, first: string, others: readonly [string, string]) {
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
