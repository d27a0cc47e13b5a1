import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toInput, toPresentation, toSnapshotBridge, toSnapshotChannel } from './events.ts';
import type { AmiObject } from './wire/ami-object.ts';

const at = 1_795_155_977_111;
const channel = {
  channel: 'PJSIP/trunk-0000002a',
  channelstate: '4',
  calleridnum: '+493012345',
  context: 'from-trunk',
  exten: '100',
  uniqueid: '1795155977.42',
  linkedid: '1795155977.42',
};
const bridge = { bridgeuniqueid: 'a6950b8c-6cea-49f1-aa3b-7676e900b16e', bridgetechnology: 'simple_bridge' };

for (const [event, said, input] of [
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
    { ...channel, channelstate: '6', calleridnum: '<unknown>' },
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
    { ...channel, 'cid-callingpres': '0 (Presentation Allowed, Not Screened)' },
    { type: 'caller-number', uniqueid: '1795155977.42', callerNumber: '+493012345', presentation: 'allowed' },
  ],
  [
    'DialBegin',
    { ...channel, destuniqueid: '1795155978.43', dialstring: 'trunk/sip:+491713920011@10.0.0.1' },
    { type: 'dialled', uniqueid: '1795155978.43', dialString: 'trunk/sip:+491713920011@10.0.0.1' },
  ],
  [
    'Rename',
    { uniqueid: '1795155977.42', channel: 'PJSIP/1-00000001', newname: 'PJSIP/1-00000001<MASQ>' },
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
  ['Hangup', { ...channel, cause: '26' }, { type: 'hung-up', uniqueid: '1795155977.42', cause: 26 }],
  ['Hangup', channel, { type: 'hung-up', uniqueid: '1795155977.42', cause: 0 }],
] as const) {
  test(`${event} becomes ${input.type}`, () => {
    assert.deepEqual(toInput({ event, ...said }, at), { ...input, at });
  });
}

const keysOfSubject: Readonly<Record<string, string>> = {
  BridgeDestroy: 'bridgeuniqueid',
  DialBegin: 'destuniqueid',
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
  'Hangup',
];
for (const event of events) {
  test(`${event} without what it is about is none`, () => {
    const said: AmiObject = {
      event,
      ...channel,
      ...bridge,
      newname: 'PJSIP/2-00000001',
      destuniqueid: '1.2',
    };
    assert.notEqual(toInput(said, at), undefined);
    const key = keysOfSubject[event] ?? 'uniqueid';
    assert.equal(toInput({ ...said, [key]: undefined }, at), undefined);
    assert.equal(toInput({ ...said, [key]: '' }, at), undefined);
  });
}

for (const state of ['', 'Up', '-1', '6.5', '9'.repeat(20)]) {
  test(`a channel state of ${JSON.stringify(state)} is none`, () => {
    assert.equal(toInput({ event: 'Newstate', ...channel, channelstate: state }, at), undefined);
    assert.equal(toInput({ event: 'Newchannel', ...channel, channelstate: state }, at), undefined);
  });
}

test('an event that nobody needs is no input', () => {
  assert.equal(toInput({ event: 'VarSet', ...channel }, at), undefined);
  assert.equal(toInput({ event: 'constructor', ...channel }, at), undefined);
  assert.equal(toInput({}, at), undefined);
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
    const input = toInput({ event: 'NewCallerid', ...channel, 'cid-callingpres': said }, at);
    assert.equal(input?.type === 'caller-number' && input.presentation, presentation);
  });
}

/** What CALLERID(num-pres) says, from Asterisk's callerid.c. */
for (const [said, presentation] of [
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
  test(`a Status with ${JSON.stringify(said)} is ${presentation}`, () => {
    assert.equal(toPresentation({ 'CALLERID(num-pres)': said }), presentation);
  });
}

/** What FreePBX's inbound route leaves: everything allowed, and what the caller wanted in a variable. */
for (const saved of ['CALLINGNUMPRES_SV', 'CALLINGPRES_SV'])
  for (const [said, presentation] of [
    ['prohib_passed_screen', 'prohibited'],
    ['allowed_not_screened', 'allowed'],
    ['', 'allowed'],
  ] as const) {
    test(`a Status with ${saved}=${said} is ${presentation}`, () => {
      const variables = { 'CALLERID(num-pres)': 'allowed_not_screened', [saved]: said };
      assert.equal(toPresentation(variables), presentation);
    });
  }

test('no Status, or one without the variable, is unknown', () => {
  assert.equal(toPresentation(undefined), 'unknown');
  assert.equal(toPresentation({}), 'unknown');
});

test('a CoreShowChannel becomes a channel of the snapshot', () => {
  assert.deepEqual(
    toSnapshotChannel({ ...channel, calleridnum: '<unknown>', application: 'Queue', bridgeid: '' }),
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
  assert.equal(toSnapshotChannel({ ...channel, uniqueid: undefined }), undefined);
});

test('a BridgeListItem becomes a bridge of the snapshot', () => {
  assert.deepEqual(toSnapshotBridge({ bridgeuniqueid: 'b', bridgetechnology: 'holding_bridge' }), {
    bridge: 'b',
    technology: 'holding_bridge',
  });
  assert.equal(toSnapshotBridge({ bridgetechnology: 'softmix' }), undefined);
});
