import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connectAmi, type Frame } from '../tools/lab/ami.ts';
import { start } from '../tools/lab/asterisk.ts';
import { managerUsers } from '../tools/lab/config.ts';
import { didOf } from '../tools/lab/dialplan.ts';
import { type FarEnd, startFarEnd } from '../tools/lab/far-end.ts';
import { freepbxDialplan } from '../tools/lab/freepbx-dialplan.ts';
import { labImpossible } from '../tools/lab/install.ts';
import { callerPort, offices } from '../tools/lab/offices.ts';
import type { PortBlock } from '../tools/lab/ports.ts';
import { calls, givesUp, type Script } from '../tools/lab/sip-script.ts';
import { startSipp } from '../tools/lab/sipp.ts';
import { startWire } from '../tools/lab/wire.ts';
import { until } from '../tools/until.ts';
import { worlds } from './worlds.ts';

/**
 * Callers who withhold a number that the trunk shows to the PBX, on FreePBX's dialplan, where the bridge can hardly ask: they
 * hang up at once, the dialplan looks up while there is no link, the link is cut, or nobody listens. Nothing of the
 * number may reach the API, and no call may be lost for that.
 */

/** Calls of each kind: those who hang up within 40 ms, and those who do after 50 to 300 ms. */
const SHORT_CALLS = 300;
const AT_ONCE = 12;
const AT_A_TIME = 5 * AT_ONCE;
const CUTS = 20;

/** Stands for withheld numbers at the API. */
const standIn = '+494066969000';
const withheldDigits = '4930231257';
const shownDigits = '4930231259';

/** Where the nth bridge answers lookups. */
const agiPort = (ports: PortBlock, nth: number) => ports.at(ports.room - 1 - nth);

/** Who answers lookups: the bridge, one whose secret is refused, and one whose PBX is not there. */
const lookups = (ports: PortBlock, ...whose: number[]) =>
  whose.flatMap((nth) => {
    const address = `agi://127.0.0.1:${agiPort(ports, nth)}/priority`;
    return [`AGI(${address})`, `AGI(${address},{CALLERID(num)})`];
  });

/** The caller decides how long it is; and a call that the PBX ends when all lookups are answered. */
const routes = (ports: PortBlock) => [
  { index: 0, lines: [...lookups(ports, 0), 'Wait(60)'] },
  { index: 1, lines: [...lookups(ports, 0, 1, 2), 'Answer()', 'Wait(0.1)'] },
];
const [shortDid, longDid] = [didOf(0, 1), didOf(1, 1)];

const withheld = {
  from: 'anonymous',
  name: 'Anonymous',
  headers: [
    'X-Trunk: yes',
    'Privacy: id',
    `P-Asserted-Identity: <sip:+${withheldDigits}[call_number]@127.0.0.1>`,
  ],
};
const shown = { from: `${shownDigits}[call_number]`, headers: ['X-Trunk: yes'] };

/** Follows the calls from outside by Asterisk's own events: Uniqueids of those that rang, and of those that are over. */
async function followCalls(port: number) {
  const rang = new Map<string, string>();
  const over = new Set<string>();
  const onEvent = ({ fields }: Frame) => {
    const { Event, Uniqueid = '', Channel = '', ChannelState, CallerIDNum = '' } = fields;
    if (!/^(PJSIP|SIP)\/trunk-/.test(Channel)) return;
    if (ChannelState === '4' && !rang.has(Uniqueid)) rang.set(Uniqueid, CallerIDNum);
    if (Event === 'Hangup') over.add(Uniqueid);
  };
  const { name: username, secret } = managerUsers.driver;
  const ami = await connectAmi({ port, username, secret, onEvent });
  return {
    close: ami.close,
    /** Those whose number has these digits, when all of them are over. */
    async ended(digits: string): Promise<string[]> {
      const theirs = () =>
        [...rang].flatMap(([uniqueid, number]) => (number.includes(digits) ? [uniqueid] : []));
      const left = () => theirs().filter((uniqueid) => !over.has(uniqueid));
      await until(`the calls of ${digits} are over`, () => left().length === 0, { state: left });
      return theirs();
    },
  };
}

