import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChannelsListed, Input, SnapshotChannel } from './input.ts';
import {
  answered,
  answeredBy,
  at,
  becomes,
  caller,
  callerAs,
  completed,
  conference,
  enters,
  hangsUp,
  heard,
  missed,
  phone,
  play,
  ringing,
  row,
  snapshot,
  testReports,
} from './tracker.fixture.ts';

/** All that is on the PBX, as events go on: a channel that no event has told of counts in the second list. */
const listed = (...channels: SnapshotChannel[]): Input[] => {
  const list: ChannelsListed = { type: 'channels-listed', at, askedAt: at, channels, bridges: [] };
  return [list, list];
};
const [inTalk, inConference] = [{ bridge: 'b' }, { bridge: 'c', application: 'ConfBridge' }];
const trunkRow = row('1.1', 'PJSIP/trunk-00000001', { context: 'from-trunk-isp' });

describe('a channel of a trunk that has the Linkedid of an older one', () => {
  const older = { linkedid: '0.8' };
  const on = (endpoint: string, more: Partial<SnapshotChannel> = {}) =>
    row('1.1', `${endpoint}-00000001`, { context: 'from-trunk-isp', ...inTalk, ...older, ...more });
  const colleague = row('0.9', 'PJSIP/1001-00000002', { ...inTalk, ...older, application: 'AppDial' });
  const found = (...more: Parameters<typeof on>) => snapshot([on(...more), colleague]);
  const handedOn = { dnid: '' };
  const knows = (endpoint: string, dnid: string) => ({
    dnid,
    saved: { calls: [], trunks: [heard(endpoint)] },
  });
  const entersFirst: Input = { ...enters('b', caller), channel: caller.channel };
  const pickedUp = ['picked-up', ringing, answered] as const;
  // biome-ignore format: one case a line
  testReports([
    ['a caller whom somebody has joined with an older call', [found('PJSIP/trunk')], pickedUp],
    ['the same, whose Newchannel was lost', [listed(on('PJSIP/trunk'), colleague)], pickedUp],
    ['the same, and he hangs up', [found('PJSIP/trunk'), hangsUp(caller)], [...pickedUp, missed]],
    ['whom a snapshot shows again', [found('PJSIP/trunk'), found('PJSIP/trunk')], pickedUp],
    ['the same, and a BridgeEnter was the first to tell of him',
      [entersFirst, listed(on('PJSIP/trunk'), colleague), hangsUp(caller)], [...pickedUp, missed]],
    ['the same, with a Linkedid of his own',
      [entersFirst, listed(on('PJSIP/trunk', { linkedid: '1.1' }), colleague), hangsUp(caller)], [...pickedUp, missed]],
    ['a leg of which a BridgeEnter was the first to tell', [entersFirst, listed(on('PJSIP/trunk', { application: 'AppDial' }), colleague)], []],
    ['on chan_sip', [found('SIP/provider')], pickedUp, knows('SIP/provider', '0201000000')],
    ['on chan_sip, to no number: it may be a leg', [found('SIP/provider')], [], knows('SIP/provider', '')],
    ['on ISDN, where legs have a number, too', [found('DAHDI/i1')], [], knows('DAHDI/i1', '0201000000')],
    ['on a line whose driver is not known', [found('Dongle/gsm0')], [], knows('Dongle/gsm0', '0201000000')],
    ['a leg that was dialled', [found('PJSIP/trunk', { application: 'AppDial' })], []],
    ['a leg of a queue', [found('PJSIP/trunk', { application: 'AppQueue' })], []],
    ['who has taken the place of another far end (INVITE with Replaces), and never ran the dialplan',
      [found('PJSIP/trunk', { application: '' })], []],
    ['a leg that was dialled and handed on: it runs the dialplan', [found('PJSIP/trunk')], [], handedOn],
    ['the same, found in a list', [listed(on('PJSIP/trunk'), colleague)], [], handedOn],
    ['the same, without a number: WITHHELD_NUMBER is not for it',
      [found('PJSIP/trunk', { callerNumber: 'anonymous' })], [], { ...handedOn, settings: { withheldNumber: '000' } }],
    ['the PBX has not answered yet', [found('PJSIP/trunk'), hangsUp(caller)], [], { presentation: 'no answer' }],
    ['a withheld number stays withheld', [found('PJSIP/trunk')], ['picked-up', 'no-number'], { presentation: 'prohibited' }],
    ['its Newchannel comes after the snapshot: a leg', [found('PJSIP/trunk'), { ...caller, ...older, state: 0 }], [], { presentation: 'no answer' }],
  ]);

  test('the PBX is asked once in each snapshot until it answers, and no channel stays', () => {
    const asks = (setup: Parameters<typeof play>[1]) => {
      const { effects, state } = play([found('PJSIP/trunk'), found('PJSIP/trunk'), hangsUp(caller)], setup);
      assert.deepEqual([...state.channels.keys()], ['0.9']);
      return effects.filter(({ type }) => type === 'ask').length;
    };
    assert.equal(asks({ presentation: 'no answer' }), 2);
    assert.equal(asks(handedOn), 1);
    assert.equal(asks({}), 1);
  });
});

