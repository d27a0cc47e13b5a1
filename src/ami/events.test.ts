import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Input } from '../calls/input.ts';
import { toInput, toSnapshotBridge, toSnapshotChannel, toStatus } from './events.ts';
import { readFields } from './wire/frame.ts';

const at = 1_795_155_977_111;

type Said = Readonly<Record<string, string | undefined>>;

function frame(event: string, said: Said): Buffer {
  const lines = Object.entries({ Event: event, Privilege: 'call,all', ...said })
    .filter(([, value]) => value !== undefined)
    .map((line) => line.join(': '));
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}

const input = (event: string, said: Said) => toInput(event, frame(event, said), at);
const fields = (event: string, said: Said) => readFields(frame(event, said));
const channel = {
  Channel: 'PJSIP/trunk-0000002a',
  ChannelState: '4',
  CallerIDNum: '+493012345',
  Context: 'from-trunk',
  Exten: '100',
  Uniqueid: '1795155977.42',
  Linkedid: '1795155977.42',
};
const uid = '1795155977.42';
const bridge = { BridgeUniqueid: 'a6950b8c-6cea-49f1-aa3b-7676e900b16e', BridgeTechnology: 'simple_bridge' };
const inBridge = { bridge: bridge.BridgeUniqueid, uniqueid: uid };
const place = { context: 'from-trunk', exten: '100' };
const about = { uniqueid: uid, channel: 'PJSIP/trunk-0000002a' };
const from = { callerNumber: '+493012345' };
const dialString = 'trunk/sip:+491713920011@10.0.0.1';
const masq = 'PJSIP/1-00000001<MASQ>';
const hungUp = { uniqueid: uid, ...place, priority: '' };

const rows: [event: string, said: Said, type: Input['type'], expected: object][] = [
  ['Newchannel', channel, 'channel-created', { ...about, linkedid: uid, state: 4, ...place, ...from }],
  [
    'Newstate',
    { ...channel, ChannelState: '6', CallerIDNum: '<unknown>' },
    'channel-state',
    { ...about, state: 6, callerNumber: '' },
  ],
  ['NewCallerid', channel, 'caller-number', { uniqueid: uid, ...from, presentation: 'allowed' }],
  [
    'DialBegin',
    { ...channel, DestUniqueid: '1.43', DialString: dialString },
    'dialled',
    { uniqueid: '1.43', dialString },
  ],
  [
    'Rename',
    { Uniqueid: uid, Channel: 'PJSIP/1-00000001', Newname: masq },
    'channel-renamed',
    { uniqueid: uid, channel: masq },
  ],
  [
    'BridgeEnter',
    { ...channel, ...bridge },
    'bridge-entered',
    { ...inBridge, ...about, ...from, technology: 'simple_bridge' },
  ],
  ['BridgeLeave', { ...channel, ...bridge }, 'bridge-left', inBridge],
  ['BridgeDestroy', bridge, 'bridge-destroyed', { bridge: bridge.BridgeUniqueid }],
  ['HangupRequest', channel, 'hangup-requested', hungUp],
  ['Hangup', { ...channel, Cause: '26' }, 'hung-up', { ...hungUp, cause: 26 }],
  ['Hangup', channel, 'hung-up', { ...hungUp, cause: 0 }],
];
for (const [event, said, type, expected] of rows)
  test(`${event} becomes ${type}`, () => assert.deepEqual(input(event, said), { type, ...expected, at }));

test('an event without what it is about is none', () => {
  const keys: Record<string, string> = { BridgeDestroy: 'BridgeUniqueid', DialBegin: 'DestUniqueid' };
  for (const [event] of rows) {
    const said = { ...channel, ...bridge, Newname: 'PJSIP/2-00000001', DestUniqueid: '1.2' };
    assert.notEqual(input(event, said), undefined, event);
    for (const none of [undefined, ''])
      assert.equal(input(event, { ...said, [keys[event] ?? 'Uniqueid']: none }), undefined, event);
  }
});

test('a channel state that is none', () => {
  for (const event of ['Newstate', 'Newchannel'])
    for (const ChannelState of ['', 'Up', '-1', '6.5', '9'.repeat(20)])
      assert.equal(input(event, { ...channel, ChannelState }), undefined, ChannelState);
});

