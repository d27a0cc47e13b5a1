import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { table } from '../../../test/table.ts';
import { type CallExtras, callExtrasSchema } from '../../shared/api/contract/call-extras.ts';
import type { Input } from './input.ts';
import { missedText } from './place.ts';
import {
  at,
  caller,
  created,
  enters,
  hangsUp,
  heardAs,
  phone,
  play,
  row,
  saysOf,
  snapshot,
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
  const inputs: Record<string, Input | Input[]> = {
    ...{ announced, queueMember },
    isdn: caller({ channel: 'DAHDI/i1/0201234567-1' } as never),
    found: snapshot([row('1.1', 'PJSIP/trunk-00000001', { context: 'from-trunk', state: 4 })]),
    rings1002: phone(5, '1.4', '1002'),
    ringsLong: phone(5, '1.2', 'x'.repeat(64)),
    ringsTooLong: phone(5, '1.2', 'x'.repeat(65)),
    ringsOverTrunk: created('1.2', 'PJSIP/trunk-00000003', { state: 5 } as never),
  };
  /** As `heardAs`; `gives` (with its place) is that the caller gives up, `ends` that the call ends, `runs` an application. */
  const inputsOf = (script: string) =>
    script.split(' ').flatMap((word): Input[] => {
      const [what = '', ...more] = word.split(':');
      const [seconds = '', context, exten] = more;
      if (what === 'gives') return [givesUp(Number(seconds), context, exten)];
      if (what === 'ends') return [ends(Number(seconds), context, exten)];
      if (what === 'runs') return [runs(...(more as [string, string?]))];
      return heardAs(word, inputs);
    });
  const rows = table<[name: string, script: string, text: string]>(`
    a caller gives up while a phone rings      | caller rings gives:12 -1.2@13000 ends:12 runs:Dial:PJSIP/1001,20 | gave up after 12 s at 1001
    a caller gives up while several phones ring | caller rings rings1002 gives:3 ends:3 runs:        | gave up after 3 s at the telephones
    nobody answers the phone                   | announced caller rings -1.2@21000 ends:20.1 runs:Dial | nobody answered within 20 s at 1001
    a phone rejects; whether this PBX says who hangs up is not known | caller rings -1.2@2000 ends:1 runs:Dial | ended after 1 s at 1001
    not answered; not known whether this technology says who hangs up | announced isdn rings -1.2@21000 ends:20 runs:Dial | ended after 20 s at 1001
    a phone stopped ringing a second before    | caller rings -1.2@6000 gives:6 ends:6 runs:         | gave up after 6 s
    phones that rang one after the other       | caller rings -1.2@6000 rings1002 gives:6 ends:6 runs:Dial | gave up after 6 s at 1002
    a queue of FreePBX, by its context         | caller queueMember rings gives:9:ext-queues:1400 ends:9:ext-queues:h | gave up after 9 s in queue 1400
    a queue of FreePBX that ends the call      | announced caller ends:60:ext-queues:h               | ended after 60 s in a queue
    a queue of a dialplan of its own           | caller rings gives:9 ends:9 runs:Queue:sales-${variable('EXTEN')},t | gave up after 9 s in queue sales-493012
    a queue that a variable names              | caller gives:9 ends:9 runs:Queue:${variable('QUEUE')} | gave up after 9 s in a queue
    voicemail after a phone rang               | caller rings -1.2@6000 gives:9 ends:9 runs:VoiceMail:1000@default,u | gave up after 9 s in voicemail of 1000
    voicemail of FreePBX                       | caller gives:9:macro-vm:s ends:9:macro-vm:s         | gave up after 9 s in voicemail
    a menu                                     | caller gives:2 ends:2 runs:BackGround:menu          | gave up after 2 s in a menu
    a menu of FreePBX                          | caller gives:2:ivr-7:s ends:2:ivr-7:h               | gave up after 2 s in menu 7
    an announcement                            | announced caller ends:4 runs:Playback:closed        | ended after 4 s in an announcement
    long after a phone rang, and the PBX does not say where | caller rings -1.2@6000 gives:9 ends:9 runs: | gave up after 9 s
    a mobile behind the trunk rings: its trunk is no name | caller ringsOverTrunk gives:3 ends:3 runs:Dial | gave up after 3 s at the telephones
    what the PBX says comes after the caller has hung up twice | caller gives:1 ends:1 gives:2 runs:Read | gave up after 1 s in a menu
    the clock was set while the phone rang     | caller rings gives:604801 ends:604801 runs:         | gave up at 1001
    after a week, the longest time of a call   | caller rings gives:604800 ends:604800 runs:         | gave up after 604800 s at 1001
    a phone with the longest name              | caller ringsLong gives:3 ends:3 runs:               | gave up after 3 s at ${'x'.repeat(64)}
    a phone whose name is too long             | caller ringsTooLong gives:3 ends:3 runs:            | gave up after 3 s at the telephones
    an application that is none of Asterisk    | caller gives:9 ends:9 runs:constructor              | gave up after 9 s
    found in progress: how long is not known   | found gives:5 ends:5 runs:Read                      | gave up in a menu
  `);
  for (const [name, script, text] of rows)
    test(`${name}: ${text}`, () => {
      const { missed } = extras(inputsOf(script)).at(-1) ?? {};
      assert.equal(missed && missedText(missed), `missed: ${text}`);
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
