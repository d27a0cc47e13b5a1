import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CallExtras, callExtrasSchema } from '../api/contract/call-extras.ts';
import type { Input } from './input.ts';
import { missedText } from './place.ts';
import {
  at,
  caller,
  created,
  enters,
  hangsUp,
  phone,
  play,
  row,
  saysOf,
  snapshot,
  state,
} from './tracker.fixture.ts';

const asked = { asksApplications: true };
const later = (s: number, input: Input): Input => ({ ...input, at: at + s * 1_000 });
const place = (context: string, exten: string, priority = '4') => ({ context, exten, priority });
const givesUp = (s: number, context = 'from-trunk', exten = '493012'): Input =>
  later(s, { type: 'hangup-requested', at, uniqueid: '1.1', ...place(context, exten) });
const ends = (s: number, context = 'from-trunk', exten = '493012'): Input =>
  later(s, { ...hangsUp('1.1'), ...place(context, exten) } as Input);
const runs = (application: string, data = ''): Input => ({
  ...{ type: 'application', at, uniqueid: '1.1', application, data },
});
/** A phone of the PBX hung up before: its technology announces that. */
const announced: Input[] = [
  created('0.1', 'PJSIP/1009-00000001', { linkedid: '0.1' } as never),
  { type: 'hangup-requested', at, uniqueid: '0.1', ...place('from-internal', '1') },
  hangsUp('0.1'),
];
/** As the dialplan writes it. */
const variable = (name: string) => `\${${name}}`;
const queueMember = created('1.3', 'Local/1001@from-queue-0001;1');

function extras(inputs: readonly Input[]): CallExtras[] {
  const reports = play(inputs, {}, undefined, 'allowed', '4930777', asked).effects.flatMap((effect) =>
    effect.type === 'report' ? [effect.extras] : [],
  );
  for (const each of reports) callExtrasSchema.parse(each);
  return reports;
}

