import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRules } from '../calls/rules.ts';
import type { CdrRecord } from './cdr-record.ts';
import { extrasOfRecorded, recordExtras } from './record-extras.ts';

const rules = createRules({
  pbxId: 'pbx',
  inboundContexts: ['from-trunk', 'from-did-direct'],
  inboundChannels: [],
  answeredBy: 'endpoint',
});
const known = { rules, trunks: new Set(['PJSIP/trunk']) };

const record = (lastapp: string, lastdata = '', more: Partial<CdrRecord> = {}): CdrRecord => ({
  ...{ src: '0201234567', dst: '4930777', dcontext: 'from-trunk', channel: 'PJSIP/trunk-00000001' },
  ...{ dstchannel: '', lastapp, lastdata, disposition: 'NO ANSWER', uniqueid: '1800000000.1', did: '' },
  ...{ start: 1_800_003_600, duration: 9, ...more },
});
const dialled = (extension: string, start = 0) =>
  record('Dial', 'PJSIP/1001&PJSIP/1002', {
    dstchannel: `PJSIP/${extension}-00000002`,
    start: 1_800_003_600 + start,
  });
const freepbx = (lastapp: string, lastdata: string, dcontext: string, dst: string) =>
  record(lastapp, lastdata, { dcontext, dst });

const rows: [name: string, records: CdrRecord[], missed: object][] = [
  ['a phone rang', [dialled('1001')], { where: 'ringing', name: '1001', after: 9 }],
  ...['Hangup', 'Busy', 'congestion', ''].map((app): (typeof rows)[number] => [
    `two phones rang, then the PBX ended the call with '${app}'`,
    [dialled('1001'), dialled('1002'), record(app, '', { start: 1_800_003_609, duration: 0 })],
    { where: 'ringing', after: 9 },
  ]),
  [
    'a phone rang, then another one',
    [record('Dial', 'PJSIP/1003', { dstchannel: 'PJSIP/1003-00000001' }), dialled('1001')],
    { where: 'ringing', name: '1001', after: 9 },
  ],
  [
    'a phone behind a Local channel rang',
    [record('Dial', 'Local/1001@x', { dstchannel: 'Local/1001@x-00000001;1' })],
    { where: 'ringing', after: 9 },
  ],
  ['a mobile over the trunk rang', [dialled('trunk')], { where: 'ringing', after: 9 }],
  [
    'a queue',
    [record('Queue', 'sales,t,,,60', { dstchannel: 'PJSIP/1001-00000002' })],
    { where: 'queue', name: 'sales', after: 9 },
  ],
  [
    'a phone, then voicemail',
    [dialled('1001'), record('VoiceMail', '1000@default,u', { start: 1_800_003_609, duration: 3 })],
    { where: 'voicemail', name: '1000', after: 12 },
  ],
  ['a menu', [record('WaitExten', '5')], { where: 'ivr', after: 9 }],
  ['a menu of FreePBX', [freepbx('WaitExten', '5', 'ivr-3', 's')], { where: 'ivr', name: '3', after: 9 }],
  [
    'a ring group of FreePBX',
    [freepbx('Dial', 'PJSIP/1001', 'ext-group', '600')],
    { where: 'ringing', name: '600', after: 9 },
  ],
  [
    'a queue of FreePBX',
    [freepbx('Queue', '400,t,,,8', 'ext-queues', '400')],
    { where: 'queue', name: '400', after: 9 },
  ],
  [
    'voicemail after a queue of FreePBX',
    [freepbx('VoiceMail', '1000@default', 'ext-queues', '400')],
    { where: 'voicemail', name: '1000', after: 9 },
  ],
  [
    'a phone after a queue of FreePBX',
    [{ ...dialled('1001'), dcontext: 'ext-queues', dst: '400' }],
    { where: 'ringing', name: '1001', after: 9 },
  ],
  ['an announcement, which the hang-up after it has overwritten', [record('Hangup')], { after: 9 }],
  ['a conference', [record('ConfBridge', '600')], { after: 9 }],
  [
    'the longest duration',
    [record('WaitExten', '', { duration: 604_800 })],
    { where: 'ivr', after: 604_800 },
  ],
  ['no duration', [record('WaitExten', '', { duration: 0 })], { where: 'ivr', after: 0 }],
  ['a duration that no call has', [record('WaitExten', '', { duration: 604_801 })], { where: 'ivr' }],
  ['a phone whose name is too long', [dialled('x'.repeat(65))], { where: 'ringing', after: 9 }],
  ['an application that is none of Asterisk', [record('constructor')], { after: 9 }],
  [
    'a source without times',
    [record('Queue', 'sales', { start: undefined })],
    { where: 'queue', name: 'sales' },
  ],
  [
    'a source without durations',
    [record('Queue', 'sales', { duration: undefined })],
    { where: 'queue', name: 'sales' },
  ],
];
for (const [name, records, missed] of rows)
  test(`where a missed call ended, by its records: ${name}`, () => {
    assert.deepEqual(recordExtras(known, records, false).missed, missed);
    assert.equal(recordExtras(known, records, true).missed, undefined, 'answered');
  });

test('the number called is the DID, or what was dialled in an inbound context', () => {
  const did = (...records: CdrRecord[]) => recordExtras(known, records, false).did;
  assert.equal(did(record('Dial')), '4930777');
  assert.equal(did(freepbx('Queue', '', 'ext-queues', '400')), undefined);
  assert.equal(did(freepbx('Dial', '', 'from-did-direct', '1001')), undefined);
  const queue = freepbx('Queue', '', 'ext-queues', '400');
  assert.equal(did(record('Dial'), { ...queue, did: '4930888' }), '4930888');
  assert.equal(did(queue, record('Dial')), undefined);
});

test('events have times of the PBX unless some of the call have times of the bridge', () => {
  const recorded = recordExtras(known, [dialled('1001')], false);
  const call = { number_called: '4930777', line: 'PJSIP/trunk' };
  const { missed } = recorded;
  assert.deepEqual(extrasOfRecorded(recorded, 'ringing', true), { ...call, at: '2027-01-15T08:00:00.000Z' });
  assert.deepEqual(extrasOfRecorded(recorded, 'completed', true), {
    ...call,
    at: '2027-01-15T08:00:09.000Z',
    missed,
  });
  assert.deepEqual(extrasOfRecorded(recorded, 'completed', false), { ...call, missed });
  assert.deepEqual(extrasOfRecorded(recorded, 'answered', true), call);
  const withoutTimes = recordExtras(known, [record('Dial', '', { start: undefined })], true);
  assert.deepEqual(extrasOfRecorded(withoutTimes, 'completed', true), call);
});
