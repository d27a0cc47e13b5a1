import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callSettings } from '../calls/rules.fixture.ts';
import { createRules } from '../calls/rules.ts';
import type { CdrRecord } from './cdr-source.ts';
import { createDialledLegs } from './dialled-legs.ts';
import { recordExtras } from './record-extras.ts';

const rules = createRules({
  ...callSettings,
  inboundContexts: ['from-trunk', 'from-did-direct'],
});
const legs = createDialledLegs();
const known = { rules, trunks: new Set(['PJSIP/trunk']), legs };

const record = (lastapp: string, lastdata = '', more: Partial<CdrRecord> = {}): CdrRecord => ({
  src: '0201234567',
  dst: '4930777',
  dcontext: 'from-trunk',
  channel: 'PJSIP/trunk-00000001',
  dstchannel: '',
  lastapp,
  lastdata,
  disposition: 'NO ANSWER',
  uniqueid: '1800000000.1',
  did: '',
  start: 1_800_003_600,
  duration: 9,
  ...more,
});
const dialled = (extension: string, start = 0) =>
  record('Dial', 'PJSIP/1001&PJSIP/1002', {
    dstchannel: `PJSIP/${extension}-00000002`,
    start: 1_800_003_600 + start,
  });
const freepbx = (lastapp: string, lastdata: string, dcontext: string, dst: string) =>
  record(lastapp, lastdata, { dcontext, dst });

const ringing = (channel: string) =>
  record('Dial', channel, { dstchannel: `${channel}-00000001${channel.startsWith('Local') ? ';1' : ''}` });