describe('a phone that was paged before the bridge connected', () => {
  const pager = { ...trunkRow, ...inConference };
  const [endpoint, paged] = [
    { context: 'from-internal', exten: 's' },
    { ...inConference, exten: 's' },
  ];
  const phoneRow = (more: Partial<SnapshotChannel>) =>
    row('1.2', 'PJSIP/1001-00000002', { ...endpoint, ...more });
  const half = (uniqueid: string, name: string, more: Partial<SnapshotChannel>) =>
    row(uniqueid, `Local/${name}`, { context: 'from-internal', exten: '1001', ...more });
  const overLocal = [
    half('1.3', '1001@from-internal-0001;1', inConference),
    half('1.4', '1001@from-internal-0001;2', { bridge: 'y' }),
    phoneRow({ bridge: 'y', exten: '', application: 'AppDial' }),
  ];
  const dialsIn = [
    half('1.3', '8000@conf-0001;1', { bridge: 'y', context: 'conf', exten: '8000', application: 'AppDial' }),
    half('1.4', '8000@conf-0001;2', { ...inConference, context: 'conf', exten: '8000' }),
    phoneRow({ bridge: 'y' }),
  ];
  const configured: Input = {
    type: 'endpoints',
    at,
    contexts: [['PJSIP/1001', 'from-internal']],
    guestContext: '',
  };
  const pickUps = {
    ...enters(conference, phone),
    creator: 'ConfBridge',
    bridgeName: '1509541301',
    ...endpoint,
  };
  const shows = (...channels: SnapshotChannel[]) => [snapshot([pager, ...channels]), hangsUp(caller)];
  const [unanswered, answeredAfterAll] = [
    ['picked-up', ringing, missed],
    ['picked-up', ringing, answered, missed],
  ] as const;
  // biome-ignore format: one case a line
  testReports([
    ['has not answered', shows(phoneRow(paged)), unanswered],
    ['nor over a Local channel', shows(...overLocal), unanswered],
    ['nor if its Newchannel was lost', [caller, listed(pager, phoneRow(paged)), hangsUp(caller)], [ringing, missed]],
    ['nor if a BridgeEnter was the first to tell of it, and the caller comes later',
      [caller, { ...enters(conference, phone), channel: phone.channel }, listed(trunkRow, phoneRow(paged)), enters(conference, caller), hangsUp(caller)], [ringing, missed]],
    ['nor if it answers by itself after that',
      [snapshot([pager, phoneRow({ application: 'AppDial2', state: 5 })]), becomes(phone, 'up'), pickUps, hangsUp(caller)], unanswered],
    ['but who was invited to the conference has', shows(phoneRow({ ...paged, exten: '8000' })), answeredAfterAll],
    ['but whom Dial() has led there has', [configured, shows(phoneRow({ ...paged, context: 'conf' }))].flat(), answeredAfterAll],
    ['but who has dialled in has', shows(phoneRow({ ...paged, linkedid: '1.2' })), answeredAfterAll],
    ['but whom a Local channel has led there has', shows(...dialsIn), answeredAfterAll],
  ]);

  test('in a call that was open before a restart', () => {
    const saved = { calls: [...play([caller]).state.calls.values()], trunks: [] };
    assert.deepEqual(play(shows(phoneRow(paged)), { saved }).reported, [missed]);
    assert.deepEqual(play(shows(phoneRow({ ...paged, exten: '8000' })), { saved }).reported, [
      answered,
      completed,
    ]);
  });

  test('a caller who was joined with an older call and waits in a conference is no such phone', () => {
    const waits = snapshot([{ ...pager, linkedid: '0.8', exten: 's' }]);
    assert.deepEqual(play([waits]).reported, ['picked-up', ringing]);
  });
});