describe('where a missed call ended', () => {
  const rows: [name: string, inputs: Input[], text: string][] = [
    [
      'a caller gives up while a phone rings',
      [caller(), phone(5), givesUp(12), later(12, hangsUp('1.2')), ends(12), runs('Dial', 'PJSIP/1001,20')],
      'missed: gave up after 12 s at 1001',
    ],
    [
      'a caller gives up while several phones ring',
      [caller(), phone(5), phone(5, '1.4', '1002'), givesUp(3), ends(3), runs('')],
      'missed: gave up after 3 s at the telephones',
    ],
    [
      'nobody answers the phone',
      [...announced, caller(), phone(5), later(20, hangsUp('1.2')), ends(20.1), runs('Dial')],
      'missed: nobody answered within 20 s at 1001',
    ],
    [
      'a phone rejects; it is not known whether this PBX says who hangs up',
      [caller(), phone(5), later(1, hangsUp('1.2')), ends(1), runs('Dial')],
      'missed: ended after 1 s at 1001',
    ],
    [
      'the phone is not answered; of this technology it is not known whether it says who hangs up',
      [
        ...[...announced, caller({ channel: 'DAHDI/i1/0201234567-1' } as never), phone(5)],
        ...[later(20, hangsUp('1.2')), ends(20), runs('Dial')],
      ],
      'missed: ended after 20 s at 1001',
    ],
    [
      'a phone stopped ringing a second before',
      [caller(), phone(5), later(5, hangsUp('1.2')), givesUp(6), ends(6), runs('')],
      'missed: gave up after 6 s',
    ],
    [
      'phones that rang one after the other',
      [
        ...[caller(), phone(5), later(5, hangsUp('1.2')), phone(5, '1.4', '1002')],
        ...[givesUp(6), ends(6), runs('Dial')],
      ],
      'missed: gave up after 6 s at 1002',
    ],
    [
      'a queue of FreePBX, by its context',
      [caller(), queueMember, phone(5), givesUp(9, 'ext-queues', '1400'), ends(9, 'ext-queues', 'h')],
      'missed: gave up after 9 s in queue 1400',
    ],
    [
      'a queue of FreePBX that ends the call',
      [...announced, caller(), ends(60, 'ext-queues', 'h')],
      'missed: ended after 60 s in a queue',
    ],
    [
      'a queue of a dialplan of its own',
      [caller(), phone(5), givesUp(9), ends(9), runs('Queue', `sales-${variable('EXTEN')},t`)],
      'missed: gave up after 9 s in queue sales-493012',
    ],
    [
      'a queue that a variable names',
      [caller(), givesUp(9), ends(9), runs('Queue', variable('QUEUE'))],
      'missed: gave up after 9 s in a queue',
    ],
    [
      'voicemail after a phone rang',
      [
        caller(),
        phone(5),
        later(5, hangsUp('1.2')),
        givesUp(9),
        ends(9),
        runs('VoiceMail', '1000@default,u'),
      ],
      'missed: gave up after 9 s in voicemail of 1000',
    ],
    [
      'voicemail of FreePBX',
      [caller(), givesUp(9, 'macro-vm', 's'), ends(9, 'macro-vm', 's')],
      'missed: gave up after 9 s in voicemail',
    ],
    [
      'a menu',
      [caller(), givesUp(2), ends(2), runs('BackGround', 'menu')],
      'missed: gave up after 2 s in a menu',
    ],
    [
      'a menu of FreePBX',
      [caller(), givesUp(2, 'ivr-7', 's'), ends(2, 'ivr-7', 'h')],
      'missed: gave up after 2 s in menu 7',
    ],
    [
      'an announcement',
      [...announced, caller(), ends(4), runs('Playback', 'closed')],
      'missed: ended after 4 s in an announcement',
    ],
    [
      'long after a phone rang, and the PBX does not say where',
      [caller(), phone(5), later(5, hangsUp('1.2')), givesUp(9), ends(9), runs('')],
      'missed: gave up after 9 s',
    ],
    [
      'a mobile behind the trunk rings: its trunk is no name',
      [
        caller(),
        created('1.2', 'PJSIP/trunk-00000003', { state: 5 } as never),
        givesUp(3),
        ends(3),
        runs('Dial'),
      ],
      'missed: gave up after 3 s at the telephones',
    ],
    [
      'what the PBX says comes after the caller has hung up twice',
      [caller(), givesUp(1), ends(1), givesUp(2), runs('Read')],
      'missed: gave up after 1 s in a menu',
    ],
    [
      'the clock was set while the phone rang',
      [caller(), phone(5), givesUp(604_801), ends(604_801), runs('')],
      'missed: gave up at 1001',
    ],
    [
      'after a week, the longest time that a call can have',
      [caller(), phone(5), givesUp(604_800), ends(604_800), runs('')],
      'missed: gave up after 604800 s at 1001',
    ],
    [
      'a phone with the longest name',
      [caller(), phone(5, '1.2', 'x'.repeat(64)), givesUp(3), ends(3), runs('')],
      `missed: gave up after 3 s at ${'x'.repeat(64)}`,
    ],
    [
      'a phone whose name is too long',
      [caller(), phone(5, '1.2', 'x'.repeat(65)), givesUp(3), ends(3), runs('')],
      'missed: gave up after 3 s at the telephones',
    ],
    [
      'an application that is none of Asterisk',
      [caller(), givesUp(9), ends(9), runs('constructor')],
      'missed: gave up after 9 s',
    ],
    [
      'found in progress: how long is not known',
      [
        snapshot([row('1.1', 'PJSIP/trunk-00000001', { context: 'from-trunk', state: 4 })]),
        givesUp(5),
        ends(5),
        runs('Read'),
      ],
      'missed: gave up in a menu',
    ],
  ]; // prettier-ignore
  for (const [name, inputs, text] of rows)
    test(`${name}: ${text}`, () => {
      const { missed } = extras(inputs).at(-1) ?? {};
      assert.equal(missed && missedText(missed), text);
    });

  test('an answered call, and one of which a part was not observed, have none', () => {
    const answered = [caller(), phone(), enters('b', '1.1'), enters('b', '1.2'), givesUp(5), ends(5)];
    assert.deepEqual(
      extras(answered).map(({ missed }) => missed),
      [undefined, undefined, undefined],
    );
    assert.deepEqual(
      extras([caller(), snapshot([])]).map(({ missed }) => missed),
      [undefined, undefined],
    );
  });

  test('the PBX is asked only for the far side that takes it, and only if the place does not say it', () => {
    const questions = (inputs: Input[], more = asked) =>
      play(inputs, {}, undefined, 'allowed', undefined, more).effects.filter(
        ({ type }) => type === 'ask-application',
      );
    assert.deepEqual(questions([caller(), ends(1)]), [
      { type: 'ask-application', uniqueid: '1.1', place: place('from-trunk', '493012') },
    ]);
    assert.deepEqual(questions([caller(), ends(1)], { asksApplications: false }), []);
    assert.deepEqual(questions([caller(), ends(1, 'ivr-1', 's')]), []);
    assert.deepEqual(questions([caller(), hangsUp('1.1')]), []);
  });

  test('who hangs up before the PBX has answered either question is reported after both answers', () => {
    const inputs = [caller(), ends(0), saysOf('1.1', 'allowed'), runs('Dial')];
    const counts = inputs.map((_, i) => {
      const { effects } = play(inputs.slice(0, i + 1), {}, undefined, 'no answer', undefined, asked);
      return effects.filter(({ type }) => type === 'report').length;
    });
    assert.deepEqual(counts, [0, 0, 1, 2]);
  });

  test('a record says how a call ended whose end was not observed', () => {
    const missed = { where: 'queue', name: '400', after: 9 } as const;
    const inputs: Input[] = [caller(), snapshot([]), { type: 'ended-unseen', at, uniqueid: '1.1', missed }];
    const { effects } = play(inputs, {}, undefined, 'allowed', undefined, { hasGapFiller: true });
    const last = effects.findLast((effect) => effect.type === 'report');
    assert.deepEqual(
      [last?.outcome, last?.extras.missed, last?.extras.at],
      ['missed: ended after 9 s in queue 400', missed, undefined],
    );
    const answered = [caller(), phone(), enters('b', '1.1'), enters('b', '1.2'), ...inputs.slice(1)];
    const { effects: all } = play(answered, {}, undefined, 'allowed', undefined, { hasGapFiller: true });
    assert.equal(
      all.findLast((effect) => effect.type === 'report')?.extras.missed,
      undefined,
      'somebody was seen to answer',
    );
  });
});

