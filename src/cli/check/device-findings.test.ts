import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDeviceName } from '../../bridge/calls/device-name.ts';
import { callSettings } from '../../bridge/calls/rules.fixture.ts';
import { type CallSettings, createRules } from '../../bridge/calls/rules.ts';
import { deviceFindings } from './device-findings.ts';

const trunk = { name: 'PJSIP/isp', context: 'from-trunk', trustsIdentity: true, callerNumber: '4930901820' };

/** Devices as `name` or `name <number of the caller id>`; what is proposed for DEVICE_NAMES, or undefined. */
function proposed(devices: readonly string[], settings: Partial<CallSettings> = {}): string | undefined {
  const endpoints = devices.map((device) => {
    const [name = '', callerNumber = ''] = device.split(/ <|>/);
    return { name, context: 'from-internal', trustsIdentity: false, callerNumber };
  });
  const [finding] = deviceFindings(
    { endpoints: [trunk, ...endpoints] },
    createRules({ ...callSettings, ...settings }),
  );
  return finding && /DEVICE_NAMES=(\S+),/.exec(finding.todo ?? '')?.[1];
}

const rule = (text: string) => {
  const read = readDeviceName(text);
  assert.ok(read);
  return read;
};

// biome-ignore format: one case a line
const cases: readonly [what: string, devices: readonly string[], proposed: string | undefined][] = [
  ['phones that are named by their extension', ['PJSIP/1001 <1001>', 'PJSIP/1002'], undefined],
  ["FreePBX's user panel", ['PJSIP/1001', 'PJSIP/991001', 'PJSIP/991002 <1002>'], '99*=*'],
  ['an extension that only begins so', ['PJSIP/2001', 'PJSIP/992002', 'PJSIP/12001'], undefined],
  ['a suffix', ['PJSIP/204', 'PJSIP/204-WS', 'PJSIP/205-WS <205>'], '*-WS=*'],
  ['a suffix without a phone of that name', ['PJSIP/204-WS'], undefined],
  ['a device of any name', ['PJSIP/kx7q <101>', 'SIP/anna <102>'], 'kx7q=101,anna=102'],
  ['a number that its group shows', ['PJSIP/1005 <180>', 'PJSIP/1006 <180>'], undefined],
  // A star is proposed only if it makes no phone another than it is.
  ['a digit before the extension', ['PJSIP/101 <101>', 'PJSIP/102 <102>', 'PJSIP/1101 <101>', 'PJSIP/1102 <102>'], '1101=101,1102=102'],
  ['a digit with which others begin', ['PJSIP/101', 'PJSIP/201', 'PJSIP/202', 'PJSIP/2101 <101>', 'PJSIP/2201 <201>'], '2101=101,2201=201'],
  ['extensions that begin with 99', ['PJSIP/1001', 'PJSIP/991001', 'PJSIP/9950', 'PJSIP/9951'], '991001=1001'],
  ['an extension that begins with 90', ['PJSIP/1001', 'PJSIP/901001', 'PJSIP/9050 <9050>'], '901001=1001'],
  ['a letter behind the extension', ['PJSIP/101', 'PJSIP/101a <101>', 'PJSIP/102a <102>', 'PJSIP/maria <103>'], '101a=101,102a=102,maria=103'],
  ['a name with which others begin', ['PJSIP/anna101 <101>', 'PJSIP/annabel <105>'], 'anna101=101,annabel=105'],
  ['exact names before patterns', ['PJSIP/204', 'PJSIP/204-WS', 'PJSIP/kx7q <101>'], 'kx7q=101,*-WS=*'],
  ['another line of that name', ['SIP/anna <101>', 'DAHDI/anna'], 'SIP/anna=101'],
  ['a member of a queue', ['Local/1001@from-queue <1001>'], undefined],
  ['a number that is shown outside', ['PJSIP/1001 <4930901820>', 'PJSIP/1002 <+4930901820>'], undefined],
];
for (const [what, devices, expected] of cases)
  test(`check proposes DEVICE_NAMES: ${what}`, () => assert.equal(proposed(devices), expected));

test('what is set is kept, and proposed no more', () => {
  const deviceNames = [rule('*-WS=*')];
  const devices = ['PJSIP/204', 'PJSIP/204-WS'];
  assert.equal(proposed(devices, { deviceNames }), undefined);
  assert.equal(proposed([...devices, 'PJSIP/99204'], { deviceNames }), '*-WS=*,99*=*');
});

test('with ANSWERED_BY=callerid the caller id counts', () => {
  const settings = { answeredBy: 'callerid' } as const;
  assert.equal(proposed(['PJSIP/kx7q <101>', 'PJSIP/991001 <1001>'], settings), undefined);
  assert.equal(proposed(['PJSIP/1001', 'PJSIP/991001'], settings), '99*=*');
  // The name that would be reported is the number of the caller id, so only the endpoint tells these apart.
  const shared = ['PJSIP/101 <101>', 'PJSIP/anna101 <4930123>', 'PJSIP/102 <4930123>'];
  assert.equal(proposed(shared, settings), 'PJSIP/anna101=101');
});

test('what is proposed makes of each phone its extension, and of no other one something else', () => {
  // biome-ignore format: an office a line
  const offices: readonly (readonly string[])[] = [
    ['PJSIP/101', 'PJSIP/1101 <101>', 'PJSIP/102a <102>', 'PJSIP/1a <1>', 'PJSIP/a', 'PJSIP/b1 <1>', 'PJSIP/b'],
    ['PJSIP/1001', 'PJSIP/991001', 'PJSIP/981001', 'PJSIP/9810 <9810>', 'PJSIP/1001-ws'],
    ['PJSIP/7', 'PJSIP/17 <7>', 'PJSIP/11', 'PJSIP/111 <11>'],
  ];
  for (const devices of offices) {
    const text = proposed(devices) ?? '';
    assert.notEqual(text, '');
    const { extension } = createRules({ ...callSettings, deviceNames: text.split(',').map(rule) });
    for (const device of devices) {
      const [name = '', number] = device.replace(/^PJSIP./, '').split(/ <|>/);
      const right = [name, ...(number === undefined ? [] : [number]), '1001'];
      assert.ok(right.includes(extension(name, `PJSIP/${name}-00000001`)), `${text} on ${device}`);
    }
  }
});

test('many names of their own are not all proposed, and it says so', () => {
  const endpoints = Array.from({ length: 12 }, (_, n) => ({
    ...{ name: `PJSIP/${String.fromCharCode(97 + n)}kx`, context: 'from-internal', trustsIdentity: false },
    callerNumber: `${101 + n}`,
  }));
  const [finding] = deviceFindings({ endpoints }, createRules(callSettings));
  assert.match(finding?.todo ?? '', /kx=110, and 2 more entries, if these are the same people/);
});
