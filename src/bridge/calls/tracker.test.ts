import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { journalText } from '../../cli/explain/journal-text.ts';
import { readDeviceName } from './device-name.ts';
import type { ChannelCreated, Input } from './input.ts';
import {
  answered,
  answeredBy,
  at,
  becomes,
  caller,
  callerAs,
  completed,
  completedBy,
  conference,
  created,
  dialled,
  enters,
  gone,
  hangsUp,
  join,
  leaves,
  local,
  missed,
  other,
  parking,
  pbxSays,
  phone,
  phone1007,
  phone1008,
  phoneAs,
  play,
  ringing,
  ringingPhone,
  row,
  snapshot,
  talk,
  testReports,
  tick,
} from './tracker.fixture.ts';

/** A leg that the PBX dials as `dialString`, and that is answered. */
const answersAs = (channel: string, dialString: string): Input[] => {
  const leg = created('1.2', channel);
  return [leg, dialled(leg, dialString), becomes(leg, 'up')];
};
const renamed = ({ uniqueid }: { uniqueid: string }, oldName: string, endpoint = '1009'): Input => ({
  type: 'channel-renamed',
  at,
  uniqueid,
  oldName,
  channel: `PJSIP/${endpoint}-00000009`,
});
const OTHER = '+31207654321';
const local2 = [created('1.5', 'Local/t@ring-0002;1'), created('1.6', 'Local/t@ring-0002;2')] as const;
const [announcer, extension] = [created('1.5', 'CBAnn/1-0001;2'), created('1.1', 'PJSIP/1001-0000000a', 4)];
const joins = [phoneAs('1001', '1.3'), enters('b', { uniqueid: '1.3' })];
const mobile = created('1.2', 'PJSIP/trunk-00000002');
const mobileAnswers = answersAs(mobile.channel, '0612345678@trunk');
const mobileWith = (callerNumber: string, channel = mobile.channel) => ({
  ...created('1.2', channel, 6),
  context: 'from-trunk-isp',
  callerNumber,
});
const outwards = 'PJSIP/out-00000002';
const mobileOtherTrunk = [mobileWith('0612345678', outwards), renamed(mobile, outwards, 'out')];
const mobileOwnNumber = [mobileWith('0205550000'), dialled(mobile, 'trunk/sip:+31612345678@10.0.0.1:5060')];
const annaConfigured: Input = {
  type: 'endpoints',
  at,
  contexts: ['PJSIP/anna', 'PJSIP/proxy'].map((endpoint) => [endpoint, 'from-internal']),
  guestContext: '',
};
/** A caller without an account, whom the PBX lets in under this name. */
const guestOf = (endpoint: string): ChannelCreated => ({
  ...callerAs('2.1'),
  channel: `${endpoint}-00000001`,
  state: 6,
  context: 'from-sip-external',
  callerNumber: '',
});
const guest = guestOf('PJSIP/anonymous');
const trunkRow = row('1.1', 'PJSIP/trunk-00000001', { context: 'from-trunk-isp' });
const sipConfigured: Input = {
  type: 'endpoints',
  at,
  contexts: [
    ['SIP/1001', 'from-internal'],
    ['SIP/1002', 'from-sip-external'],
  ],
  guestContext: 'from-sip-external',
};
/** The far end hangs up, and says why (SIP's header Reason). */
const farEndSays = (channel: { uniqueid: string }, cause: number): Input[] => [
  { type: 'hangup-requested', at, uniqueid: channel.uniqueid, context: '', exten: '', priority: '' },
  { ...hangsUp(channel), cause },
];
const elsewhere = farEndSays(caller, 26);
const annaAnswers = [
  { ...phone, channel: 'PJSIP/anna-00000002', callerNumber: '1005' },
  dialled(phone, 'anna/sip:1005@192.168.1.5:5060'),
] as const;
const unknown = { uniqueid: '9.9' };
const bridgeDestroyed: Input = { type: 'bridge-destroyed', at, bridge: 'b' };
/** A phone whose Newchannel was lost enters a bridge. */
const unseenEnters: Input = { ...enters('b', phone), channel: phone.channel };

