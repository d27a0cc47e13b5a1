import assert from 'node:assert/strict';
import { test } from 'node:test';
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
const bridge = { BridgeUniqueid: 'a6950b8c-6cea-49f1-aa3b-7676e900b16e', BridgeTechnology: 'simple_bridge' };
const place = { context: 'from-trunk', exten: '100', priority: '' };

for (const [event, said, expected] of [
  [
    'Newchannel',
    channel,
    {
      type: 'channel-created',
      uniqueid: '1795155977.42',
      linkedid: '1795155977.42',
      channel: 'PJSIP/trunk-0000002a',
      state: 4,
      context: 'from-trunk',
      exten: '100',
      callerNumber: '+493012345',
    },
  ],
  [
    'Newstate',
    { ...channel, ChannelState: '6', CallerIDNum: '<unknown>' },
    {
      type: 'channel-state',
      uniqueid: '1795155977.42',
      channel: 'PJSIP/trunk-0000002a',
      state: 6,
      callerNumber: '',
    },
  ],
  [
    'NewCallerid',
    { ...channel, 'CID-CallingPres': '0 (Presentation Allowed, Not Screened)' },
    { type: 'caller-number', uniqueid: '1795155977.42', callerNumber: '+493012345', presentation: 'allowed' },
  ],
  [
    'DialBegin',
    { ...channel, DestUniqueid: '1795155978.43', DialString: 'trunk/sip:+491713920011@10.0.0.1' },
    { type: 'dialled', uniqueid: '1795155978.43', dialString: 'trunk/sip:+491713920011@10.0.0.1' },
  ],
  [
    'Rename',
    { Uniqueid: '1795155977.42', Channel: 'PJSIP/1-00000001', Newname: 'PJSIP/1-00000001<MASQ>' },
    { type: 'channel-renamed', uniqueid: '1795155977.42', channel: 'PJSIP/1-00000001<MASQ>' },
  ],
  [
    'BridgeEnter',
    { ...channel, ...bridge },
    {
      type: 'bridge-entered',
      bridge: 'a6950b8c-6cea-49f1-aa3b-7676e900b16e',
      technology: 'simple_bridge',
      uniqueid: '1795155977.42',
      channel: 'PJSIP/trunk-0000002a',
      callerNumber: '+493012345',
    },
  ],
  [
    'BridgeLeave',
    { ...channel, ...bridge },
    { type: 'bridge-left', bridge: 'a6950b8c-6cea-49f1-aa3b-7676e900b16e', uniqueid: '1795155977.42' },
  ],
  ['BridgeDestroy', bridge, { type: 'bridge-destroyed', bridge: 'a6950b8c-6cea-49f1-aa3b-7676e900b16e' }],
  ['HangupRequest', channel, { type: 'hangup-requested', uniqueid: '1795155977.42', ...place }],
  [
    'Hangup',
    { ...channel, Cause: '26' },
    { type: 'hung-up', uniqueid: '1795155977.42', cause: 26, ...place },
  ],
  ['Hangup', channel, { type: 'hung-up', uniqueid: '1795155977.42', cause: 0, ...place }],
] as const) {
  test(`${event} becomes ${expected.type}`, () => {
    assert.deepEqual(input(event, said), { ...expected, at });
  });
}

const keysOfSubject: Readonly<Record<string, string>> = {
  BridgeDestroy: 'BridgeUniqueid',
  DialBegin: 'DestUniqueid',
};
const events = [
  'DialBegin',
  'Newchannel',
  'Newstate',
  'NewCallerid',
  'Rename',
  'BridgeEnter',
  'BridgeLeave',
  'BridgeDestroy',
  'HangupRequest',
  'Hangup',
];
for (const event of events) {
  test(`${event} without what it is about is none`, () => {
    const said = { ...channel, ...bridge, Newname: 'PJSIP/2-00000001', DestUniqueid: '1.2' };
    assert.notEqual(input(event, said), undefined);
    const key = keysOfSubject[event] ?? 'Uniqueid';
    assert.equal(input(event, { ...said, [key]: undefined }), undefined);
    assert.equal(input(event, { ...said, [key]: '' }), undefined);
  });
}