test('each event has the number called, the line and its time; a time that was not observed is left out', () => {
  const did = { exten: '493012' } as never;
  const call = { number_called: '493012', line: 'PJSIP/trunk' };
  const time = (s: number) => new Date(at + s * 1_000).toISOString();
  assert.deepEqual(
    extras([caller(did), phone(), enters('b', '1.1'), later(7, enters('b', '1.2')), ends(9)]),
    [0, 7, 9].map((s) => ({ ...call, at: time(s) })),
  );
  const found = snapshot([
    row('1.1', 'PJSIP/trunk-00000001', { context: 'from-trunk', exten: 's', state: 6 }),
  ]);
  assert.deepEqual(extras([found]), [{ number_called: '4930777', line: 'PJSIP/trunk' }], 'found in progress');
});

test('what a PBX makes of its names has a limit', () => {
  const long = { exten: '0\t'.repeat(70), channel: `PJSIP/${'x'.repeat(120)}-00000001` } as never;
  const [first] = extras([caller(long)]);
  assert.equal(first?.number_called, '0'.repeat(64));
  assert.equal(first?.line, `PJSIP/${'x'.repeat(94)}`);
});

test('a line without numbers has none that was called', () => {
  assert.deepEqual(
    extras([caller({ exten: 's', channel: 'DAHDI/1-1' } as never), state('1.1', 6)]).map(
      ({ number_called, line }) => [number_called, line],
    ),
    [[undefined, 'DAHDI/1']],
  );
});