async function openScene(t: TestContext, name: 'freepbx-22' | 'freepbx-16') {
  const { version, files, tech } = worlds[name];
  const pbx = await start(version, {
    dialplan: (ports) => freepbxDialplan(version, ports.fastAgi, routes(ports)),
    files,
  });
  t.after(() => pbx.stop());
  const { ports } = pbx;
  const heard = await followCalls(ports.ami);
  t.after(() => heard.close());
  const wire = await startWire({ port: 0, target: ports.ami });
  t.after(() => wire.close());

  const bridgeOf = async (amiPort: number, settings: Record<string, string>, isLinked = true) => {
    const farEnd = await startFarEnd({
      amiPort,
      isLinked,
      settings: { AGI_DEADLINE_MS: '5000', LOG_LEVEL: 'info', WITHHELD_NUMBER: standIn, ...settings },
    });
    t.after(() => farEnd.stop());
    return farEnd;
  };
  const lookupsOf = (nth: number) => ({ AGI_LISTEN: `127.0.0.1:${agiPort(ports, nth)}` });
  const records = { CDR_SOURCE: `csv:${pbx.cdrFile}` };
  const bridge = await bridgeOf(wire.port, { ...lookupsOf(0), ...records });
  const refused = await bridgeOf(ports.ami, { ...lookupsOf(1), AMI_SECRET: 'wrong' }, false);
  const alone = await bridgeOf(ports.at(ports.room - 4), lookupsOf(2), false);

  let placed = 0;
  const place = async (script: Script, count: number) => {
    const office = offices[placed++ % offices.length] ?? assert.fail();
    const where = { port: callerPort(ports, office, 0), to: tech === 'SIP' ? ports.chanSip : ports.sip };
    const times = { calls: count, atOnce: AT_ONCE };
    // It also says that the machine is too busy, or that an answer came once more.
    assert.doesNotMatch(await placeCalls({ script, ...where, times }), /Aborting/);
  };
  const short = (min: number, max: number) => givesUp({ ...withheld, to: shortDid }, { min, max });
  const long = (who: typeof shown) => calls({ ...who, to: longDid });

  /** Waits until each of these calls is over at the API; gives how many came with that number. */
  const countFrom = async (farEnd: FarEnd, uniqueids: readonly string[], from: string) => {
    const held = (uniqueid: string) => farEnd.fakeApi.calls().get(`lab-${uniqueid}`);
    const isReported = (uniqueid: string) => held(uniqueid)?.state === 'completed';
    await farEnd.fakeApi.waitFor(() => uniqueids.every(isReported), 120_000);
    return uniqueids.filter((uniqueid) => held(uniqueid)?.from.includes(from)).length;
  };
  return { heard, wire, ports, bridge, refused, alone, bridgeOf, records, place, short, long, countFrom };
}

const skip = labImpossible() ?? false;

