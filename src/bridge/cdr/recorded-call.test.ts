import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTrunkNotation } from '../../shared/phone-number/trunk-notation.ts';
import { readDeviceName } from '../calls/device-name.ts';
import { callSettings } from '../calls/rules.fixture.ts';
import { type CallSettings, createRules } from '../calls/rules.ts';
import { type CdrRecord, usualRecords } from './cdr-source.ts';
import { parseRecord } from './csv-record.ts';
import { createDialledLegs } from './dialled-legs.ts';
import { missingOf, recordedCallOf } from './recorded-call.ts';

const record = (more: Partial<CdrRecord> = {}): CdrRecord => ({
  src: '0201234567',
  dst: 's',
  dcontext: 'from-trunk',
  channel: 'PJSIP/trunk-00000001',
  dstchannel: '',
  lastapp: 'Dial',
  lastdata: '',
  disposition: 'NO ANSWER',
  uniqueid: '1800000000.1',
  did: '',
  ...more,
});
const answered = (more: Partial<CdrRecord> = {}) =>
  record({ dstchannel: 'PJSIP/1001-00000002', disposition: 'ANSWERED', ...more });

/** Two mobiles that are called at once. */
const twoMobiles = 'PJSIP/0612345678@trunk&PJSIP/0687654321@trunk,30';
/** Records have room for 79 characters. */
const cutDial = 'PJSIP/1001&PJSIP/1002&PJSIP/1003&PJSIP/1004&PJSIP/1005&PJSIP/1006&PJSIP/1007&PJ';
const cutAddress = 'PJSIP/trunk/sip:+31612345678@127.0.0.1:9001&PJSIP/trunk/sip:+31687654321@127.0.';
const cutLocal = 'Local/1002@ctx-mytenant-internal-6e3a0b52-7f0d-4b0a-9b7a-0d7f5f1f2c11-00000000;';
/** A transfer moved the call out of the inbound context. */
const moved = { dcontext: 'from-internal' };
/** A leg that the PBX dialled itself. */
const leg = { lastapp: 'AppDial', lastdata: '(Outgoing Line)' };
const lasted = (from: number, to: number) => ({ start: from, duration: to - from });
const here = lasted(0, 10);
/** Another call, which began this number of seconds after the one that is `here`. */
const later = (s: number) => ({ uniqueid: `${1_800_000_000 + s}.9`, start: s, duration: 10 });
const member = {
  channel: 'Local/1002@from-queue-00000001;2',
  lastdata: 'PJSIP/1002,4',
  uniqueid: '1800000000.3',
};

type Setup = { settings?: Partial<CallSettings>; presumesWithheld?: boolean; options?: typeof usualRecords };

/** Judges these as one channel's own records; `others` are of other channels. */
function read(own: CdrRecord[], others: CdrRecord[] = [], setup: Setup = {}) {
  const { presumesWithheld = false, options = usualRecords } = setup;
  const legs = createDialledLegs(() => options);
  for (const one of [...others, ...own]) legs.add(one);
  const rules = createRules({ ...callSettings, inboundChannels: ['SIP/isp-*'], ...setup.settings });
  const recorded = recordedCallOf(
    {
      rules,
      trunks: new Set(['PJSIP/trunk']),
      isPhone: (it) => it === 'PJSIP/3001' || it === 'PJSIP/anna',
      presumesWithheld: (it) => presumesWithheld && it === 'PJSIP/trunk',
      legs,
    },
    own,
  );
  if (!recorded.inbound) return recorded;
  const { extras: _, number, ...verdict } = recorded;
  return { ...verdict, from: 'from' in number ? number.from : number.why };
}

type Verdict = ReturnType<typeof read>;
const notInbound = { inbound: false } as const;
const missed = { inbound: true, from: '+31201234567' } as const;
const answeredBy = (callerId: string) => ({ ...missed, callerId });
const withoutNumber = (from: string) => ({ inbound: true, from }) as const;
const noNumber = withoutNumber(
  'its record has no number, and neither MISSING_NUMBER nor WITHHELD_NUMBER is set',
);
const hidden = withoutNumber('the caller withholds the number, and WITHHELD_NUMBER is not set');

/** A test for each case: what the records of a channel, together with those of others, say. */
function testVerdicts(
  cases: [name: string, own: CdrRecord[], others: CdrRecord[], verdict: Verdict][],
  setup?: Setup,
): void {
  for (const [name, own, others, verdict] of cases)
    test(name, () => assert.deepEqual(read(own, others, setup), verdict));
}