test('an event that is not needed is no input', () => {
  for (const event of ['VarSet', 'constructor', '']) assert.equal(input(event, channel), undefined, event);
});

/** Asterisk's own words for every presentation, from its callerid.c. */
test('the presentation of an event', () => {
  for (const [said, presentation] of [
    ...[0, 1, 2, 3].map((code) => [`${code} (Presentation Allowed, Network Number)`, 'allowed'] as const),
    ...[32, 33, 34, 35].map(
      (code) => [`${code} (Presentation Prohibited, Failed Screen)`, 'prohibited'] as const,
    ),
    ['67 (Number Unavailable)', 'unavailable'],
    ['', 'allowed'],
    [undefined, 'allowed'],
  ] as const) {
    const heard = input('NewCallerid', { ...channel, 'CID-CallingPres': said });
    assert.equal(heard?.type === 'caller-number' && heard.presentation, presentation, String(said));
  }
});

/** What CALLERID(num-pres) says, from Asterisk's callerid.c. */
test('the presentation of a Status, its number that was dialled, and none without the variable', () => {
  const statusOf = (Variable?: string) => toStatus(fields('Status', { ...channel, Variable, DNID: '100' }));
  for (const [value, presentation] of [
    ...['allowed_not_screened', 'allowed_passed_screen', 'allowed'].map((it) => [it, 'allowed'] as const),
    ...['prohib_not_screened', 'prohib_failed_screen', 'prohib'].map((it) => [it, 'prohibited'] as const),
    ['unavailable', 'unavailable'],
    ['', 'unknown'],
  ] as const) {
    const status = { uniqueid: uid, presentation, dnid: '100', presented: '' };
    assert.deepEqual(statusOf(`CALLERID(num-pres)=${value}`), status, value);
  }
  assert.equal(statusOf().presentation, 'unknown');
  assert.equal(toStatus(fields('Status', channel)).dnid, undefined);
  // What FreePBX's inbound route leaves: everything allowed, and what the caller wanted in a variable.
  for (const saved of ['CALLINGNUMPRES_SV', 'CALLINGPRES_SV'])
    for (const [value, presentation] of [
      ['prohib_passed_screen', 'prohibited'],
      ['allowed_not_screened', 'allowed'],
      ['', 'allowed'],
    ] as const) {
      const status = statusOf(`CALLERID(num-pres)=allowed_not_screened\r\nVariable: ${saved}=${value}`);
      assert.equal(status.presentation, presentation, `${saved}=${value}`);
    }
});

test('a Status has what the trunk presented as the ANI, whatever the dialplan made of the caller id', () => {
  const variables = (ani: string) =>
    `CALLERID(num-pres)=allowed\r\nVariable: CALLERID(ani-num-pres)=prohib\r\nVariable: CALLERID(ani)=${ani}`;
  for (const [ani, presented] of [
    ['+4930901820', '+4930901820'],
    ['(null)', ''],
    ['', ''],
  ] as const) {
    const status = toStatus(fields('Status', { ...channel, Variable: variables(ani) }));
    assert.deepEqual([status.presentation, status.presented], ['prohibited', presented]);
  }
});

test('a CoreShowChannel becomes a channel of the snapshot', () => {
  assert.deepEqual(
    toSnapshotChannel(
      fields('CoreShowChannel', { ...channel, CallerIDNum: '<unknown>', Application: 'Queue', BridgeId: '' }),
    ),
    {
      uniqueid: '1795155977.42',
      linkedid: '1795155977.42',
      channel: 'PJSIP/trunk-0000002a',
      state: 4,
      context: 'from-trunk',
      exten: '100',
      callerNumber: '',
      application: 'Queue',
      bridge: '',
    },
  );
  assert.equal(toSnapshotChannel(fields('CoreShowChannel', { ...channel, Uniqueid: undefined })), undefined);
});

test('a BridgeListItem becomes a bridge of the snapshot', () => {
  assert.deepEqual(
    toSnapshotBridge(fields('BridgeListItem', { BridgeUniqueid: 'b', BridgeTechnology: 'holding_bridge' })),
    {
      bridge: 'b',
      technology: 'holding_bridge',
    },
  );
  assert.equal(toSnapshotBridge(fields('BridgeListItem', { BridgeTechnology: 'softmix' })), undefined);
});
