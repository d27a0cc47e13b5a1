import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CallSettings, createRules } from '../calls/rules.ts';
import { readTrunkNotation } from '../phone-number/trunk-notation.ts';
import type { CdrRecord } from './cdr-record.ts';
import { createDialledLegs } from './dialled-legs.ts';
import { missingOf, recordedCallOf } from './recorded-call.ts';

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
function read(
  own: CdrRecord[],
  others: CdrRecord[] = [],
  more: Partial<CallSettings> = {},
  presumesWithheld = false,
) {
  const legs = createDialledLegs();
  for (const one of [...others, ...own]) legs.add(one);
  const { extras: _, ...verdict } = {
    extras: undefined,
    ...recordedCallOf(
      {
        rules: createRules({ ...settings, ...more }),
        trunks: new Set(['PJSIP/trunk']),
        isPhone: (it) => it === 'PJSIP/3001',
        presumesWithheld: (it) => presumesWithheld && it === 'PJSIP/trunk',
        legs,
      },
      own,
    ),
  };
  return verdict;
}

const missed = { inbound: true, from: '+31201234567' };
const by = (callerId: string) => ({ ...missed, callerId });
const no = { inbound: false };

/** The half of a Local channel behind which a member of a queue is dialled. */
const localHalf = {
  channel: 'Local/1002@from-queue-00000001;2',
  lastdata: 'PJSIP/1002,4',
  uniqueid: '1800000000.3',
};

const moved = { dcontext: 'from-internal' };

describe('what a record says', () => {
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
    [
      'one over an unknown trunk, moved on by the dialplan',
      [record({ channel: 'SIP/peer-00000001' }), answered({ ...moved, channel: 'SIP/peer-00000001' })],
      by('1001'),
    ],
    [
      'one over an unknown trunk, recognised by the number that was called',
      [answered({ ...moved, channel: 'SIP/peer-00000001', did: '4930777' })],
      by('1001'),
    ],
    [
      'one over a trunk that presents its own name as the caller',
      [record({ src: 'trunk' })],
      { inbound: true, from: '' },
    ],
    [
      'a leg that the PBX dialled itself, and that was transferred to an inbound context',
      [answered({ lastapp: 'AppDial', lastdata: '(Outgoing Line)' }), answered()],
      no,
    ],
    ['a caller whose number only the second record has', [record({ src: '' }), record()], missed],
    ['a caller who withholds the number', [record({ src: 'anonymous' })], { inbound: true, from: '' }],
    ['a caller without a number', [record({ src: '' })], { inbound: true, from: '' }],
  ];
  for (const [what, own, verdict] of rows) test(what, () => assert.deepEqual(read(own), verdict));

  describe('on a trunk that passes on withheld numbers, as live', () => {
    const withheldNumber = '+31000000000';
    const missingNumber = '+31999999999';
    const rows: [string, string, Partial<CallSettings>, object][] = [
      ['a number counts as withheld', '0201234567', {}, { from: '', isPresumedWithheld: true }],
      [
        'a number counts as withheld, with one to report instead',
        '0201234567',
        { withheldNumber, missingNumber },
        { from: withheldNumber, isPresumedWithheld: true },
      ],
      ['a number that is said to be withheld', 'anonymous', { withheldNumber }, { from: withheldNumber }],
      ['no number is missing', '', { withheldNumber, missingNumber }, { from: missingNumber }],
    ];
    for (const [what, src, more, verdict] of rows)
      test(what, () =>
        assert.deepEqual(read([record({ src })], [], more, true), { inbound: true, ...verdict }),
      );
  });

  test('a customer whom we called, and who was transferred', () => {
    const call = answered({
      channel: 'PJSIP/1001-00000001',
      dstchannel: 'PJSIP/trunk-00000002',
      uniqueid: '1799999990.1',
    });
    assert.deepEqual(read([answered({ ...moved, channel: 'PJSIP/trunk-00000002' })], [call]), no);
  });
  test('who answered behind a Local pair', () => {
    const half = answered({
      channel: 'Local/1003@q-0001;2',
      dstchannel: 'PJSIP/1004-00000001',
      uniqueid: '1.2',
    });
    assert.deepEqual(read([answered({ dstchannel: 'Local/1003@q-0001;1' })], [half]), by('1004'));
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
      assert.deepEqual(read([member], [beyond]), by('+31612345678'));
      assert.deepEqual(read([member]), by('0+31612345678'));
    }
    const phone = answered({ dstchannel: 'Local/FMPR-1003@findmefollow-ringallv2-0001;1' });
    assert.deepEqual(read([phone]), by('1003'));
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
      assert.deepEqual(read([record({ src })], [], { trunkNumbers, ...stands }), { inbound: true, from });
    });
  for (const src of ['anonymous', ''])
    test(`no number ('${src}') with one to report instead of withheld ones`, () =>
      assert.deepEqual(read([record({ src })], [], { withheldNumber: '+31200000000' }), {
        inbound: true,
        from: '+31200000000',
      }));
});