describe('what a record says, alone and together with others', () => {
  // biome-ignore format: one case a line
  testVerdicts([
    ['an inbound call that was not answered', [record()], [], missed],
    ['one that an announcement answered', [answered({ dstchannel: '' })], [], missed],
    ['one that a phone answered', [answered()], [], answeredBy('1001')],
    ['one that the second phone answered', [record(), answered()], [], answeredBy('1001')],
    ['one that was transferred, by the first', [answered(), answered({ dstchannel: 'PJSIP/1002-00000003' })], [], answeredBy('1001')],
    ['one recognised by the name of its channel', [record({ channel: 'SIP/isp-00000001', ...moved })], [], missed],
    ['one recognised by its endpoint', [answered(moved)], [], answeredBy('1001')],
    ['a program over the trunk, without a caller number', [answered({ src: '', ...moved })], [], notInbound],
    ['a call between extensions', [answered({ channel: 'PJSIP/1002-00000001', ...moved })], [], notInbound],
    ['half of a Local pair', [answered({ channel: 'Local/s@from-trunk-0001;2' })], [], notInbound],
    ['a leg over the trunk that the PBX dialled itself', [answered(leg)], [], notInbound],
    ['a mobile over the trunk, by its number',
      [answered({ dstchannel: 'PJSIP/trunk-00000002', lastdata: 'PJSIP/1001&PJSIP/trunk/sip:0612345678@10.0.0.1,20' })], [], answeredBy('+31612345678')],
    ['the same, dialled the other way',
      [answered({ dstchannel: 'PJSIP/trunk-00000002', lastdata: 'PJSIP/0612345678@trunk,20' })], [], answeredBy('+31612345678')],
    ['a Local pair whose dialplan has switched its record off: an announcement looks like a phone', [answered({ dstchannel: 'Local/1003@unrecorded-0001;1' })], [], missed],
    ['an announcer in a conference that has not ended', [answered({ dstchannel: 'Local/1070@from-internal-0001;2', lastapp: 'ConfBridge' })], [], missed],
    ['the same, though another Local pair leads a phone to that room', [answered({ dstchannel: 'Local/1070@from-internal-0001;2', lastapp: 'ConfBridge' })],
      [answered({ channel: 'Local/1070@from-internal-0002;2', uniqueid: '1.2' })], missed],
    ['an unknown trunk, moved on by the dialplan',
      [record({ channel: 'SIP/peer-00000001' }), answered({ channel: 'SIP/peer-00000001', ...moved })], [], answeredBy('1001')],
    ['an unknown trunk, by the number that was called',
      [answered({ channel: 'SIP/peer-00000001', did: '4930777', ...moved })], [], answeredBy('1001')],
    ['a trunk that presents its own name as the caller', [record({ src: 'trunk' })], [], noNumber],
    ['a leg, transferred to an inbound context', [answered(leg), answered()], [], notInbound],
    ['a number that only the second record has', [record({ src: '' }), record()], [], missed],
    ['a caller who withholds the number', [record({ src: 'anonymous' })], [], hidden],
    ['a caller without a number', [record({ src: '' })], [], noNumber],
    ['a caller who is ANONYMOUS on a keypad', [record({ src: '+266696687' })], [], hidden],
    ['a caller who is UNAVAILABLE on a keypad', [record({ src: '+86282452253' })], [], noNumber],
    ['a caller joined with another from outside', [answered(here)],
      [answered({ channel: 'PJSIP/trunk-00000007', src: '0209999999', dstchannel: 'PJSIP/trunk-00000001', ...later(-9) })], answeredBy('1001')],
    ['a caller joined with a later one, whose context was overwritten', [answered(lasted(0, 20)), answered({ dstchannel: 'PJSIP/trunk-00000007', ...lasted(20, 30) })],
      [answered({ channel: 'PJSIP/trunk-00000007', src: '0209999999', dstchannel: 'PJSIP/1002-00000009', ...moved, ...later(5) })], answeredBy('1001')],
    ['that later one', [answered({ channel: 'PJSIP/trunk-00000007', dstchannel: 'PJSIP/1002-00000009', ...moved, ...later(5) })],
      [answered({ ...lasted(0, 20), channel: 'PJSIP/trunk-00000001' }), answered({ dstchannel: 'PJSIP/trunk-00000007', ...lasted(20, 30) })], answeredBy('1002')],
    ['a caller joined with a later one, whose call goes on', [answered(lasted(0, 20)), answered({ dstchannel: 'PJSIP/trunk-00000007', ...lasted(20, 30) })], [], answeredBy('1001')],
    ['a waiting caller who was taken with Bridge()', [answered(here)],
      [answered({ channel: 'PJSIP/1001-00000002', dstchannel: 'PJSIP/trunk-00000001', ...moved, ...later(2) })], answeredBy('1001')],
    ['who meets only another one from outside', [answered({ dstchannel: 'PJSIP/trunk-00000007', lastapp: 'ConfBridge', ...here })],
      [answered({ channel: 'PJSIP/trunk-00000007', src: '0209999999', dstchannel: '', lastapp: 'ConfBridge', ...later(3) })], missed],
    ['one on a line over which we called before', [answered({ channel: 'DAHDI/1-1', ...moved, ...here })],
      [answered({ channel: 'PJSIP/1001-00000003', dstchannel: 'DAHDI/1-1', ...later(-100) })], answeredBy('1001')],
    ['the same, though a transfer changed its context', [answered({ ...moved, ...here })],
      [answered({ channel: 'PJSIP/1001-00000003', dstchannel: 'PJSIP/trunk-00000001', ...later(-100) })], answeredBy('1001')],
    ['a customer whom we called over that line, transferred', [answered({ channel: 'DAHDI/1-1', ...moved, ...here })],
      [answered({ channel: 'PJSIP/1001-00000003', dstchannel: 'DAHDI/1-1', ...later(-5) })], notInbound],
    ['a customer whom we called over the trunk, transferred', [answered({ channel: 'PJSIP/trunk-00000002', ...moved })],
      [answered({ channel: 'PJSIP/1001-00000001', dstchannel: 'PJSIP/trunk-00000002', uniqueid: '1799999990.1' })], notInbound],
    ['whose line answered: an earlier leg on it says nothing', [answered({ dstchannel: 'DAHDI/2-1', ...here })],
      [record({ channel: 'DAHDI/2-1', lastdata: '(Outgoing Line)', ...later(-100) })], answeredBy('2')],
    ['who answered behind a Local pair', [answered({ dstchannel: 'Local/1003@q-0001;1' })],
      [answered({ channel: 'Local/1003@q-0001;2', dstchannel: 'PJSIP/1004-00000001', uniqueid: '1.2' })], answeredBy('1004')],
    ['a member of a queue who forwards to voicemail', [answered({ dstchannel: 'Local/1002@from-queue-0001;1', lastapp: 'Queue' })],
      [record({ channel: 'Local/1002@from-queue-0001;2', dstchannel: 'PJSIP/1002-00000004', ...later(1) }),
        answered({ channel: 'Local/1002@from-queue-0001;2', dstchannel: '', lastapp: 'VoiceMail', ...later(1) })], missed],
    ['a member who answered at the second try', [answered({ dstchannel: 'Local/1002@from-queue-0001;1', lastapp: 'Queue' })],
      [answered({ channel: 'Local/1002@from-queue-0001;2', dstchannel: '', lastapp: 'Playback', ...later(1) }),
        answered({ channel: 'Local/1002@from-queue-0001;2', dstchannel: 'PJSIP/1002-00000004', ...later(1) })], answeredBy('1002')],
    ['a bot behind AudioSocket', [answered({ dstchannel: 'AudioSocket/127.0.0.1:32995-0x7f' })], [], missed],
    ['a bot behind externalMedia', [answered({ dstchannel: 'UnicastRTP/127.0.0.1:9-0x7f' })], [], missed],
    ['a person after a bot', [answered({ dstchannel: 'AudioSocket/127.0.0.1:32995-0x7f' }), answered()], [], answeredBy('1001')],
    ['one over the trunk, in words that name no number: what was dialled to reach it',
      [answered({ dstchannel: 'PJSIP/trunk-00000002', lastdata: 'OUT', dst: '0612345678', ...moved })], [], answeredBy('+31612345678')],
    ['the same over a line that is one by its name',
      [answered({ dstchannel: 'SIP/isp-1-00000002', lastdata: 'OUT', dst: '0612345678', ...moved })], [], answeredBy('+31612345678')],
    ['a mobile over a trunk on which no call came in',
      [answered({ dstchannel: 'PJSIP/siproute-4-00000007', lastdata: 'PJSIP/+31612345678@siproute-4,300,T' })], [], answeredBy('+31612345678')],
    ['the same by chan_sip',
      [answered({ dstchannel: 'SIP/siproute-4-00000007', lastdata: 'SIP/siproute-4/+31612345678,300,T' })], [], answeredBy('+31612345678')],
    ['the second of two mobiles over one trunk',
      [record({ dstchannel: 'PJSIP/trunk-00000002', lastdata: twoMobiles }), answered({ dstchannel: 'PJSIP/trunk-00000003', lastdata: twoMobiles })],
      [], answeredBy('+31687654321')],
    ['the first of them',
      [answered({ dstchannel: 'PJSIP/trunk-00000002', lastdata: twoMobiles }), record({ dstchannel: 'PJSIP/trunk-00000003', lastdata: twoMobiles })],
      [], answeredBy('+31612345678')],
    ['the second of them, at the second try',
      [['2', record], ['3', record], ['4', record], ['5', answered]].map(([n, make]) => (make as typeof record)({ dstchannel: `PJSIP/trunk-0000000${n}`, lastdata: twoMobiles })),
      [], answeredBy('+31687654321')],
    ['one of two of which the other has no record: nobody knows which',
      [answered({ dstchannel: 'PJSIP/trunk-00000002', lastdata: twoMobiles })], [], answeredBy('trunk')],
    ['the second of two, of whose address the end is cut off',
      [record({ dstchannel: 'PJSIP/trunk-00000002', lastdata: cutAddress }), answered({ dstchannel: 'PJSIP/trunk-00000003', lastdata: cutAddress })],
      [], answeredBy('+31687654321')],
    ['a mobile behind the end of what a record has room for, under our own number: the trunk',
      [answered({ dst: '0207654321', did: '0207654321', dstchannel: 'PJSIP/trunk-00000009', lastdata: cutDial })], [], answeredBy('trunk')],
    ['the same, where only the dialplan says our number',
      [answered({ dst: '0207654321', dstchannel: 'PJSIP/trunk-00000009', lastdata: cutDial })], [], answeredBy('trunk')],
    ['a phone behind a Local pair whose name is too long for a record',
      [answered({ dstchannel: cutLocal })], [answered({ channel: cutLocal, dstchannel: 'PJSIP/1002-00000004', uniqueid: '1800000000.3' })], answeredBy('1002')],
    ['nobody behind it, only voicemail',
      [answered({ dstchannel: cutLocal })],
      [record({ channel: cutLocal, lastdata: '(Outgoing Line)', uniqueid: '1800000000.2' }),
        answered({ channel: cutLocal, dstchannel: '', lastapp: 'VoiceMail', uniqueid: '1800000000.3' })], missed],
    ['a phone that is dialled by its contact',
      [answered({ dstchannel: 'PJSIP/1001-00000007', lastdata: 'PJSIP/1001/sip:1001@10.0.0.1' })], [], answeredBy('1001')],
    ['a phone by its configuration, registered under a long number',
      [answered({ dstchannel: 'PJSIP/anna-00000007', lastdata: 'PJSIP/anna/sip:12345678@10.0.0.1' })], [], answeredBy('anna')],
    ['the same, under its own number',
      [answered({ dst: '1005', dstchannel: 'PJSIP/anna-00000007', lastdata: 'PJSIP/anna/sip:1005@10.0.0.1' })], [], answeredBy('1005')],
    ['a pickup of a leg with a routine of its own', [answered(here), answered({ dstchannel: 'PJSIP/1002-00000003', ...here })],
      [record({ channel: 'PJSIP/1001-00000002', lastapp: 'Return', ...later(0) })], answeredBy('1002')],
    ['a pickup, of which the leg has no record',
      [answered(lasted(0, 4)), answered({ dstchannel: 'PJSIP/1002-00000003', ...lasted(4, 9) })], [], answeredBy('1002')],
    ['the same, by whole seconds',
      [answered(lasted(0, 4)), answered({ dstchannel: 'PJSIP/1002-00000003', ...lasted(5, 9) })], [], answeredBy('1002')],
    ['the same, while others rang too',
      [answered(lasted(0, 4)), record({ dstchannel: 'PJSIP/1003-00000002', ...lasted(0, 4) }),
        answered({ dstchannel: 'PJSIP/1002-00000003', ...lasted(4, 9) })], [], answeredBy('1002')],
    ['no pickup: the second rang later',
      [answered(lasted(0, 4)), answered({ dstchannel: 'PJSIP/1002-00000002', ...lasted(6, 9) })], [], answeredBy('1001')],
    ['no pickup: the second rang before',
      [answered(lasted(0, 4)), answered({ dstchannel: 'PJSIP/1002-00000002', ...lasted(3, 9) })], [], answeredBy('1001')],
    ['no pickup: it is dialled otherwise',
      [answered(lasted(0, 4)), answered({ dstchannel: 'PJSIP/1002-00000002', lastdata: 'PJSIP/1002', ...lasted(4, 9) })], [], answeredBy('1001')],
    ['no pickup: it is called by another application',
      [answered(lasted(0, 4)), answered({ dstchannel: 'PJSIP/1002-00000002', lastapp: 'Queue', ...lasted(4, 9) })], [], answeredBy('1001')],
    ['no pickup: it is transferred to another place',
      [answered(lasted(0, 4)), answered({ dstchannel: 'PJSIP/1002-00000002', ...lasted(4, 9), ...moved })], [], answeredBy('1001')],
    ['no pickup: somebody answered in between',
      [answered(lasted(0, 4)),
        answered({ dstchannel: 'Local/1002@x-0001;1', ...lasted(4, 4) }), answered({ dstchannel: 'PJSIP/1003-00000002', ...lasted(4, 9) })], [], answeredBy('1001')],
    ['no pickup: it has a Local channel after it',
      [answered(lasted(0, 4)), answered({ dstchannel: 'Local/1002@x-0001;1', ...lasted(4, 9) })], [], answeredBy('1001')],
    ['no pickup: the source has no times', [answered(), answered({ dstchannel: 'PJSIP/1002-00000002' })], [], answeredBy('1001')],
    ['who waits and is taken with Bridge()', [answered({ dstchannel: '', lastapp: 'MusicOnHold', ...here })],
      [answered({ channel: 'PJSIP/1001-00000002', dstchannel: 'PJSIP/trunk-00000001', lastapp: 'Bridge', ...moved, ...later(2) })], answeredBy('1001')],
    ['who waits and is taken in a consultation', [answered({ dstchannel: '', lastapp: 'MusicOnHold', ...here })],
      [answered({ channel: 'Local/1073@x-0001;2', dstchannel: 'PJSIP/trunk-00000001', lastapp: 'Bridge', ...moved, ...later(2) }),
        answered({ channel: 'PJSIP/trunk-00000007', dstchannel: 'Local/1073@x-0001;1', ...later(1) }),
        answered({ channel: 'PJSIP/1001-00000002', dstchannel: 'Local/1073@x-0001;1', ...leg, ...moved, ...later(-20) })], answeredBy('1001')],
    ['who meets only a guest', [answered({ dstchannel: 'PJSIP/anonymous-00000007', lastapp: 'ConfBridge', ...here })],
      [answered({ channel: 'PJSIP/anonymous-00000007', dstchannel: '', lastapp: 'ConfBridge', ...moved, ...later(3) })], missed],
    ['who joins a guest in a conference', [answered({ dstchannel: '', lastapp: 'ConfBridge', ...here })],
      [answered({ channel: 'PJSIP/anonymous-00000002', dstchannel: 'PJSIP/trunk-00000001', lastapp: 'ConfBridge', ...moved, ...later(-5) })], missed],
    ['who joins an extension in a conference', [answered({ dstchannel: '', lastapp: 'ConfBridge', ...here })],
      [answered({ channel: 'PJSIP/1001-00000002', dstchannel: 'PJSIP/trunk-00000001', lastapp: 'ConfBridge', ...moved, ...later(-5) })], answeredBy('1001')],
    ['who met an extension in a conference before a phone was dialled',
      [answered({ dstchannel: '', lastapp: 'ConfBridge', ...lasted(0, 0) }), answered({ dstchannel: 'PJSIP/1002-00000003', ...lasted(2, 6) })],
      [answered({ channel: 'PJSIP/1001-00000002', dstchannel: 'PJSIP/trunk-00000001', lastapp: 'ConfBridge', ...moved, ...later(-2), duration: 4 })], answeredBy('1001')],
    ['who was alone in a conference before a phone was dialled',
      [answered({ dstchannel: '', lastapp: 'ConfBridge', ...lasted(0, 0) }), answered({ dstchannel: 'PJSIP/1002-00000003', ...lasted(2, 6) })],
      [answered({ channel: 'PJSIP/1001-00000002', dstchannel: 'PJSIP/trunk-00000001', lastapp: 'ConfBridge', ...moved, ...later(8) })], answeredBy('1002')],
    ['who meets an extension in a conference after a phone',
      [answered({ dstchannel: 'PJSIP/1002-00000003', ...lasted(0, 4) }), answered({ dstchannel: '', lastapp: 'ConfBridge', ...lasted(5, 9) })],
      [answered({ channel: 'PJSIP/1001-00000002', dstchannel: 'PJSIP/trunk-00000001', lastapp: 'ConfBridge', ...moved, ...later(-2), duration: 12 })], answeredBy('1002')],
    ['who was called on that line before', [answered({ channel: 'DAHDI/1-1', dstchannel: '', lastapp: 'Playback', ...here })],
      [answered({ channel: 'PJSIP/1001-00000003', dstchannel: 'DAHDI/1-1', ...later(-100) })], missed],
    ['no pickup: a colleague has called the second phone', [answered(lasted(0, 4)), answered({ dstchannel: 'PJSIP/1002-00000003', ...lasted(4, 9) })],
      [answered({ channel: 'PJSIP/1004-00000005', dstchannel: 'PJSIP/1002-00000003', ...later(1) })], answeredBy('1001')],
    ['a transfer after a phone whose leg has a record', [answered(here), answered({ dstchannel: 'PJSIP/1002-00000003', ...here })],
      [answered({ channel: 'PJSIP/1001-00000002', dstchannel: '', ...leg, ...later(0) })], answeredBy('1001')],
    ['a mobile whose leg has a record in the inbound context', [answered({ dstchannel: 'PJSIP/trunk-00000002', lastdata: 'PJSIP/0612345678@trunk' })],
      [answered({ channel: 'PJSIP/trunk-00000002', dstchannel: '', ...leg, ...later(0) })], answeredBy('+31612345678')],
    ['a pickup of which only the ringing phone has a record',
      [answered()], [record({ channel: 'PJSIP/1001-00000002', lastapp: 'Return', ...moved, ...later(0) })], answeredBy('1001')],
    ['a pickup of a member of a queue, behind its Local channel', [answered({ lastapp: 'Queue', dstchannel: 'Local/1002@from-queue-00000001;1' })],
      [answered({ ...member, dstchannel: 'PJSIP/1002-00000002', ...lasted(0, 4) }),
        answered({ ...member, dstchannel: 'PJSIP/1003-00000003', ...lasted(4, 9) })], answeredBy('1003')],
    ['the same, of which the leg has a record', [answered({ lastapp: 'Queue', dstchannel: 'Local/1002@from-queue-00000001;1' })],
      [record({ channel: 'PJSIP/1002-00000002', uniqueid: '1800000000.4', ...leg }),
        answered({ ...member, dstchannel: 'PJSIP/1002-00000002' }),
        answered({ ...member, dstchannel: 'PJSIP/1003-00000003' })], answeredBy('1003')],
    ["the company's number, dialled from inside", [answered({ channel: 'PJSIP/1002-00000001', src: '1002' })], [], notInbound],
    ['the same from a phone with an outside number', [answered({ channel: 'PJSIP/3001-00000001' })], [], notInbound],
  ], { settings: { inboundChannels: ['SIP/isp-*', 'DAHDI/1*'] } });

  describe('with ignoredialchanges=yes the other end of a record has answered, whatever its disposition', () => {
    const queue = [record({ dstchannel: 'PJSIP/1001-00000002', lastapp: 'Queue' })];
    const queueOfLocal = [record({ dstchannel: 'Local/1003@q-0001;1', lastapp: 'Queue' })];
    const localMember = [
      record({ channel: 'Local/1003@q-0001;2', dstchannel: 'PJSIP/1004-00000001', uniqueid: '1.2' }),
    ];
    // biome-ignore format: one case a line
    testVerdicts([
      ['a queue whose other member was cancelled last', queue, [], answeredBy('1001')],
      ['the same behind a Local pair', queueOfLocal, localMember, answeredBy('1004')],
      ['nobody answered', [record({ lastapp: 'Queue' })], [], missed],
      ['a voicemail answered', [answered({ dstchannel: '', lastapp: 'VoiceMail' })], [], missed],
    ], { options: { ...usualRecords, ignoresDialChanges: true } });
    testVerdicts([
      ['not without that: a queue', queue, [], missed],
      ['not without that: a queue of Local pairs', queueOfLocal, localMember, missed],
    ]);
  });

  test('who answered is named by DEVICE_NAMES, as live', () => {
    const deviceNames = [readDeviceName('99*=*')].filter((it) => it !== undefined);
    const device = 'PJSIP/991001-00000002';
    assert.deepEqual(
      read([answered({ dstchannel: device })], [], { settings: { deviceNames } }),
      answeredBy('1001'),
    );
    assert.deepEqual(read([answered({ dstchannel: device })]), answeredBy('991001'));
  });

  describe('answered by a machine that NOT_A_PERSON lists, as live', () => {
    const [bot, member] = ['PJSIP/bot-00000002', answered({ dstchannel: 'Local/1003@q-0001;1' })];
    const byBot = answered({ channel: 'Local/1003@q-0001;2', dstchannel: bot, uniqueid: '1.2' });
    const waits = answered({ dstchannel: '', lastapp: 'MusicOnHold', ...here });
    const takes = { channel: bot, dstchannel: 'PJSIP/trunk-00000001', lastapp: 'Bridge' };
    // biome-ignore format: one case a line
    testVerdicts([
      ['a bot', [answered({ dstchannel: bot })], [], { ...missed, machine: bot }],
      ['another PBX', [answered({ dstchannel: 'IAX2/branch-77' })], [], { ...missed, machine: 'IAX2/branch-77' }],
      ['a bot, then a person', [answered({ dstchannel: bot }), answered({ dstchannel: 'PJSIP/1002-00000003' })], [], answeredBy('1002')],
      ['a bot behind a Local pair', [member], [byBot], missed],
      ['a bot, then a person, behind a Local pair',
        [member], [byBot, answered({ channel: 'Local/1003@q-0001;2', uniqueid: '1.2' })], answeredBy('1001')],
      ['a bot that takes a waiting caller', [waits], [answered({ ...takes, ...moved, ...later(2) })], missed],
    ], { settings: { notAPerson: ['pjsip/Bot', 'iax2/branch-*'] } });
  });

  describe('on a trunk that passes on withheld numbers, as live', () => {
    const withheldNumber = '+31000000000';
    const missingNumber = '+31999999999';
    const presumed =
      'its record does not say whether the number is withheld, as others on its trunk were, and WITHHELD_NUMBER is not set';
    // biome-ignore format: one case a line
    const cases: [name: string, src: string, settings: Partial<CallSettings>, from: string][] = [
      ['a number counts as withheld', '0201234567', {}, presumed],
      ['a number counts as withheld, with one to report instead', '0201234567', { withheldNumber, missingNumber }, withheldNumber],
      ['a number that is said to be withheld', 'anonymous', { withheldNumber }, withheldNumber],
      ['no number is missing', '', { withheldNumber, missingNumber }, missingNumber],
    ];
    for (const [name, src, settings, from] of cases)
      test(name, () => {
        const setup = { settings, presumesWithheld: true };
        assert.deepEqual(read([record({ src })], [], setup), { inbound: true, from });
      });
  });

  test('who answered behind the half of a member of a FreePBX group, of which there is no record', () => {
    const beyond = answered({
      channel: 'Local/0+31612345678@from-internal-0002;2',
      dstchannel: 'PJSIP/siproute-00000001',
      lastdata: 'PJSIP/+31612345678@siproute,300,T',
      uniqueid: '1800000000.4',
    });
    for (const name of ['RG-600-0+31612345678@grps', 'RG-600*-0+31612345678#@from-internal']) {
      const member = answered({ dstchannel: `Local/${name}-0001;1` });
      assert.deepEqual(read([member], [beyond]), answeredBy('+31612345678'));
      assert.deepEqual(read([member]), answeredBy('0+31612345678'));
    }
    const phone = answered({ dstchannel: 'Local/FMPR-1003@findmefollow-ringallv2-0001;1' });
    assert.deepEqual(read([phone]), answeredBy('1003'));
    assert.deepEqual(read([phone], [], { settings: { notAPerson: ['pjsip/1003'] } }), missed);
    const mobile = answered({ dstchannel: 'Local/RG-600-0612345673@grps-0001;1' });
    for (const entry of ['*3=*7', 'PJSIP/*3=*7', 'sip/*3=*7']) {
      const deviceNames = [readDeviceName(entry)].filter((it) => it !== undefined);
      assert.deepEqual(read([phone], [], { settings: { deviceNames } }), answeredBy('1007'), entry);
      assert.deepEqual(read([mobile], [], { settings: { deviceNames } }), answeredBy('0612345673'), entry);
    }
  });

  test('half of a Local pair is no caller, whatever INBOUND_CHANNELS takes', () => {
    for (const [channel, inbound] of [
      ['Local/s@from-somewhere-0001;2', false],
      ['PJSIP/other-00000001', true],
    ] as const)
      assert.equal(
        read([answered({ channel, dcontext: 'from-somewhere' })], [], {
          settings: { inboundChannels: ['*'] },
        }).inbound,
        inbound,
      );
  });

  test('Local pairs that lead to each other', () => {
    const one = answered({ channel: 'Local/a@x-1;2', dstchannel: 'Local/b@x-2;1', uniqueid: '1.2' });
    const other = answered({ channel: 'Local/b@x-2;2', dstchannel: 'Local/a@x-1;1', uniqueid: '1.3' });
    assert.equal(read([answered({ dstchannel: 'Local/a@x-1;1' })], [one, other]).inbound, true);
  });
  for (const [what, src, from] of [
    ['as the trunk writes it', '90201234567', '+31201234567'],
    ['that is no number, with one to report instead', 'alice7', '+31299999999'],
    ['that has not come, with one to report instead', '', '+31299999999'],
    ['that is zeros, which stand for a withheld one', '0000000000', '+31200000000'],
  ] as const)
    test(`a number ${what}: the same as live`, () => {
      const trunkNumbers = [readTrunkNotation('PJSIP/trunk-*:strip=9')].filter((it) => it !== undefined);
      const stands = { withheldNumber: '+31200000000', missingNumber: '+31299999999' };
      assert.deepEqual(read([record({ src })], [], { settings: { trunkNumbers, ...stands } }), {
        inbound: true,
        from,
      });
    });
  for (const src of ['anonymous', ''])
    test(`no number ('${src}') with one to report instead of withheld ones`, () =>
      assert.deepEqual(read([record({ src })], [], { settings: { withheldNumber: '+31200000000' } }), {
        inbound: true,
        from: '+31200000000',
      }));
});

