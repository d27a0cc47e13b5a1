import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CallSettings, createRules } from '../calls/rules.ts';
import type { CdrRecord } from './cdr-record.ts';
import { judge, missingOf } from './cdr-verdict.ts';
import { createDialledLegs, createRestartDetector } from './dialled-legs.ts';

const settings: CallSettings = {
  pbxId: 'pbx',
  inboundContexts: ['from-trunk*'],
  inboundChannels: ['SIP/isp-*'],
  defaultCountry: 'NL',
  answeredBy: 'endpoint',
};

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

/** Judges these as one channel's own records; `others` are of other channels. */
function judged(own: CdrRecord[], others: CdrRecord[] = [], more: Partial<CallSettings> = {}) {
  const legs = createDialledLegs();
  for (const one of [...others, ...own]) legs.add(one);
  return judge({ rules: createRules({ ...settings, ...more }), trunks: new Set(['PJSIP/trunk']), legs }, own);
}

const missed = { inbound: true, from: '+31201234567' };
const by = (callerId: string) => ({ ...missed, callerId });
const no = { inbound: false };

describe('what a record says', () => {
  const moved = { dcontext: 'from-internal' };
  const rows: [string, CdrRecord[], object][] = [
    ['an inbound call that was not answered', [record()], missed],
    ['one that an announcement answered', [answered({ dstchannel: '' })], missed],
    ['one that a phone answered', [answered()], by('1001')],
    ['one that the second phone answered', [record(), answered()], by('1001')],
    [
      'one that was transferred, by the first who answered',
      [answered(), answered({ dstchannel: 'PJSIP/1002-00000003' })],
      by('1001'),
    ],
    [
      'one recognised by the name of its channel',
      [record({ ...moved, channel: 'SIP/isp-00000001' })],
      missed,
    ],
    [
      'one recognised by the endpoint of its channel, since a transfer has changed its context',
      [answered(moved)],
      by('1001'),
    ],
    [
      'a call that a program made over the trunk, without a caller number',
      [answered({ ...moved, src: '' })],
      no,
    ],
    ['a call between extensions', [answered({ ...moved, channel: 'PJSIP/1002-00000001' })], no],
    ['half of a Local pair', [answered({ channel: 'Local/s@from-trunk-0001;2' })], no],
    [
      'a leg over the trunk that the PBX dialled itself',
      [answered({ lastapp: 'AppDial', lastdata: '(Outgoing Line)' })],
      no,
    ],
    [
      'a mobile over the trunk that answered, by its number',
      [
        answered({
          dstchannel: 'PJSIP/trunk-00000002',
          lastdata: 'PJSIP/1001&PJSIP/trunk/sip:0612345678@10.0.0.1,20',
        }),
      ],
      by('+31612345678'),
    ],
    [
      'the same, dialled the other way',
      [answered({ dstchannel: 'PJSIP/trunk-00000002', lastdata: 'PJSIP/0612345678@trunk,20' })],
      by('+31612345678'),
    ],
    [
      'a Local pair without a record of its own',
      [answered({ dstchannel: 'Local/1003@from-queue-0001;1' })],
      by('1003'),
    ],
    ['a caller who withholds the number', [record({ src: 'anonymous' })], { inbound: true, from: '' }],
    ['a caller without a number', [record({ src: '' })], { inbound: true, from: '' }],
  ];
  for (const [what, own, verdict] of rows) test(what, () => assert.deepEqual(judged(own), verdict));

  test('a customer whom we called, and who was transferred', () => {
    const call = answered({
      channel: 'PJSIP/1001-00000001',
      dstchannel: 'PJSIP/trunk-00000002',
      uniqueid: '1.1',
    });
    assert.deepEqual(judged([answered({ channel: 'PJSIP/trunk-00000002' })], [call]), no);
  });
  test('who answered behind a Local pair', () => {
    const half = answered({
      channel: 'Local/1003@q-0001;2',
      dstchannel: 'PJSIP/1004-00000001',
      uniqueid: '1.2',
    });
    assert.deepEqual(judged([answered({ dstchannel: 'Local/1003@q-0001;1' })], [half]), by('1004'));
  });
  test('Local pairs that lead to each other', () => {
    const one = answered({ channel: 'Local/a@x-1;2', dstchannel: 'Local/b@x-2;1', uniqueid: '1.2' });
    const other = answered({ channel: 'Local/b@x-2;2', dstchannel: 'Local/a@x-1;1', uniqueid: '1.3' });
    assert.equal(judged([answered({ dstchannel: 'Local/a@x-1;1' })], [one, other]).inbound, true);
  });
  test('a withheld number with one to report instead', () =>
    assert.deepEqual(judged([record({ src: 'anonymous' })], [], { withheldNumber: '+31200000000' }), {
      inbound: true,
      from: '+31200000000',
    }));
});

test('a restart of Asterisk is detected by a count that begins again', () => {
  const isAfterRestart = createRestartDetector();
  const uniqueids = ['100.5', '101.9', '100.7', '102.12', '101.10', 'pbx-200.3', '201.4', '201.3'];
  const seen = uniqueids.filter((uniqueid) => isAfterRestart({ uniqueid }));
  assert.deepEqual(seen, ['pbx-200.3']);
});

test('the oldest legs are forgotten', () => {
  const legs = createDialledLegs(2);
  for (const nth of [1, 2, 3]) legs.add(answered({ dstchannel: `PJSIP/1001-0000000${nth}` }));
  assert.deepEqual(
    [1, 2, 3].map((nth) => legs.wasDialled(`PJSIP/1001-0000000${nth}`)),
    [false, true, true],
  );
});

test('the states that are still to be reported', () => {
  assert.deepEqual(missingOf([], {}), ['ringing', 'completed']);
  assert.deepEqual(missingOf([], { callerId: '1' }), ['ringing', 'answered', 'completed']);
  assert.deepEqual(missingOf(['ringing'], { callerId: '1' }), ['answered', 'completed']);
  assert.deepEqual(missingOf(['ringing', 'answered'], {}), ['completed']);
  assert.deepEqual(missingOf(['ringing', 'completed'], { callerId: '1' }), []);
});