describe('what a record says beside those of others', () => {
  /** A call that began so many seconds after the caller's. */
  const after = (seconds: number) => ({
    uniqueid: `${1_800_000_000 + seconds}.9`,
    start: seconds,
    duration: 10,
  });
  const here = { start: 0, duration: 10 };
  const other = { channel: 'PJSIP/trunk-00000007', src: '0209999999', ...after(3) };
  const line = { channel: 'DAHDI/1-1', ...moved };
  const outgoing = { channel: 'PJSIP/1001-00000003', dstchannel: 'DAHDI/1-1' };
  const member = (more: Partial<CdrRecord>) =>
    answered({ channel: 'Local/1002@from-queue-0001;2', ...after(1), ...more });
  const dials = (dstchannel: string, lastdata: string) => answered({ dstchannel, lastdata });
  const rows: [string, CdrRecord[], CdrRecord[], object][] = [
    [
      'a caller whom an agent joined with another caller from outside',
      [answered(here)],
      [answered({ ...other, dstchannel: 'PJSIP/trunk-00000001', ...after(-9), duration: 60 })],
      by('1001'),
    ],
    [
      'a waiting caller who was taken with Bridge()',
      [answered(here)],
      [
        answered({
          channel: 'PJSIP/1001-00000002',
          ...moved,
          dstchannel: 'PJSIP/trunk-00000001',
          ...after(2),
        }),
      ],
      by('1001'),
    ],
    [
      'a caller who meets only another one from outside, in a conference',
      [answered({ ...here, dstchannel: other.channel, lastapp: 'ConfBridge' })],
      [answered({ ...other, dstchannel: '', lastapp: 'ConfBridge' })],
      missed,
    ],
    [
      'one on a line over which we called before',
      [answered({ ...line, ...here })],
      [answered({ ...outgoing, ...after(-100) })],
      by('1001'),
    ],
    [
      'one on a line over which we called before, though a transfer changed its context',
      [answered({ ...line, ...here, channel: 'PJSIP/trunk-00000001' })],
      [answered({ ...outgoing, dstchannel: 'PJSIP/trunk-00000001', ...after(-100) })],
      by('1001'),
    ],
    [
      'a customer whom we called over that line, and who was transferred',
      [answered({ ...line, ...here })],
      [answered({ ...outgoing, ...after(-5) })],
      no,
    ],
    [
      'whose line answered: the leg of an earlier call on it says nothing',
      [answered({ ...here, dstchannel: 'DAHDI/2-1' })],
      [record({ channel: 'DAHDI/2-1', lastdata: '(Outgoing Line)', ...after(-100) })],
      by('2'),
    ],
    [
      'a member of a queue who forwards to voicemail',
      [answered({ dstchannel: 'Local/1002@from-queue-0001;1', lastapp: 'Queue' })],
      [
        member({ dstchannel: 'PJSIP/1002-00000004', disposition: 'NO ANSWER' }),
        member({ dstchannel: '', lastapp: 'VoiceMail' }),
      ],
      missed,
    ],
    [
      'a member who answered at the second try',
      [answered({ dstchannel: 'Local/1002@from-queue-0001;1', lastapp: 'Queue' })],
      [member({ dstchannel: '', lastapp: 'Playback' }), member({ dstchannel: 'PJSIP/1002-00000004' })],
      by('1002'),
    ],
    ['a bot behind AudioSocket', [answered({ dstchannel: 'AudioSocket/127.0.0.1:32995-0x7f' })], [], missed],
    ['a bot behind externalMedia', [answered({ dstchannel: 'UnicastRTP/127.0.0.1:9-0x7f' })], [], missed],
    [
      'a person after a bot',
      [answered({ dstchannel: 'AudioSocket/127.0.0.1:32995-0x7f' }), answered()],
      [],
      by('1001'),
    ],
    [
      'a mobile over a trunk on which no call came in',
      [dials('PJSIP/siproute-4-00000007', 'PJSIP/+31612345678@siproute-4,300,T')],
      [],
      by('+31612345678'),
    ],
    [
      'the same by chan_sip',
      [dials('SIP/siproute-4-00000007', 'SIP/siproute-4/+31612345678,300,T')],
      [],
      by('+31612345678'),
    ],
    [
      'a phone that is dialled by its contact',
      [dials('PJSIP/1001-00000007', 'PJSIP/1001/sip:1001@10.0.0.1')],
      [],
      by('1001'),
    ],
    [
      'a pickup of a leg with a dialplan routine of its own',
      [answered(here), answered({ ...here, dstchannel: 'PJSIP/1002-00000003' })],
      [record({ channel: 'PJSIP/1001-00000002', lastapp: 'Return', ...after(0) })],
      by('1002'),
    ],
    [
      'a directed pickup, of which the leg has no record',
      [answered({ billsec: 0 }), answered({ billsec: 4, dstchannel: 'PJSIP/1002-00000003' })],
      [],
      by('1002'),
    ],
    ...(
      [
        ['has talked', [{ billsec: 1 }, {}]],
        ['is dialled otherwise', [{ billsec: 0 }, { lastdata: 'PJSIP/1002' }]],
        ['is called by another application', [{ billsec: 0 }, { lastapp: 'Queue' }]],
        ['is not the last before it', [{ billsec: 0 }, { disposition: 'NO ANSWER' }, {}]],
        ['has a Local channel after it', [{ billsec: 0 }, { dstchannel: 'Local/1002@x-0001;1' }]],
      ] as [string, Partial<CdrRecord>[]][]
    ).map(([what, own]): (typeof rows)[number] => [
      `no pickup, since the first phone ${what}`,
      own.map((more, nth) => answered({ dstchannel: `PJSIP/100${nth + 1}-00000002`, ...more })),
      [],
      by('1001'),
    ]),
    [
      'no pickup, since a colleague has called the second phone',
      [answered({ billsec: 0 }), answered({ dstchannel: 'PJSIP/1002-00000003' })],
      [answered({ channel: 'PJSIP/1004-00000005', dstchannel: 'PJSIP/1002-00000003', ...after(1) })],
      by('1001'),
    ],
    [
      'a transfer after a phone whose leg has a record, answered',
      [answered(here), answered({ ...here, dstchannel: 'PJSIP/1002-00000003' })],
      [
        answered({
          ...{ channel: 'PJSIP/1001-00000002', dstchannel: '', lastapp: 'AppDial', ...after(0) },
          lastdata: '(Outgoing Line)',
        }),
      ],
      by('1001'),
    ],
    [
      'a mobile over the trunk, whose leg has a record in the inbound context',
      [dials('PJSIP/trunk-00000002', 'PJSIP/0612345678@trunk')],
      [
        answered({
          ...{ channel: 'PJSIP/trunk-00000002', dstchannel: '', lastapp: 'AppDial', ...after(0) },
          lastdata: '(Outgoing Line)',
        }),
      ],
      by('+31612345678'),
    ],
    [
      'a pickup of which only the phone that was ringing has a record',
      [answered()],
      [record({ channel: 'PJSIP/1001-00000002', lastapp: 'Return', ...moved, ...after(0) })],
      by('1001'),
    ],
    [
      'a pickup of a member of a queue, behind its Local channel',
      [answered({ lastapp: 'Queue', dstchannel: 'Local/1002@from-queue-00000001;1' })],
      [
        answered({ ...localHalf, billsec: 0, dstchannel: 'PJSIP/1002-00000002' }),
        answered({ ...localHalf, billsec: 4, dstchannel: 'PJSIP/1003-00000003' }),
      ],
      by('1003'),
    ],
    [
      'the same, of which the leg has a record',
      [answered({ lastapp: 'Queue', dstchannel: 'Local/1002@from-queue-00000001;1' })],
      [
        record({
          channel: 'PJSIP/1002-00000002',
          lastapp: 'AppDial',
          lastdata: '(Outgoing Line)',
          uniqueid: '1800000000.4',
        }),
        answered({ ...localHalf, dstchannel: 'PJSIP/1002-00000002' }),
        answered({ ...localHalf, dstchannel: 'PJSIP/1003-00000003' }),
      ],
      by('1003'),
    ],
    [
      "the company's number, dialled from inside",
      [answered({ channel: 'PJSIP/1002-00000001', src: '1002' })],
      [],
      no,
    ],
    ['the same from a phone with an outside number', [answered({ channel: 'PJSIP/3001-00000001' })], [], no],
  ];
  for (const [what, own, others, verdict] of rows)
    test(what, () =>
      assert.deepEqual(read(own, others, { inboundChannels: ['SIP/isp-*', 'DAHDI/1*'] }), verdict),
    );
});

test('the states that are still to be reported', () => {
  assert.deepEqual(missingOf([], {}), ['ringing', 'completed']);
  assert.deepEqual(missingOf([], { callerId: '1' }), ['ringing', 'answered', 'completed']);
  assert.deepEqual(missingOf(['ringing'], { callerId: '1' }), ['answered', 'completed']);
  assert.deepEqual(missingOf(['ringing', 'answered'], {}), ['completed']);
  assert.deepEqual(missingOf(['ringing', 'completed'], { callerId: '1' }), []);
});