/** Lines of Master.csv that a real Asterisk 22 wrote. */
const lines = (...texts: string[]) => texts.map((text) => parseRecord(text) as CdrRecord);

describe('an outgoing call whose callee goes on in the context of the trunk', () => {
  const parked = lines(
    '"","2001","+491713920021","from-internal","""Phone 2001"" <2001>","PJSIP/2001-00000004","PJSIP/trunk-00000005","Dial","PJSIP/trunk/sip:+491713920021@127.0.0.1:26022,20","2026-11-30 12:04:41","2026-11-30 12:04:41","2026-11-30 12:04:42",1,1,"ANSWERED","DOCUMENTATION","1796040281.195",""',
    '"","+491713920021","","from-trunk",""""" <+491713920021>","PJSIP/trunk-00000005","","Park","lot-2:2701","2026-11-30 12:04:42","2026-11-30 12:04:42","2026-11-30 12:04:44",1,1,"ANSWERED","DOCUMENTATION","1796040281.196",""',
  ) as [CdrRecord, CdrRecord];
  const parkedByTransfer = lines(
    '"","+491713920021","","from-trunk",""""" <+491713920021>","PJSIP/trunk-00000018","","Park","lot-2:2701","2026-11-30 12:04:47","2026-11-30 12:04:47","2026-11-30 12:04:48",0,0,"ANSWERED","DOCUMENTATION","1796040286.225",""',
    '"","2001","+491713920021","from-internal","""Phone 2001"" <2001>","PJSIP/2001-00000017","PJSIP/trunk-00000018","Dial","PJSIP/trunk/sip:+491713920021@127.0.0.1:26022,20","2026-11-30 12:04:46","2026-11-30 12:04:46","2026-11-30 12:04:47",0,0,"ANSWERED","DOCUMENTATION","1796040286.224",""',
  ) as [CdrRecord, CdrRecord];
  for (const [what, own, other] of [
    ['was parked', parked[1], parked[0]],
    ['was parked by a transfer; its record is the first', parkedByTransfer[0], parkedByTransfer[1]],
  ] as const)
    test(what, () => assert.deepEqual(read([own], [other]), notInbound));

  const [byPhone, own] = parked;
  const began = (seconds: number) => ({ uniqueid: `${1_796_040_281 + seconds}.196` });
  const at = (record: CdrRecord, seconds: number) => ({
    ...record,
    start: (record.start as number) + seconds,
  });
  // biome-ignore format: one case a line
  const callers: [what: string, own: CdrRecord, other: CdrRecord][] = [
    ['came in on the same line right after a call', { ...at(own, 9), ...began(10) }, { ...byPhone, duration: 10 }],
    ['came in before', { ...own, ...began(-2) }, byPhone],
    ['came into a conference that was over at once', { ...own, ...began(1) }, { ...byPhone, lastapp: 'ConfBridge' }],
    ['was joined with one who waits in a queue', { ...at(own, 4), ...began(5) }, { ...byPhone, duration: 20, lastapp: 'Queue' }],
    ['was the other end of a call that nobody answered', own, { ...byPhone, disposition: 'NO ANSWER' }],
    ['has records without times', { ...own, start: undefined } as never, byPhone],
    ['is the other end of a record without times', own, { ...byPhone, start: undefined } as never],
  ];
  for (const [what, record, other] of callers)
    test(`a caller who ${what}`, () => assert.equal(read([record], [other]).inbound, true));
});