describe('a guest of chan_sip whose beginning was not seen has not answered a caller in a conference', () => {
  const configured: Input = {
    type: 'endpoints',
    at,
    contexts: [
      ['SIP/1001', 'from-internal'],
      ['SIP/1002', 'from-sip-external'],
    ],
    guestContext: 'from-sip-external',
  };
  const none: Input = { ...configured, guestContext: '' };
  const waits = { ...trunkRow, ...inConference };
  const sip = (name: string, more: Partial<SnapshotChannel> = {}) =>
    row('2.1', `SIP/${name}-00000002`, {
      linkedid: '2.1',
      context: 'from-sip-external',
      ...inConference,
      ...more,
    });
  const guest = callerAs('2.1');
  const entersAs = (name: string, context: string): Input => ({
    ...enters(conference, guest),
    channel: `SIP/${name}-00000002`,
    context,
  });
  const inHouse = { context: 'conferences' };
  const dialled = { application: 'AppDial', linkedid: '1.1' };
  const found = (...more: Parameters<typeof sip>) => [configured, snapshot([waits, sip(...more)])];
  const lost = (...more: Parameters<typeof sip>) => [configured, caller, listed(waits, sip(...more))].flat();
  const alone = ['picked-up', ringing] as const;
  const by = (name: string) => [...alone, answeredBy(name)] as const;
  // biome-ignore format: one case a line
  testReports([
    ['under the name of a phone', found('1001'), alone],
    ['under the name of a machine of his', found('evil.example.com'), alone],
    ['whom the dialplan has led on', found('evil.example.com', inHouse), alone],
    ['in a call that was open before', [caller, found('1001')].flat(), [ringing]],
    ['whose Newchannel was lost', lost('1001'), [ringing]],
    ['the same, and the dialplan has led him on', lost('evil.example.com', inHouse), [ringing]],
    ['of whom a BridgeEnter is the first to tell', [configured, caller, enters(conference, caller), entersAs('1001', 'from-sip-external')], [ringing]],
    ['the same, and the dialplan has led him on', [configured, caller, enters(conference, caller), entersAs('evil.example.com', 'conferences')], [ringing]],
    ['but a phone has', found('1001', inHouse), by('1001')],
    ['but a phone has whose own context is that of the guests', found('1002'), by('1002')],
    ['but a phone has that was dialled, also one that the configuration does not know', found('1003', dialled), by('1003')],
    ['but a phone has that the configuration does not know, if no guests are let in', [none, snapshot([waits, sip('1003')])], by('1003')],
    ['but a phone has of which a BridgeEnter tells', [configured, caller, enters(conference, caller), entersAs('1001', 'conferences')], [ringing, answeredBy('1001')]],
  ]);
});