for (const state of ['', 'Up', '-1', '6.5', '9'.repeat(20)]) {
  test(`a channel state of ${JSON.stringify(state)} is none`, () => {
    assert.equal(input('Newstate', { ...channel, ChannelState: state }), undefined);
    assert.equal(input('Newchannel', { ...channel, ChannelState: state }), undefined);
  });
}

test('an event that is not needed is no input', () => {
  assert.equal(input('VarSet', { ...channel }), undefined);
  assert.equal(input('constructor', { ...channel }), undefined);
  assert.equal(input('', channel), undefined);
});

/** Asterisk's own words for every presentation, from its callerid.c. */
for (const [said, presentation] of [
  ['0 (Presentation Allowed, Not Screened)', 'allowed'],
  ['1 (Presentation Allowed, Passed Screen)', 'allowed'],
  ['2 (Presentation Allowed, Failed Screen)', 'allowed'],
  ['3 (Presentation Allowed, Network Number)', 'allowed'],
  ['32 (Presentation Prohibited, Not Screened)', 'prohibited'],
  ['33 (Presentation Prohibited, Passed Screen)', 'prohibited'],
  ['34 (Presentation Prohibited, Failed Screen)', 'prohibited'],
  ['35 (Presentation Prohibited, Network Number)', 'prohibited'],
  ['67 (Number Unavailable)', 'unavailable'],
  ['', 'allowed'],
  [undefined, 'allowed'],
] as const) {
  test(`presentation ${said} is ${presentation}`, () => {
    const heard = input('NewCallerid', { ...channel, 'CID-CallingPres': said });
    assert.equal(heard?.type === 'caller-number' && heard.presentation, presentation);
  });
}

/** What CALLERID(num-pres) says, from Asterisk's callerid.c. */
for (const [value, presentation] of [
  ['allowed_not_screened', 'allowed'],
  ['allowed_passed_screen', 'allowed'],
  ['allowed_failed_screen', 'allowed'],
  ['allowed', 'allowed'],
  ['prohib_not_screened', 'prohibited'],
  ['prohib_passed_screen', 'prohibited'],
  ['prohib_failed_screen', 'prohibited'],
  ['prohib', 'prohibited'],
  ['unavailable', 'unavailable'],
  ['', 'unknown'],
] as const) {
  test(`a Status with ${JSON.stringify(value)} is ${presentation}`, () => {
    const said = { ...channel, Variable: `CALLERID(num-pres)=${value}`, DNID: '100' };
    assert.deepEqual(toStatus(fields('Status', said)), {
      uniqueid: channel.Uniqueid,
      presentation,
      dnid: '100',
      presented: '',
    });
  });
}

/** What FreePBX's inbound route leaves: everything allowed, and what the caller wanted in a variable. */
for (const saved of ['CALLINGNUMPRES_SV', 'CALLINGPRES_SV'])
  for (const [value, presentation] of [
    ['prohib_passed_screen', 'prohibited'],
    ['allowed_not_screened', 'allowed'],
    ['', 'allowed'],
  ] as const) {
    test(`a Status with ${saved}=${value} is ${presentation}`, () => {
      const variables = `CALLERID(num-pres)=allowed_not_screened\r\nVariable: ${saved}=${value}`;
      const status = toStatus(fields('Status', { ...channel, Variable: variables }));
      assert.equal(status.presentation, presentation);
    });
  }

test('a Status without the variable is unknown', () => {
  assert.deepEqual(toStatus(fields('Status', channel)), {
    uniqueid: channel.Uniqueid,
    presentation: 'unknown',
    dnid: undefined,
    presented: '',
  });
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
