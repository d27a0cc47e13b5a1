import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '../until.ts';
import { start } from './asterisk.ts';
import { startFarEnd } from './far-end.ts';
import { labImpossible, type Version, versions } from './install.ts';
import type { PortBlock } from './ports.ts';
import { calls } from './sip-script.ts';
import { startWire } from './wire.ts';
import { agiPort, numbersAt, placeCalls, withholding } from './withheld-callers.ts';

/**
 * Callers who withhold a number that the trunk shows to the PBX, on a dialplan with the lines of FreePBX's inbound
 * routes, which allow it within milliseconds and keep what the caller wanted in a variable. Nothing of the number may
 * reach the API: no event, no lookup ahead, no lookup of the dialplan.
 *
 * Two bridges hear the same calls. Between one and Asterisk a wire changes its question to what it was before it knew
 * of FreePBX's variable: if no number got out there, this test could not see one.
 */
const did = '493023125100';
/** With a name, and as many without one. */
const CALLS = 50;
const AT_ONCE = 6;
/** How far away the PBX is, ms, each way. */
const AWAY_MS = 2;

const dialplan = (ports: PortBlock) => `
[from-trunk]
exten => ${did},1,Set(__DIRECTION=INBOUND)
 same => n,Set(__FROM_DID=\${EXTEN})
 same => n,Set(CDR(did)=\${FROM_DID})
 same => n,ExecIf($[ "\${CALLERID(name)}" = "" ] ?Set(CALLERID(name)=\${CALLERID(num)}))
 same => n,Set(__MOHCLASS=)
 same => n,Set(__CALLINGNAMEPRES_SV=\${CALLERID(name-pres)})
 same => n,Set(__CALLINGNUMPRES_SV=\${CALLERID(num-pres)})
 same => n,Set(CALLERID(name-pres)=allowed_not_screened)
 same => n,Set(CALLERID(num-pres)=allowed_not_screened)
; a prefix for the name, as queues and ring groups put one before it: NewCallerid, all allowed
 same => n,Set(CALLERID(name)=Sales:\${CALLERID(name)})
 same => n,AGI(agi://127.0.0.1:${agiPort(ports, 0)}/priority)
 same => n,AGI(agi://127.0.0.1:${agiPort(ports, 0)}/priority,\${CALLERID(num)})
 same => n,AGI(agi://127.0.0.1:${agiPort(ports, 1)}/priority)
 same => n,Answer()
 same => n,Wait(0.1)
 same => n,Hangup()
`;

const withheldDigits = '4066969';
const withheld = (name: string) => ({ to: did, ...withholding(`49${withheldDigits}`, name) });

async function openScene(t: TestContext, version: Version) {
  const pbx = await start(version, { dialplan });
  t.after(() => pbx.stop());
  const bridgeBehind = async (nth: number, rewrite: (text: string) => string) => {
    const wire = await startWire({ port: 0, target: pbx.ports.ami, delayMs: AWAY_MS, rewrite });
    const settings = { AGI_LISTEN: `127.0.0.1:${agiPort(pbx.ports, nth)}`, AGI_DEADLINE_MS: '2000' };
    const farEnd = await startFarEnd({ amiPort: wire.port, settings });
    t.after(async () => {
      await farEnd.stop();
      await wire.close();
    });
    return farEnd;
  };
  const bridge = await bridgeBehind(0, (text) => text);
  const forgetful = await bridgeBehind(1, (text) =>
    text.replace(/^Variables: .*$/m, 'Variables: CALLERID(num-pres)'),
  );
  let ends = 0;
  const place = async (invitation: Parameters<typeof calls>[0], count: number) => {
    const times = { calls: count, atOnce: AT_ONCE };
    const where = { port: pbx.ports.at(ends++), to: pbx.ports.sip };
    assert.equal(await placeCalls({ script: calls(invitation), ...where, times }), '');
  };
  return { bridge, forgetful, place };
}

const skip = labImpossible() ?? false;

for (const version of versions) {
  test(`withheld numbers behind FreePBX's inbound route, on a real Asterisk ${version}`, {
    skip,
  }, async (t) => {
    const { bridge, forgetful, place } = await openScene(t, version);
    await place(withheld('Anonymous'), CALLS);
    await place(withheld(''), CALLS);
    const shown = { to: did, from: '4930231259[call_number]', headers: ['X-Trunk: yes'] };
    await place(shown, AT_ONCE);

    await t.test('callers who show their number are reported and looked up', async () => {
      const isDone = () => bridge.farSide.counts().moved >= 2 * AT_ONCE;
      await bridge.farSide.waitFor(isDone);
      assert.deepEqual(numbersAt(bridge, '30231259'), { events: 2 * AT_ONCE, lookups: AT_ONCE });
    });

    await t.test('every caller who withholds it was heard, and not reported', async () => {
      const heard = () => bridge.log().match(/"code":"call\.no-number"/g)?.length ?? 0;
      // What the bridge has said arrives here by another way than what it has reported.
      await until('all withheld calls were heard', () => heard() >= 2 * CALLS, { state: heard });
      assert.equal(heard(), 2 * CALLS);
    });

    await t.test('no withheld number has left the machine', () =>
      assert.deepEqual(numbersAt(bridge, withheldDigits), { events: 0, lookups: 0 }),
    );

    await t.test('asked without what FreePBX saved, numbers get out, and this test sees it', (t) => {
      const { events, lookups } = numbersAt(forgetful, withheldDigits);
      t.diagnostic(`${events} events and ${lookups} lookups of ${2 * CALLS} withheld calls`);
      assert.ok(events > 0 && lookups > 0);
    });
  });
}