const voicemail = (more: Partial<CdrRecord>) => [record('VoiceMail', '1000@default,u', more)];
const at = (where: string, name: string) => ({ where, name, after: 9 });
const phone1001 = at('ringing', '1001');
const mailbox = (after: number) => ({ where: 'voicemail', name: '1000', after });
const withoutTime = { where: 'queue', name: 'sales' };
const later = { start: 1_800_003_609 };
const ofTimes = (app: string, data: string, more: Partial<CdrRecord>) => [record(app, data, more)];
const sales = at('queue', 'sales');
const redirected = record('Dial', 'PJSIP/1001', {
  dstchannel: 'Local/vmu1002@from-internal-00000001;1',
  disposition: 'ANSWERED',
});
legs.add(
  record('VoiceMail', '1002@default,u', {
    channel: 'Local/vmu1002@from-internal-00000001;2',
    disposition: 'ANSWERED',
  }),
);
const rows: [name: string, records: CdrRecord[], missed: object][] = [
  ['a phone rang', [dialled('1001')], phone1001],
  ...['Hangup', 'Busy', 'congestion', ''].map((app): (typeof rows)[number] => [
    `two phones rang, then the PBX ended the call with '${app}'`,
    [dialled('1001'), dialled('1002'), record(app, '', { ...later, duration: 0 })],
    { where: 'ringing', after: 9 },
  ]),
  ['a phone rang, then another one', [ringing('PJSIP/1003'), dialled('1001')], phone1001],
  ['a phone behind a Local channel rang', [ringing('Local/1001@x')], { where: 'ringing', after: 9 }],
  ['a mobile over the trunk rang', [dialled('trunk')], { where: 'ringing', after: 9 }],
  ['a queue', ofTimes('Queue', 'sales,t,,,60', { dstchannel: 'PJSIP/1001-00000002' }), sales],
  ['a phone, then voicemail', [dialled('1001'), ...voicemail({ ...later, duration: 3 })], mailbox(12)],
  [
    'voicemail, ten minutes later, when clocks had gone back an hour',
    [dialled('1001'), ...voicemail({ start: 1_800_003_600 + 600 - 3_600, duration: 3 })],
    mailbox(603),
  ],
  ['a fax', [record('ReceiveFAX', '/tmp/x.tif')], { where: 'fax', after: 9 }],
  ['a fax of FreePBX', [freepbx('Wait', '1', 'ext-fax', '1001')], { where: 'fax', after: 9 }],
  [
    "FreePBX's blacklist",
    [freepbx('Playback', 'ss-noservice', 'app-blacklist-check', 's')],
    { where: 'blocked', after: 9 },
  ],
  ['a menu', [record('WaitExten', '5')], { where: 'ivr', after: 9 }],
  [
    'sent away by the dialplan (302)',
    [record('Transfer', 'PJSIP/sip:+491713920011@10.0.0.1')],
    { where: 'terminated', after: 9 },
  ],
  ['a menu of FreePBX', [freepbx('WaitExten', '5', 'ivr-3', 's')], { where: 'ivr', name: '3', after: 9 }],
  ['a ring group of FreePBX', [freepbx('Dial', 'PJSIP/1001', 'ext-group', '600')], at('ringing', '600')],
  ['a queue of FreePBX', [freepbx('Queue', '400,t,,,8', 'ext-queues', '400')], at('queue', '400')],
  ['voicemail after a queue of FreePBX', voicemail({ dcontext: 'ext-queues', dst: '400' }), mailbox(9)],
  [
    'a phone after a queue of FreePBX',
    [{ ...dialled('1001'), dcontext: 'ext-queues', dst: '400' }],
    phone1001,
  ],
  ['an announcement, which the hang-up after it has overwritten', [record('Hangup')], { after: 9 }],
  [
    'the end of the dialplan of FreePBX',
    [freepbx('Hangup', '', 'app-blackhole', 'hangup')],
    { where: 'terminated', after: 9 },
  ],
  ['a phone that sends its calls to voicemail', [redirected], { where: 'voicemail', name: '1002', after: 9 }],
  ['a conference', [record('ConfBridge', '600')], { after: 9 }],
  ['the longest duration', ofTimes('WaitExten', '', { duration: 604_800 }), { where: 'ivr', after: 604_800 }],
  ['no duration', ofTimes('WaitExten', '', { duration: 0 }), { where: 'ivr', after: 0 }],
  ['a duration that no call has', ofTimes('WaitExten', '', { duration: 604_801 }), { where: 'ivr' }],
  ['a phone whose name is too long', [dialled('x'.repeat(65))], { where: 'ringing', after: 9 }],
  ['an application that is none of Asterisk', [record('constructor')], { after: 9 }],
  ['a source without times', ofTimes('Queue', 'sales', { start: undefined }), withoutTime],
  ['a source without durations', ofTimes('Queue', 'sales', { duration: undefined }), withoutTime],
];
for (const [name, records, missed] of rows)
  test(`where a missed call ended, by its records: ${name}`, () => {
    assert.deepEqual(recordExtras(known, records, false).missed, missed);
    assert.equal(recordExtras(known, records, true).missed, undefined, 'answered');
  });

test('the number called is the DID, or a number of the outside that was dialled in an inbound context', () => {
  const did = (...records: CdrRecord[]) => recordExtras(known, records, false).did;
  assert.equal(did(record('Dial')), '4930777');
  // Asterisk writes the last extension: the dialplan may have moved the call in the same context.
  for (const dst of ['600', '123456', 's', 'sales', ''])
    assert.equal(did(record('Dial', '', { dst })), undefined, dst);
  for (const dst of ['1234567', '+4930777']) assert.equal(did(record('Dial', '', { dst })), dst);
  assert.equal(did(record('Dial', '', { dst: '600', did: '600' })), '600');
  assert.equal(did(freepbx('Queue', '', 'ext-queues', '400')), undefined);
  assert.equal(did(freepbx('Dial', '', 'from-did-direct', '1001')), undefined);
  const queue = freepbx('Queue', '', 'ext-queues', '400');
  assert.equal(did(record('Dial'), { ...queue, did: '4930888' }), '4930888');
  assert.equal(did(queue, record('Dial')), undefined);
});