describe('what is reported of a call', () => {
  // biome-ignore format: one case a line
  testReports([
    ['rings and is given up', [caller, hangsUp(caller)], [ringing, missed]],
    ['rings, and the provider ends it since somebody else has answered (cause 26): nobody of the PBX, and not missed',
      [caller, ringingPhone, hangsUp(ringingPhone), elsewhere], [ringing, { ...ringing, status: 'answered' }, missed]],
    ['is answered, callee first in the bridge, and ended with that cause', [caller, talk, elsewhere], [ringing, answered, completed]],
    ['is found in progress, and answered elsewhere',
      [snapshot([{ ...trunkRow, state: 4 }]), elsewhere], ['picked-up', ringing, { ...ringing, status: 'answered' }, missed]],
    ['the same on a technology that never says whose end hangs up',
      [{ ...caller, channel: 'DAHDI/i1/0201234567-1' }, { ...hangsUp(caller), cause: 26 }], [ringing, { ...ringing, status: 'answered' }, missed]],
    ['a menu or queue has answered, and the caller claims that cause: nobody has',
      [caller, becomes(caller, 'up'), ringingPhone, hangsUp(ringingPhone), elsewhere], [ringing, missed]],
    ['the same, found in progress', [snapshot([trunkRow]), elsewhere], ['picked-up', ringing, missed]],
    ['the PBX itself ends the call with that cause: nobody has answered',
      [other, farEndSays(other, 16), caller, { ...hangsUp(caller), cause: 26 }], [{ ...ringing, from: OTHER }, { ...missed, from: OTHER }, ringing, missed]],
    ['a caller who claims any other cause while it rings has given up',
      [caller, ringingPhone, farEndSays(caller, 17)], [ringing, missed]],
    ['a phone that stops ringing with that cause has not answered', [caller, ringingPhone, { ...hangsUp(ringingPhone), cause: 26 }, hangsUp(caller)], [ringing, missed]],
    ['is answered, callee first in the bridge', [caller, talk], [ringing, answered]],
    ['is answered and hung up', [caller, phone, join('b', caller, phone), hangsUp(phone), hangsUp(caller)], [ringing, answered, completed]],
    ['a chan_sip trunk: Down first, then Ring', [{ ...caller, state: 0 }, becomes(caller, 'ring')], [ringing]],
    ['a trunk leg that we dialled: Down, Ringing, Up', [{ ...caller, state: 0 }, becomes(caller, 'ringing'), becomes(caller, 'up')], []],
    ['an extension calls', [extension, hangsUp(caller)], []],
    ['a leg made by another call', [{ ...caller, linkedid: '0.9' }], []],
    ['a Local half in an inbound context', [{ ...caller, channel: 'Local/s@from-trunk-1;1' }], []],
    ['an announcement: Up, in no bridge', [caller, becomes(caller, 'up'), hangsUp(caller)], [ringing, missed]],
    ['alone in a conference', [caller, enters(conference, caller)], [ringing]],
    ['joined in a conference', [caller, enters(conference, caller), phone, enters(conference, phone)], [ringing, answered]],
    ["with a conference's announcer", [caller, enters(conference, caller), announcer, enters(conference, announcer)], [ringing]],
    ['parked beside another parked call', [caller, phone, join(parking, caller, phone)], [ringing]],
    ['through a Local pair, the far end last',
      [caller, local, phone, join('x', local[0], caller), join('y', local[1], phone)], [ringing, answered]],
    ['through a Local pair, the caller last',
      [caller, local, phone, join('y', local[1], phone), join('x', local[0], caller)], [ringing, answered]],
    ['through two Local pairs',
      [caller, local, local2, phone, join('z', local2[1], phone), join('x', caller, local[0]), join('y', local[1], local2[0])], [ringing, answered]],
    ['press 1 to accept: the mobile is in a bridge without the caller',
      [caller, local, phone, join('y', local[1], phone), hangsUp(phone), hangsUp(caller)], [ringing, missed]],
    ["a ring group's losers hang up", [caller, phone, phone1007, join('b', phone, caller), hangsUp(phone1007)], [ringing, answered]],
    ['transferred: nothing is reported again',
      [caller, talk, leaves('b', caller), hangsUp(phone), phone1008, join('d', phone1008, caller), hangsUp(caller)], [ringing, answered, completed]],
    ['picked up: the picker takes the name of the phone that rang',
      [caller, phone, renamed(phone, phone.channel), join('b', phone, caller)], [ringing, answeredBy('1009')]],
    ['a new name for a channel with another name: forged',
      [caller, phone, renamed(caller, '', 'x'), renamed(phone, 'x'), join('b', phone, caller)], [ringing, answered]],
    ['a phone takes over the leg of a mobile: its name',
      [caller, mobileWith('0612345678'), renamed(mobile, mobile.channel), join('b', mobile, caller)], [ringing, answeredBy('1009')]],
    ['the leg of a mobile gets another name on its trunk',
      [caller, mobileOtherTrunk, join('b', mobile, caller)], [ringing, answeredBy('+31612345678')]],
    ['half of a Local pair becomes a phone: the other leads nowhere',
      [caller, local, enters('y', local[1]), phone, enters('y', phone), renamed(local[1], local[1].channel), join('x', local[0], caller)], [ringing]],
    ['a mobile over the trunk answers: its number',
      [caller, mobileWith('0612345678'), join('b', mobile, caller)], [ringing, answeredBy('+31612345678')]],
    ['a mobile over the trunk whose number nobody says: the trunk',
      [caller, mobileWith(''), join('b', mobile, caller)], [ringing, answeredBy('trunk')]],
    ['the number dialled, not our own that the leg bears',
      [caller, mobileOwnNumber, join('b', mobile, caller)], [ringing, answeredBy('+31612345678')]],
    ['a mobile behind a trunk on which no call ever came in',
      [caller, answersAs(outwards, '0612345678@out'), join('b', mobile, caller)], [ringing, answeredBy('+31612345678')]],
    ['a phone that is dialled by its contact, as FreePBX does',
      [caller, answersAs(phone.channel, '1001/sip:1001@192.168.1.5:5060'), join('b', phone, caller)], [ringing, answered]],
    ['a phone that registered under another number than its own',
      [caller, answersAs(phone.channel, '1001/sip:201234@192.168.1.5:5060'), join('b', phone, caller)], [ringing, answered]],
    ['a phone by its configuration, registered under a long number',
      [annaConfigured, caller, answersAs('PJSIP/anna-00000002', 'anna/sip:12345678@192.168.1.5:5060'), join('b', phone, caller)], [ringing, answeredBy('anna')]],
    ['a phone with a name that has registered under its own number is no mobile: who joins does not take the answer over',
      [annaConfigured, caller, annaAnswers, join('b', phone, caller), joins, hangsUp(caller)], [ringing, answeredBy('1005'), completedBy('1005')]],
    ['a phone behind a SIP proxy that the configuration has among the phones, by its number',
      [annaConfigured, caller, { ...annaAnswers[0], channel: 'PJSIP/proxy-00000002' }, dialled(phone, 'proxy/sip:1005@10.0.0.1'), join('b', phone, caller), joins, hangsUp(caller)],
      [ringing, answeredBy('1005'), completedBy('1005')]],
    ['a callee that rings in a bridge with the caller (ARI): no answer',
      [caller, ringingPhone, join('b', caller, phone), hangsUp(phone), hangsUp(caller)], [ringing, missed]],
    ['the same, answered there', [caller, ringingPhone, join('b', caller, phone), becomes(phone, 'up')], [ringing, answered]],
    ['two outside callers in a conference: neither answers the other',
      [caller, other, tick(100), join(conference, caller, other), hangsUp(caller), hangsUp(other)], [ringing, { ...ringing, from: OTHER }, missed, { ...missed, from: OTHER }]],
    ['the same: its leader answers both',
      [caller, other, tick(100), join(conference, caller, other), phone, enters(conference, phone)], [ringing, { ...ringing, from: OTHER }, answered, { ...answered, from: OTHER }]],
    ['a guest in a conference: nobody of the house, whether the PBX knows its context or not',
      [caller, guestOf('PJSIP/anonymous'), join(conference, caller, guest), hangsUp(guest), guestOf('PJSIP/anonymous@example.com'), enters(conference, guest), hangsUp(caller)],
      [ringing, missed]],
    ['the same: its leader answers', [caller, guestOf('PJSIP/anonymous'), join(conference, caller, guest), phone, enters(conference, phone)], [ringing, answered]],
    ['a guest that a snapshot shows', [snapshot([trunkRow, row('2.1', 'PJSIP/anonymous-00000001', { bridge: 'c' })].map((it) => ({ ...it, bridge: 'c' })))],
      ['picked-up', ringing]],
    ['a guest of chan_sip under the name of a phone, or any other',
      [sipConfigured, caller, guestOf('SIP/1001'), join(conference, caller, guest), hangsUp(guest), guestOf('SIP/elsewhere'), enters(conference, guest), hangsUp(caller)],
      [ringing, missed]],
    ['a phone of chan_sip that dials in, and one that the configuration did not know yet',
      [sipConfigured, caller, { ...guestOf('SIP/1003'), context: 'from-internal' }, join(conference, caller, guest)], [ringing, answeredBy('1003')]],
    ['the phone itself, dialled', [sipConfigured, caller, { ...phone, channel: 'SIP/1001-00000002', context: 'from-sip-external' }, join('b', phone, caller)], [ringing, answered]],
    ['a phone whose own context is that of the guests',
      [sipConfigured, caller, guestOf('SIP/1002'), join(conference, caller, guest)], [ringing, answeredBy('1002')]],
    ['a mobile answers, a person joins: the end names the latter',
      [caller, mobileAnswers, join('b', mobile, caller), joins, hangsUp(caller)], [ringing, answeredBy('+31612345678'), completed]],
    ['a mobile answers and hands the caller on',
      [caller, mobileAnswers, join('b', mobile, caller), leaves('b', mobile), joins, hangsUp(caller)], [ringing, answeredBy('+31612345678'), completedBy('+31612345678')]],
    ['led to another bridge, though no BridgeLeave was observed',
      [caller, enters('b', caller), enters(conference, caller), phone, enters('b', phone)], [ringing]],
    ['a dial of a channel that is not known', [dialled(unknown, '1001')], []],
    ['a new name, and a hang-up, of a channel that is not known', [renamed(unknown, 'x'), hangsUp(unknown)], []],
    ['a bridge whose id is used again before its end is told',
      [caller, enters('b', caller), leaves('b', caller), enters('b', caller), bridgeDestroyed, phone, enters('b', phone)], [ringing, answered]],
    ['the same, with both in it already',
      [caller, phone, enters('b', phone), enters(parking, caller), leaves('b', phone), enters('b', caller), bridgeDestroyed, enters('b', phone)], [ringing, answered]],
    ['a bridge destroyed under the caller is not an answer later',
      [caller, enters('b', caller), bridgeDestroyed, phone, enters('b', phone)], [ringing]],
    ['everything twice',
      [caller, caller, phone, phone, join('b', phone, caller, caller), hangsUp(caller), hangsUp(caller)], [ringing, answered, completed]],
  ]);

  test('the journal names who takes over after a transfer: an extension, or the number of a mobile', () => {
    const takers = (...heard: (Input | Input[])[]) =>
      play(heard).effects.flatMap((effect) =>
        effect.type === 'journal' && effect.entry.event.code === 'takes-over'
          ? journalText(effect.entry)
          : [],
      );
    const before = [caller, phone1007, ...join('a', phone1007, caller)];
    const after = [...before, leaves('a', caller), leaves('a', phone1007)];
    assert.deepEqual(takers(after, phone1008, join('b', phone1008, caller)), [
      '1008 takes over, and talks with the caller',
    ]);
    assert.deepEqual(takers(after, mobileAnswers, join('b', mobile, caller)), [
      '+31612345678 takes over, and talks with the caller',
    ]);
  });

  test('the journal says each decision and why, line by line', () => {
    const since = 'inbound, since its context from-trunk-isp matches INBOUND_CONTEXTS';
    const came = (number: string) =>
      `appeared 1.1: channel PJSIP/trunk-00000001 in context from-trunk-isp, extension s, from ${number}: ${since}`;
    const dialled = (uniqueid: string, channel: string) =>
      `appeared ${uniqueid}: channel ${channel} in context from-internal, extension s, with no number: a leg that was dialled for the call 1.1`;
    const asked = 'observed 1.1: asked the PBX whether the caller lets the number be shown';
    const allowed = 'observed 1.1 pbx-1.1: the PBX says of showing the number: allowed';
    const rings =
      'reported 1.1 pbx-1.1: ringing, from +31201234567: the trunk presented 0201234567 (as dialled in NL)';
    const hungUp = 'PJSIP/trunk-00000001 hung up, cause 16 (normal)';
    const journals: [(Input | readonly Input[])[], string[]][] = [
      [
        [caller, mobileAnswers, join('b', mobile, caller), joins, hangsUp(mobile), hangsUp(caller)],
        [
          came('0201234567'),
          asked,
          allowed,
          rings,
          dialled('1.2', 'PJSIP/trunk-00000002'),
          'observed 1.1 pbx-1.1: the caller enters a bridge, with others (simple_bridge)',
          'reported 1.1 pbx-1.1: answered by +31612345678: PJSIP/trunk-00000002 is in a bridge with the caller',
          dialled('1.3', 'PJSIP/1001-00000002'),
          'observed 1.1 pbx-1.1: 1001 joins: the end names 1001',
          'observed 1.2: PJSIP/trunk-00000002 hung up, cause 16 (normal)',
          `observed 1.1 pbx-1.1: the caller's channel ${hungUp}`,
          'reported 1.1 pbx-1.1: completed, was answered by 1001',
        ],
      ],
      [
        [
          caller,
          talk,
          phone1008,
          enters('b', phone1008),
          leaves('b', caller),
          hangsUp(phone),
          join('d', caller, phone1008),
          hangsUp(caller),
        ],
        [
          came('0201234567'),
          asked,
          allowed,
          rings,
          dialled('1.2', 'PJSIP/1001-00000002'),
          'observed 1.1 pbx-1.1: the caller enters a bridge, with others (simple_bridge)',
          'reported 1.1 pbx-1.1: answered by 1001: PJSIP/1001-00000002 is in a bridge with the caller',
          dialled('1.8', 'PJSIP/1008-00000002'),
          'observed 1.1 pbx-1.1: the caller leaves the bridge',
          'observed 1.2: PJSIP/1001-00000002 hung up, cause 16 (normal)',
          'observed 1.1 pbx-1.1: the caller enters a bridge, alone (simple_bridge)',
          'observed 1.1 pbx-1.1: 1008 takes over, and talks with the caller',
          `observed 1.1 pbx-1.1: the caller's channel ${hungUp}`,
          'reported 1.1 pbx-1.1: completed, was answered by 1001',
        ],
      ],
      [
        [{ ...caller, callerNumber: 'alice7' }, local, hangsUp(caller)],
        [
          came('alice7'),
          `observed 1.1 pbx-1.1: the caller's channel ${hungUp}`,
          'not-reported 1.1 pbx-1.1: alice7 is no number, and neither MISSING_NUMBER nor WITHHELD_NUMBER is set',
        ],
      ],
      [
        [{ ...caller, state: 0 }, hangsUp(caller)],
        [came('0201234567'), `not-reported 1.1: ${hungUp}; it never rang at us: it never got as far`],
      ],
      [
        [{ ...caller, state: 0 }, becomes(caller, 'up'), hangsUp(caller)],
        [
          came('0201234567'),
          `not-reported 1.1: ${hungUp}; it never rang at us: it was dialled out over the trunk`,
        ],
      ],
      [[unseenEnters, hangsUp(phone)], ['observed 1.2: PJSIP/1001-00000002 hung up, cause 16 (normal)']],
      [
        [snapshot([row('1.1', caller.channel, { context: 'from-trunk-isp' })]), gone],
        [
          asked,
          'decided 1.1 pbx-1.1: picked up: is in progress, and its beginning was not observed',
          allowed,
          rings,
          'decided 1.1 pbx-1.1: ended unobserved: its channel is gone, and its end was not seen',
          'reported 1.1 pbx-1.1: completed, no answer was observed',
        ],
      ],
    ];
    for (const [heard, expected] of journals) {
      const { effects } = play(heard);
      const entries = effects.flatMap((it) => (it.type === 'journal' ? [it.entry] : []));
      const texts = entries.map(
        (entry) =>
          `${entry.kind} ${entry.uniqueid}${entry.call ? ` ${entry.call}` : ''}: ${journalText(entry)}`,
      );
      assert.deepEqual(texts, expected);
    }
  });

  // biome-ignore format: one case a line
  testReports([
    ['nobody answers in a bridge whose members have hung up', [caller, unseenEnters, hangsUp(phone), enters('b', caller)], [ringing]],
    ['somebody does whose Newchannel was lost', [caller, unseenEnters, enters('b', caller)], [ringing, answered]],
    ['a caller hangs up in a bridge, a phone comes after, and then the PBX says that the number may be shown',
      [caller, enters('b', caller), hangsUp(caller), phone, enters('b', phone), pbxSays(caller, 'allowed')], [ringing, missed], { presentation: 'no answer' }],
  ]);

  const answeredAs600 = [caller, phone, { ...enters('b', phone), callerNumber: '600' }, enters('b', caller)];
  const byCallerId = { settings: { answeredBy: 'callerid' } } as const;
  const phone9901 = phoneAs('991001');
  const byDeviceNames = {
    settings: {
      deviceNames: [readDeviceName('99*=*'), readDeviceName('+316*=1*')].filter((it) => it !== undefined),
    },
  };
  // biome-ignore format: one case a line
  testReports([
    ['ANSWERED_BY=callerid reports the CallerIDNum', answeredAs600, [ringing, answeredBy('600')], byCallerId],
    ['without it the endpoint is reported', answeredAs600, [ringing, answered]],
    ['ANSWERED_BY=callerid leaves a mobile behind a trunk as it is: its CallerIDNum can be our own number',
      [caller, mobileOwnNumber, join('b', mobile, caller)], [ringing, answeredBy('+31612345678')], byCallerId],
    ["DEVICE_NAMES makes a device's name an extension",
      [caller, phone9901, join('b', caller, phone9901), hangsUp(caller)], [ringing, answeredBy('1001'), completedBy('1001')], byDeviceNames],
    ['a mobile behind a trunk is no device',
      [caller, mobileAnswers, join('b', mobile, caller)], [ringing, answeredBy('+31612345678')], byDeviceNames],
  ]);

  test('what is dialled over a trunk is written down, for a bridge that starts later', () => {
    const { effects } = play([caller, phone, mobileAnswers, join('b', mobile, caller)]);
    assert.deepEqual(
      effects.flatMap((it) => (it.type === 'dialled-out' ? [it.uniqueid] : [])),
      [mobile.uniqueid],
    );
  });

  describe('a machine that NOT_A_PERSON lists has not answered', () => {
    const setup = { settings: { notAPerson: ['pjsip/Bot', 'IAX2/branch-*', 'PJSIP/FAX*'] } };
    const [bot, robot, fax] = [phoneAs('bot'), phoneAs('bother'), phoneAs('fax1', '1.4')];
    const branch = created('1.2', 'IAX2/branch-1234', 6);
    const botCalls = { ...caller, channel: 'PJSIP/bot-00000001' };
    // biome-ignore format: one case a line
    testReports([
      ['a bot, by its endpoint', [caller, bot, join('b', caller, bot), hangsUp(caller)], [ringing, missed]],
      ["another PBX, by its channel's name", [caller, branch, join('b', caller, branch), hangsUp(caller)], [ringing, missed]],
      ['a bot, then a person',
        [caller, bot, join('b', caller, bot), leaves('b', bot), hangsUp(bot), phone1007, enters('b', phone1007), hangsUp(caller)], [ringing, answeredBy('1007'), completedBy('1007')]],
      ['a bot and a person in one bridge',
        [caller, bot, phone1007, join('b', caller, bot, phone1007), hangsUp(caller)], [ringing, answeredBy('1007'), completedBy('1007')]],
      ['a bot, then a fax machine',
        [caller, bot, join('b', caller, bot), leaves('b', bot), fax, enters('b', fax), hangsUp(caller)], [ringing, missed]],
      ['a person, then a machine: still answered',
        [caller, phone1007, join('b', caller, phone1007), leaves('b', phone1007), bot, enters('b', bot), hangsUp(caller)], [ringing, answeredBy('1007'), completedBy('1007')]],
      ['a mobile, then a bot joins',
        [caller, mobileAnswers, join('b', mobile, caller), fax, enters('b', fax), hangsUp(caller)], [ringing, answeredBy('+31612345678'), completedBy('+31612345678')]],
      ['another endpoint whose name begins so', [caller, robot, join('b', caller, robot)], [ringing, answeredBy('bother')]],
      ['a machine that calls in is a caller', [botCalls, phone1007, join('b', caller, phone1007)], [ringing, answeredBy('1007')]],
    ], setup);

    test('the journal names it, once', () => {
      const again = [leaves('b', caller), enters('b', caller)];
      const { effects } = play([caller, bot, join('b', caller, bot), again, hangsUp(caller)], setup);
      const texts = effects.flatMap((it) => (it.type === 'journal' ? journalText(it.entry) : []));
      assert.deepEqual(
        texts.filter((text) => /NOT_A_PERSON/.test(text)),
        ['PJSIP/bot-00000002 answered, but NOT_A_PERSON lists it: no person has answered'],
      );
    });
  });

  // biome-ignore format: one case a line
  testReports([
    ['a context that is no inbound one', [{ ...caller, context: 'default' }], []],
    ['the same: INBOUND_CHANNELS knows the trunk by its name',
      [{ ...caller, context: 'default' }], [ringing], { settings: { inboundChannels: ['PJSIP/trunk-*'] } }],
  ]);
});
