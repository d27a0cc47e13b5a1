import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { table } from '../../../test/table.ts';
import { readTrunkNotation } from '../../shared/phone-number/trunk-notation.ts';
import { callSettings } from '../calls/rules.fixture.ts';
import { type CallSettings, createRules } from '../calls/rules.ts';
import { type CdrRecord, usualRecords } from './cdr-source.ts';
import { createDialledLegs } from './dialled-legs.ts';
import { missingOf, recordedCallOf } from './recorded-call.ts';

const settings = { ...callSettings, inboundChannels: ['SIP/isp-*'] };

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

const shorts = {
  ...{ ch: 'channel', to: 'dstchannel', app: 'lastapp', data: 'lastdata' },
  ...{ ctx: 'dcontext', src: 'src', dst: 'dst', did: 'did', id: 'uniqueid' },
} as const;

/**
 * Records in short, between semicolons: `rec` or `ans`, not answered or answered by PJSIP/1001, then what differs:
 * `ch=PJSIP/1002-1`, `to=` the other end, `app=`, `data=`, `ctx=`, `src=`, `dst=`, `did=`, `id=`, `from=0-4`: its times, s, and `after=`: a call of 10 s
 * that began so many seconds after the caller's, which is `here`. `leg` is what the PBX dialled itself, `outgoing` what it says of that. `Local/x:1` is half a Local pair.
 */
function recordsAs(text: string): CdrRecord[] {
  return text.split(';').flatMap((part) => {
    const [kind = '', ...words] = part.trim().split(' ');
    if (kind === '') return [];
    const fields = words.map((word): Partial<CdrRecord> => {
      const [, name = '', value = ''] = /^(\w+)=?(.*)$/.exec(word) ?? [];
      if (name === 'moved') return { dcontext: 'from-internal' };
      if (name === 'leg') return { lastapp: 'AppDial', lastdata: '(Outgoing Line)' };
      if (name === 'outgoing') return { lastdata: '(Outgoing Line)' };
      if (name === 'here') return { start: 0, duration: 10 };
      if (name === 'after')
        return { uniqueid: `${1_800_000_000 + Number(value)}.9`, start: Number(value), duration: 10 };
      if (name === 'from') {
        const [start = 0, end = 0] = value.split('-').map(Number);
        return { start, duration: end - start };
      }
      return {
        [shorts[name as keyof typeof shorts] ?? assert.fail(word)]: value.replace(
          /^(Local.*):(?=[12]$)/,
          '$1;',
        ),
      };
    });
    return [(kind === 'ans' ? answered : record)(Object.assign({}, ...fields))];
  });
}