describe('a caller whom a Local pair leads to a conference', () => {
  const [half, own, phone] = lines(
    '"","+4940669691169","1070","from-internal",""""" <+4940669691169>","Local/1070@from-internal-00000003;2","","ConfBridge","office-1","2026-11-30 12:04:42","2026-11-30 12:04:42","2026-11-30 12:04:42",0,0,"ANSWERED","DOCUMENTATION","1796040282.207",""',
    '"","+4940669691169","4930231251169","from-trunk",""""" <+4940669691169>","PJSIP/trunk-0000000a","Local/1070@from-internal-00000003;1","Dial","Local/1070@from-internal/n,20","2026-11-30 12:04:42","2026-11-30 12:04:42","2026-11-30 12:04:44",2,2,"ANSWERED","DOCUMENTATION","1796040282.205",""',
    '"","1001","1070","from-internal","""Phone 1001"" <1001>","PJSIP/1001-00000002","Local/1070@from-internal-00000003;2","ConfBridge","office-1","2026-11-30 12:04:40","2026-11-30 12:04:40","2026-11-30 12:04:44",3,3,"ANSWERED","DOCUMENTATION","1796040280.191",""',
  ) as [CdrRecord, CdrRecord, CdrRecord];
  const caller = { inbound: true, from: '+4940669691169' } as const;
  test('talks with the phone that is in it', () => {
    assert.deepEqual(read([own], [half, phone]), { ...caller, callerId: '1001' });
  });
  test('meets nobody if the pair had not answered', () => {
    assert.deepEqual(read([{ ...own, disposition: 'NO ANSWER' }], [half, phone]), caller);
  });
});

test('the states that are still to be reported', () => {
  assert.deepEqual(missingOf([], {}), ['ringing', 'completed']);
  assert.deepEqual(missingOf([], { callerId: '1' }), ['ringing', 'answered', 'completed']);
  assert.deepEqual(missingOf(['ringing'], { callerId: '1' }), ['answered', 'completed']);
  assert.deepEqual(missingOf(['ringing', 'answered'], {}), ['completed']);
  assert.deepEqual(missingOf(['ringing', 'completed'], { callerId: '1' }), []);
});