for (const name of ['freepbx-22', 'freepbx-16'] as const) {
  test(`withheld numbers that the bridge can hardly ask about, on ${name}`, { skip }, async (t) => {
    const { heard, wire, ports, bridge, refused, alone, bridgeOf, records, place, short, long, countFrom } =
      await openScene(t, name);
    const none = { events: 0, lookups: 0 };
    let judged = 0;
    let left = none;
    /** The withheld calls since the last time: at least this number, all at the API, and none with its number. */
    const judge = async (t: TestContext, least: number) => {
      const uniqueids = (await heard.ended(withheldDigits)).slice(judged);
      judged += uniqueids.length;
      const standingIn = await countFrom(bridge, uniqueids, standIn);
      const now = numbersAt(bridge, withheldDigits);
      const since = { events: now.events - left.events, lookups: now.lookups - left.lookups };
      left = now;
      t.diagnostic(
        `${uniqueids.length} withheld calls: ${since.events} events and ${since.lookups} lookups with a number`,
      );
      assert.deepEqual(since, none);
      assert.ok(uniqueids.length >= least);
      assert.equal(standingIn, uniqueids.length);
      return uniqueids;
    };

    // The trunk passes on a withheld number: now the bridge knows it.
    await place(long(withheld), 1);
    await judge(t, 1);

    await t.test(
      'callers who show their number are reported and looked up, with a link and without',
      async () => {
        await place(long(shown), AT_ONCE);
        const uniqueids = await heard.ended(shownDigits);
        assert.equal(await countFrom(bridge, uniqueids, shownDigits), AT_ONCE);
        assert.deepEqual(numbersAt(bridge, shownDigits), { events: 2 * AT_ONCE, lookups: AT_ONCE });
        for (const farEnd of [refused, alone])
          assert.deepEqual(numbersAt(farEnd, shownDigits), { events: 0, lookups: AT_ONCE });
      },
    );

    await t.test('callers who hang up at once, and the lookups of their calls', async (t) => {
      for (const [min, max] of [
        [0, 40],
        [50, 300],
      ] as const)
        for (let placed = 0; placed < SHORT_CALLS; placed += AT_A_TIME) {
          await place(short(min, max), AT_A_TIME);
          // Asterisk takes longer than the callers.
          await heard.ended(withheldDigits);
        }
      // Asterisk may have made no channel for one who hung up at once.
      await judge(t, 1.5 * SHORT_CALLS);
    });

    await t.test(
      `the link is cut ${CUTS} times, and stays away while there are calls every second time`,
      async (t) => {
        for (let nth = 0; nth < CUTS; nth++) {
          const isCut = wire.cutAfter({ bytes: 1 + 500 * nth }).then(() => {
            wire.refuse(nth % 2 === 1);
          });
          await place(long(withheld), AT_ONCE);
          await isCut;
          wire.refuse(false);
          await bridge.connected();
        }
        await judge(t, CUTS * AT_ONCE);
      },
    );

    await t.test('no bridge listens, and call records are read afterwards', async (t) => {
      // One that has heard only a caller who shows the number does not know the trunk: without it, this could see nothing.
      const naive = await bridgeOf(ports.ami, records);
      await place(long(shown), 1);
      await countFrom(naive, (await heard.ended(shownDigits)).slice(-1), shownDigits);
      await Promise.all([bridge.endBridge(), naive.endBridge()]);
      await place(long(withheld), AT_ONCE);
      await place(short(50, 300), AT_ONCE);
      await heard.ended(withheldDigits);
      await Promise.all([bridge.startBridge(), naive.startBridge()]);
      const inGap = await judge(t, 2 * AT_ONCE);
      assert.equal(await countFrom(naive, inGap, withheldDigits), inGap.length);
    });

    await t.test('no lookup has left the machine while a secret is refused or no PBX is there', (t) => {
      for (const [farEnd, why] of [
        [refused, 'a wrong secret'],
        [alone, 'a closed port'],
      ] as const) {
        const { events, lookups } = numbersAt(farEnd, withheldDigits);
        t.diagnostic(`${why}: ${events} events and ${lookups} lookups with a number`);
        assert.deepEqual({ events, lookups }, none);
      }
    });
  });
}

/** What reached the API of these digits. */
function numbersAt({ fakeApi }: FarEnd, digits: string): { events: number; lookups: number } {
  const seen = fakeApi.requests().filter(({ payload }) => JSON.stringify(payload).includes(digits));
  const events = seen.filter(({ path }) => path === '/voice/call').length;
  return { events, lookups: seen.length - events };
}

/** Places this number of calls from a port. Returns what sipp found wrong when all are over. */
async function placeCalls(options: {
  readonly script: Script;
  readonly port: number;
  /** Asterisk's. */
  readonly to: number;
  readonly times: { readonly calls: number; readonly atOnce: number };
}): Promise<string> {
  const { to, ...rest } = options;
  const end = await startSipp({ ...rest, calls: to });
  await end.ended;
  const complaints = await end.complaints();
  await end.close();
  return complaints;
}