/** Judges these as one channel's own records; `others` are of other channels. */
function read(
  own: CdrRecord[],
  others: CdrRecord[] = [],
  more: Partial<CallSettings> = {},
  presumesWithheld = false,
  options = usualRecords,
) {
  const legs = createDialledLegs(() => options);
  for (const one of [...others, ...own]) legs.add(one);
  const rules = createRules({ ...settings, ...more });
  const recorded = recordedCallOf(
    {
      rules,
      notationOf: rules.notationOf,
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

const noNumber = 'its record has no number, and neither MISSING_NUMBER nor WITHHELD_NUMBER is set';

/** Who answered, `missed`, `nobody` (no number to report), `hidden` (a withheld one), or `no`: not an inbound call. */
const verdictOf = (text: string) => {
  if (text === 'no') return { inbound: false };
  if (text === 'nobody') return { inbound: true, from: noNumber };
  if (text === 'hidden')
    return { inbound: true, from: 'the caller withholds the number, and WITHHELD_NUMBER is not set' };
  return { inbound: true, from: '+31201234567', ...(text !== 'missed' && { callerId: text }) };
};

describe('what a record says, alone and beside those of others', () => {
  const rows = table<[what: string, own: string, others: string, verdict: string]>(`
    an inbound call that was not answered     | rec                                                 | | missed
    one that an announcement answered         | ans to=                                             | | missed
    one that a phone answered                 | ans                                                 | | 1001
    one that the second phone answered        | rec ; ans                                           | | 1001
    one that was transferred, by the first    | ans ; ans to=PJSIP/1002-00000003                    | | 1001
    one recognised by the name of its channel | rec moved ch=SIP/isp-00000001                       | | missed
    one recognised by its endpoint            | ans moved                                           | | 1001
    a program over the trunk, without a caller number | ans moved src=                              | | no
    a call between extensions                 | ans moved ch=PJSIP/1002-00000001                    | | no
    half of a Local pair                      | ans ch=Local/s@from-trunk-0001:2                    | | no
    a leg over the trunk that the PBX dialled itself | ans leg                                      | | no
    a mobile over the trunk, by its number    | ans to=PJSIP/trunk-00000002 data=PJSIP/1001&PJSIP/trunk/sip:0612345678@10.0.0.1,20 | | +31612345678
    the same, dialled the other way           | ans to=PJSIP/trunk-00000002 data=PJSIP/0612345678@trunk,20 | | +31612345678
    a Local pair without a record of its own  | ans to=Local/1003@from-queue-0001:1                 | | 1003
    an unknown trunk, moved on by the dialplan | rec ch=SIP/peer-00000001 ; ans moved ch=SIP/peer-00000001 | | 1001
    an unknown trunk, by the number that was called | ans moved ch=SIP/peer-00000001 did=4930777    | | 1001
    a trunk that presents its own name as the caller | rec src=trunk                                | | nobody
    a leg, transferred to an inbound context  | ans leg ; ans                                       | | no
    a number that only the second record has  | rec src= ; rec                                      | | missed
    a caller who withholds the number         | rec src=anonymous                                   | | hidden
    a caller without a number                 | rec src=                                            | | nobody
    a caller joined with another from outside | ans here | ans ch=PJSIP/trunk-00000007 src=0209999999 to=PJSIP/trunk-00000001 after=-9 | 1001
    a waiting caller who was taken with Bridge() | ans here | ans ch=PJSIP/1001-00000002 moved to=PJSIP/trunk-00000001 after=2 | 1001
    who meets only another one from outside   | ans here to=PJSIP/trunk-00000007 app=ConfBridge | ans ch=PJSIP/trunk-00000007 src=0209999999 after=3 to= app=ConfBridge | missed
    one on a line over which we called before | ans ch=DAHDI/1-1 moved here | ans ch=PJSIP/1001-00000003 to=DAHDI/1-1 after=-100 | 1001
    the same, though a transfer changed its context | ans moved here | ans ch=PJSIP/1001-00000003 to=PJSIP/trunk-00000001 after=-100 | 1001
    a customer whom we called over that line, transferred | ans ch=DAHDI/1-1 moved here | ans ch=PJSIP/1001-00000003 to=DAHDI/1-1 after=-5 | no
    a customer whom we called over the trunk, transferred | ans moved ch=PJSIP/trunk-00000002 | ans ch=PJSIP/1001-00000001 to=PJSIP/trunk-00000002 id=1799999990.1 | no
    whose line answered: an earlier leg on it says nothing | ans here to=DAHDI/2-1 | rec ch=DAHDI/2-1 outgoing after=-100 | 2
    who answered behind a Local pair          | ans to=Local/1003@q-0001:1 | ans ch=Local/1003@q-0001:2 to=PJSIP/1004-00000001 id=1.2 | 1004
    a member of a queue who forwards to voicemail | ans to=Local/1002@from-queue-0001:1 app=Queue | rec ch=Local/1002@from-queue-0001:2 to=PJSIP/1002-00000004 after=1 ; ans ch=Local/1002@from-queue-0001:2 to= app=VoiceMail after=1 | missed
    a member who answered at the second try   | ans to=Local/1002@from-queue-0001:1 app=Queue | ans ch=Local/1002@from-queue-0001:2 to= app=Playback after=1 ; ans ch=Local/1002@from-queue-0001:2 to=PJSIP/1002-00000004 after=1 | 1002
    a bot behind AudioSocket                  | ans to=AudioSocket/127.0.0.1:32995-0x7f             | | missed
    a bot behind externalMedia                | ans to=UnicastRTP/127.0.0.1:9-0x7f                  | | missed
    a person after a bot                      | ans to=AudioSocket/127.0.0.1:32995-0x7f ; ans       | | 1001
    one over the trunk, in words that name no number: what was dialled to reach it | ans to=PJSIP/trunk-00000002 data=OUT dst=0612345678 | | +31612345678
    the same over a line that is one by its name | ans to=SIP/isp-1-00000002 data=OUT dst=0612345678 | | +31612345678
    a mobile over a trunk on which no call came in | ans to=PJSIP/siproute-4-00000007 data=PJSIP/+31612345678@siproute-4,300,T | | +31612345678
    the same by chan_sip                      | ans to=SIP/siproute-4-00000007 data=SIP/siproute-4/+31612345678,300,T | | +31612345678
    a phone that is dialled by its contact    | ans to=PJSIP/1001-00000007 data=PJSIP/1001/sip:1001@10.0.0.1 | | 1001
    a phone by its configuration, registered under a long number | ans to=PJSIP/anna-00000007 data=PJSIP/anna/sip:12345678@10.0.0.1 | | anna
    a pickup of a leg with a routine of its own | ans here ; ans here to=PJSIP/1002-00000003 | rec ch=PJSIP/1001-00000002 app=Return after=0 | 1002
    a pickup, of which the leg has no record  | ans from=0-4 ; ans from=4-9 to=PJSIP/1002-00000003 | | 1002
    the same, by whole seconds                | ans from=0-4 ; ans from=5-9 to=PJSIP/1002-00000003 | | 1002
    the same, while others rang too           | ans from=0-4 ; rec from=0-4 to=PJSIP/1003-00000002 ; ans from=4-9 to=PJSIP/1002-00000003 | | 1002
    no pickup: the second rang later          | ans from=0-4 ; ans from=6-9 to=PJSIP/1002-00000002 | | 1001
    no pickup: the second rang before         | ans from=0-4 ; ans from=3-9 to=PJSIP/1002-00000002 | | 1001
    no pickup: it is dialled otherwise        | ans from=0-4 ; ans from=4-9 to=PJSIP/1002-00000002 data=PJSIP/1002 | | 1001
    no pickup: it is called by another application | ans from=0-4 ; ans from=4-9 to=PJSIP/1002-00000002 app=Queue | | 1001
    no pickup: it is transferred to another place | ans from=0-4 ; ans from=4-9 to=PJSIP/1002-00000002 moved | | 1001
    no pickup: somebody answered in between   | ans from=0-4 ; ans from=4-4 to=Local/1002@x-0001:1 ; ans from=4-9 to=PJSIP/1003-00000002 | | 1001
    no pickup: it has a Local channel after it | ans from=0-4 ; ans from=4-9 to=Local/1002@x-0001:1 | | 1001
    no pickup: the source has no times        | ans ; ans to=PJSIP/1002-00000002                    | | 1001
    who waits and is taken with Bridge()      | ans here to= app=MusicOnHold | ans ch=PJSIP/1001-00000002 moved to=PJSIP/trunk-00000001 after=2 app=Bridge | 1001
    who joins an extension in a conference    | ans here to= app=ConfBridge | ans ch=PJSIP/1001-00000002 moved to=PJSIP/trunk-00000001 after=-5 app=ConfBridge | 1001
    who was called on that line before        | ans ch=DAHDI/1-1 here to= app=Playback | ans ch=PJSIP/1001-00000003 to=DAHDI/1-1 after=-100 | missed
    no pickup: a colleague has called the second phone | ans from=0-4 ; ans from=4-9 to=PJSIP/1002-00000003 | ans ch=PJSIP/1004-00000005 to=PJSIP/1002-00000003 after=1 | 1001
    a transfer after a phone whose leg has a record | ans here ; ans here to=PJSIP/1002-00000003 | ans ch=PJSIP/1001-00000002 to= leg after=0 | 1001
    a mobile whose leg has a record in the inbound context | ans to=PJSIP/trunk-00000002 data=PJSIP/0612345678@trunk | ans ch=PJSIP/trunk-00000002 to= leg after=0 | +31612345678
    a pickup of which only the ringing phone has a record | ans | rec ch=PJSIP/1001-00000002 app=Return moved after=0 | 1001
    a pickup of a member of a queue, behind its Local channel | ans app=Queue to=Local/1002@from-queue-00000001:1 | ans ch=Local/1002@from-queue-00000001:2 data=PJSIP/1002,4 id=1800000000.3 from=0-4 to=PJSIP/1002-00000002 ; ans ch=Local/1002@from-queue-00000001:2 data=PJSIP/1002,4 id=1800000000.3 from=4-9 to=PJSIP/1003-00000003 | 1003
    the same, of which the leg has a record   | ans app=Queue to=Local/1002@from-queue-00000001:1 | rec ch=PJSIP/1002-00000002 leg id=1800000000.4 ; ans ch=Local/1002@from-queue-00000001:2 data=PJSIP/1002,4 id=1800000000.3 to=PJSIP/1002-00000002 ; ans ch=Local/1002@from-queue-00000001:2 data=PJSIP/1002,4 id=1800000000.3 to=PJSIP/1003-00000003 | 1003
    the company's number, dialled from inside | ans ch=PJSIP/1002-00000001 src=1002                 | | no
    the same from a phone with an outside number | ans ch=PJSIP/3001-00000001                       | | no
  `);
  for (const [what, own, others, verdict] of rows)
    test(what, () => {
      const more = { inboundChannels: ['SIP/isp-*', 'DAHDI/1*'] };
      assert.deepEqual(read(recordsAs(own), recordsAs(others), more), verdictOf(verdict));
    });

  describe('with ignoredialchanges=yes the other end of a record has answered, whatever its disposition', () => {
    const ignoring = { ...usualRecords, ignoresDialChanges: true };
    for (const [what, own, others, verdict] of [
      ['a queue whose other member was cancelled last', 'rec to=PJSIP/1001-00000002 app=Queue', '', '1001'],
      [
        'the same behind a Local pair',
        'rec to=Local/1003@q-0001:1 app=Queue',
        'rec ch=Local/1003@q-0001:2 to=PJSIP/1004-00000001 id=1.2',
        '1004',
      ],
      ['nobody answered', 'rec app=Queue', '', 'missed'],
      ['a voicemail answered', 'ans to= app=VoiceMail', '', 'missed'],
    ] as const)
      test(what, () => {
        const verdictWith = (options: typeof ignoring) =>
          read(recordsAs(own), recordsAs(others), {}, false, options);
        assert.deepEqual(verdictWith(ignoring), verdictOf(verdict));
        if (verdict !== 'missed') assert.deepEqual(verdictWith(usualRecords), verdictOf('missed'));
      });
  });

  describe('answered by a machine that NOT_A_PERSON lists, as live', () => {
    const notAPerson = ['pjsip/Bot', 'iax2/branch-*'];
    const machine = 'PJSIP/bot-00000002';
    const byMachine = (channel: string) => ({ ...verdictOf('missed'), machine: channel });
    const member = 'ans to=Local/1003@q-0001:1';
    for (const [what, own, others, expected] of [
      ['a bot', `ans to=${machine}`, '', byMachine(machine)],
      ['another PBX', 'ans to=IAX2/branch-77', '', byMachine('IAX2/branch-77')],
      ['a bot, then a person', `ans to=${machine} ; ans to=PJSIP/1002-00000003`, '', verdictOf('1002')],
      [
        'a bot behind a Local pair',
        member,
        `ans ch=Local/1003@q-0001:2 to=${machine} id=1.2`,
        verdictOf('missed'),
      ],
      [
        'a bot, then a person, behind a Local pair',
        member,
        `ans ch=Local/1003@q-0001:2 to=${machine} id=1.2 ; ans ch=Local/1003@q-0001:2 id=1.2`,
        verdictOf('1001'),
      ],
      [
        'a bot that takes a waiting caller',
        'ans here to= app=MusicOnHold',
        `ans ch=${machine} moved to=PJSIP/trunk-00000001 after=2 app=Bridge`,
        verdictOf('missed'),
      ],
    ] as const)
      test(what, () => assert.deepEqual(read(recordsAs(own), recordsAs(others), { notAPerson }), expected));
  });

  describe('on a trunk that passes on withheld numbers, as live', () => {
    const withheldNumber = '+31000000000';
    const missingNumber = '+31999999999';
    const presumed =
      'its record does not say whether the number is withheld, as others on its trunk were, and WITHHELD_NUMBER is not set';
    const rows: [string, string, Partial<CallSettings>, from: string][] = [
      ['a number counts as withheld', '0201234567', {}, presumed],
      [
        'a number counts as withheld, with one to report instead',
        '0201234567',
        { withheldNumber, missingNumber },
        withheldNumber,
      ],
      ['a number that is said to be withheld', 'anonymous', { withheldNumber }, withheldNumber],
      ['no number is missing', '', { withheldNumber, missingNumber }, missingNumber],
    ];
    for (const [what, src, more, from] of rows)
      test(what, () => assert.deepEqual(read([record({ src })], [], more, true), { inbound: true, from }));
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
      assert.deepEqual(read([member], [beyond]), verdictOf('+31612345678'));
      assert.deepEqual(read([member]), verdictOf('0+31612345678'));
    }
    const phone = answered({ dstchannel: 'Local/FMPR-1003@findmefollow-ringallv2-0001;1' });
    assert.deepEqual(read([phone]), verdictOf('1003'));
    assert.deepEqual(read([phone], [], { notAPerson: ['pjsip/1003'] }), verdictOf('missed'));
  });

  test('half of a Local pair is no caller, whatever INBOUND_CHANNELS takes', () => {
    for (const [channel, inbound] of [
      ['Local/s@from-somewhere-0001;2', false],
      ['PJSIP/other-00000001', true],
    ] as const)
      assert.equal(
        read([answered({ channel, dcontext: 'from-somewhere' })], [], { inboundChannels: ['*'] }).inbound,
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
      assert.deepEqual(read([record({ src })], [], { trunkNumbers, ...stands }), { inbound: true, from });
    });
  for (const src of ['anonymous', ''])
    test(`no number ('${src}') with one to report instead of withheld ones`, () =>
      assert.deepEqual(read([record({ src })], [], { withheldNumber: '+31200000000' }), {
        inbound: true,
        from: '+31200000000',
      }));
});

test('the states that are still to be reported', () => {
  assert.deepEqual(missingOf([], {}), ['ringing', 'completed']);
  assert.deepEqual(missingOf([], { callerId: '1' }), ['ringing', 'answered', 'completed']);
  assert.deepEqual(missingOf(['ringing'], { callerId: '1' }), ['answered', 'completed']);
  assert.deepEqual(missingOf(['ringing', 'answered'], {}), ['completed']);
  assert.deepEqual(missingOf(['ringing', 'completed'], { callerId: '1' }), []);
});
