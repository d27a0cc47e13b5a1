import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { table } from '../../../test/table.ts';
import { type CallExtras, callExtrasSchema } from '../../shared/api/contract/call-extras.ts';
import type { Input } from './input.ts';
import { type DialplanLine, missedText } from './place.ts';
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
  tick,
} from './tracker.fixture.ts';

/** As the dialplan writes it. */
const variable = (name: string) => `\${${name}}`;
const later = (s: number, input: Input): Input => ({ ...input, at: at + s * 1_000 });
const place = (context: string, exten: string, priority = '4') => ({ context, exten, priority });
const givesUp = (s: number, context = 'from-trunk', exten = '493012'): Input =>
  later(s, { type: 'hangup-requested', at, uniqueid: '1.1', ...place(context, exten) });
const ends = (s: number, context = 'from-trunk', exten = '493012'): Input =>
  later(s, { ...hangsUp('1.1'), ...place(context, exten) } as Input);
const runs = (application: string, data = '', others: DialplanLine[] = []): Input => ({
  ...{ type: 'application', at, uniqueid: '1.1', application, data, others },
});
/** What the dialplan says of the extensions that were asked for. */
const leads = (...lines: [exten: string, data: string][]) =>
  runs(
    '',
    '',
    lines.map(([exten, data]) => ({ exten, data })),
  );
const dials = (context: string, exten: string): Input => ({
  ...{ type: 'dialled', at, uniqueid: '1.2', dialString: '1001', by: '1.1', place: place(context, exten) },
});
const up = (context: string, exten = 's', uniqueid = '1.1'): Input => ({
  ...{ type: 'channel-state', at, uniqueid, channel: '', state: 6, callerNumber: '' },
  ...place(context, exten),
});
const says = (variable: string, value: string, uniqueid = '1.1'): Input => ({
  ...{ type: 'variable', at, uniqueid, variable, value },
});
const toMailbox = `GotoIf($["x"=""]?ext-local,vmu1002,1:${variable('QDEST')})`;
const tcLine = (where: string) => `$["${variable('TCRETURN')}"!="RETURN"]?${where}`;
/** A phone of the PBX hung up before: its technology announces that. */
const announced: Input[] = [
  created('0.1', 'PJSIP/1009-00000001', { linkedid: '0.1' } as never),
  { type: 'hangup-requested', at, uniqueid: '0.1', ...place('from-internal', '1') },
  hangsUp('0.1'),
];
const queueMember = created('1.3', 'Local/1001@from-queue-0001;1');

function extras(inputs: readonly Input[]): CallExtras[] {
  const reports = play(inputs, {}, undefined, 'allowed', '4930777').effects.flatMap((effect) =>
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
    group: dials('dial-with-exten', '1600'),
    group16: [dials('macro-dial', 's'), says('NODEST', '1600')],
    extension: dials('dialOne-with-exten', '1001'),
    inQueue: up('ext-queues', '1400'),
    inMailbox: [up('macro-vm'), says('MEXTEN', '1002')],
    announced1: up('app-announcement-1'),
    inMenu: up('ivr-7'),
    leadsToMailbox: leads(['1400', toMailbox], ['1400', 'x']),
    leadsToTwo: leads(['1400', toMailbox], ['1400', 'ext-local,vmu1003,1']),
    leadsToOwn: leads(['1003', 'ext-local,1003,dest']),
    leadsNowhere: leads(),
    closedBy12: leads(
      ['11', tcLine('ext-group,600,1')],
      ['11', tcLine('app-announcement-1,s,1')],
      ['12', tcLine('app-announcement-1,s,1')],
      ['12', tcLine('ext-group,600,1')],
    ),
    closedByTwo: leads(['11', tcLine('app-announcement-1,s,1')], ['12', tcLine('app-announcement-1,s,1')]),
    endedBy12: leads(['12', tcLine('app-blackhole,hangup,1')]),
    redirects: [
      created('1.3', 'Local/vmu1002@from-internal-0001;2', { state: 4 } as never),
      up('macro-vm', 's-NOANSWER', '1.3'),
      says('MEXTEN', '1002', '1.3'),
      up('dialOne-with-exten', '1001'),
    ],
    redirectsHome: [
      created('1.3', 'Local/98@home-0001;2', { state: 4 } as never),
      up('home', '98', '1.3'),
      up('dialOne-with-exten', '1001'),
    ],
    asksToPress: [
      created('1.3', 'Local/RG-1600-0171@from-internal-0001;2', { state: 4 } as never),
      up('dial-with-exten', '1003', '1.3'),
    ],
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
    a group of FreePBX 17, by the place that dials | caller group rings gives:3:dial-with-exten:1600 ends:3 | gave up after 3 s at 1600
    a group that nobody answers, ended by the dialplan | announced caller group rings ends:4:app-blackhole:hangup | nobody answered within 4 s at 1600
    a group of FreePBX 16, by a variable       | announced caller group16 rings ends:4:app-blackhole:hangup | nobody answered within 4 s at 1600
    a group of FreePBX 16 that is given up     | caller group16 rings rings1002 gives:4:macro-dial:s ends:4 | gave up after 4 s at 1600
    FreePBX's voicemail, which says whose      | caller inMailbox gives:9:macro-vm:s ends:9:macro-vm:s | gave up after 9 s in voicemail of 1002
    the same, before it has said so: the extension's own | caller extension rings -1.2@6000 gives:9:macro-vm:s ends:9 leadsNowhere | gave up after 9 s in voicemail of 1001
    voicemail to which a queue leads           | caller inQueue gives:9:macro-vm:s ends:9 leadsToMailbox | gave up after 9 s in voicemail of 1002
    voicemail of one of two                    | caller inQueue gives:9:macro-vm:s ends:9 leadsToTwo | gave up after 9 s in voicemail
    voicemail to which a group leads           | caller group gives:9:macro-vm:s ends:9 leadsToMailbox | gave up after 9 s in voicemail of 1002
    voicemail to which follow-me leads         | caller group gives:9:macro-vm:s ends:9 leadsToOwn | gave up after 9 s in voicemail of 1003
    an announcement heard out                  | announced caller announced1 ends:4:app-blackhole:hangup leadsNowhere | ended after 4 s in announcement 1
    the same, and which time condition leads there | announced caller announced1 ends:4:app-blackhole:hangup closedBy12 | ended after 4 s in announcement 1 (time condition 12)
    the same, and two do                       | announced caller announced1 ends:4:app-blackhole:hangup closedByTwo | ended after 4 s in announcement 1
    a menu that ends the call                  | announced caller inMenu ends:4:app-blackhole:hangup | ended after 4 s in menu 7
    terminated at once                         | announced caller ends:0:app-blackhole:hangup leadsNowhere | ended after 0 s by the dialplan
    terminated by a time condition             | announced caller ends:0:app-blackhole:hangup endedBy12 | ended after 0 s by the dialplan, closed by time condition 12
    with an extension h, the dialplan ends it  | announced caller inMenu ends:4:somewhere:h  | ended after 4 s in menu 7
    after a menu, in a dialplan of its own, which ends the call | announced caller inMenu ends:4:home:98 runs: | ended after 4 s in menu 7
    the same, and the caller gives up there     | announced caller inMenu gives:4:home:98 ends:4 runs: | gave up after 4 s
    a phone that sends its calls to voicemail  | caller extension redirects gives:9:dialOne-with-exten:1001 ends:9 | gave up after 9 s in voicemail of 1002
    the same in a dialplan of its own          | caller extension redirectsHome gives:9:dialOne-with-exten:1001 ends:9 runs:VoiceMail:77,u | gave up after 9 s in voicemail of 77
    a mobile that is asked to press 1          | caller group asksToPress gives:9:dial-with-exten:1600 ends:9 | gave up after 9 s at 1600
    found in progress: how long is not known   | found gives:5 ends:5 runs:Read                      | gave up in a menu
  `);
  for (const [name, script, text] of rows)
    test(`${name}: ${text}`, () => {
      const { missed } = extras(inputsOf(script)).at(-1) ?? {};
      assert.equal(missed && missedText(missed), `missed: ${text}`);
    });

  test('the log and explain say the place before the extension h, and none while the caller talks', () => {
    const endOf = (inputs: Input[]) =>
      play(inputs).effects.flatMap((effect) =>
        effect.type === 'journal' && /^the caller's channel/.test(effect.entry.text)
          ? `${effect.entry.text.replace(/^.*\(normal\)/, '')} ${effect.entry.place?.context ?? ''}`
          : [],
      );
    const [queue, home] = ['ext-queues', 'home'];
    assert.deepEqual(endOf([caller(), givesUp(9, queue, '1400'), ends(9, queue, 'h')]), [
      ', in queue 1400 (extension 1400 in context ext-queues) ext-queues',
    ]);
    assert.deepEqual(endOf([caller(), up(home, '98'), ends(9, home, 'h')]), [
      ', in extension 98 in context home home',
    ]);
    const talks = [caller(), phone(), enters('b', '1.2'), enters('b', '1.1')];
    assert.deepEqual(endOf([...talks, ends(9, 'parkedcalls', '71')]), [' ']);
    const left: Input = later(9, { type: 'bridge-left', at, bridge: 'b', uniqueid: '1.1' });
    assert.deepEqual(endOf([...talks, left, ends(9, 'parkedcalls', '71')]), [' ']);
    const parked = [', in parking (extension 71 in context parkedcalls) parkedcalls'];
    assert.deepEqual(endOf([...talks, { ...left, at }, ends(9, 'parkedcalls', '71')]), parked);
    const waits = { ...enters('p', '1.1'), technology: 'holding_bridge' } as Input;
    const fetched: Input = later(9, { type: 'bridge-left', at, bridge: 'p', uniqueid: '1.1' });
    assert.deepEqual(
      endOf([...talks, { ...left, at }, waits, fetched, ends(9, 'parkedcalls', '71')]),
      parked,
      'who waits in parking does not talk',
    );
  });

  test('who hangs up, and is not known, changes nothing', () => {
    const unknown = { type: 'hangup-requested', at, uniqueid: '9.9', ...place('from-trunk', 's') } as Input;
    assert.deepEqual(play([unknown]).effects, []);
  });

  test('the log and explain say in words why a channel hung up', () => {
    for (const [cause, words] of [
      [0, 'cause 0 (no cause)'],
      [17, 'cause 17 (busy)'],
      [99, 'cause 99'],
    ] as const) {
      const texts = play([caller(), { ...hangsUp('1.1'), cause } as Input]).effects.flatMap((effect) =>
        effect.type === 'journal' ? [effect.entry.text] : [],
      );
      assert.ok(
        texts.some((text) => text.includes(`hung up, ${words}`)),
        texts.join('\n'),
      );
    }
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

  test('the PBX is asked only if the place does not say it', () => {
    const questions = (inputs: Input[]) =>
      play(inputs).effects.filter(({ type }) => type === 'ask-application');
    assert.deepEqual(questions([caller(), ends(1)]), [
      { type: 'ask-application', uniqueid: '1.1', place: place('from-trunk', '493012') },
    ]);
    assert.deepEqual(questions([caller(), ends(1, 'ivr-1', 's')]), []);
    assert.deepEqual(questions([caller(), hangsUp('1.1')]), []);
  });

  test('who hangs up before the PBX has answered either question is reported after both answers', () => {
    const inputs = [caller(), ends(0), saysOf('1.1', 'allowed'), runs('Dial')];
    const counts = inputs.map((_, i) => {
      const { effects } = play(inputs.slice(0, i + 1), {}, undefined, 'no answer');
      return effects.filter(({ type }) => type === 'report').length;
    });
    assert.deepEqual(counts, [0, 0, 1, 2]);
  });

  test('who gives up before an analogue line has said that it rings is a missed call', () => {
    const line = { channel: 'DAHDI/1-1', state: 9 } as Partial<Input>;
    const told = (inputs: Input[], more = {}) =>
      play(inputs, more).effects.flatMap((it) =>
        it.type === 'report' ? [`${it.status} ${it.from} ${it.extras.at}`] : [],
      );
    const time = (s: number) => new Date(at + s * 1_000).toISOString();
    assert.deepEqual(
      told([caller({ ...line, callerNumber: '' } as never), later(3, hangsUp('1.1'))], {
        missingNumber: '+310',
      }),
      [`ringing +310 ${time(0)}`, `completed +310 ${time(3)}`],
    );
    assert.deepEqual(told([caller(line), later(3, hangsUp('1.1'))]), [
      `ringing +31201234567 ${time(0)}`,
      `completed +31201234567 ${time(3)}`,
    ]);
    const leg = caller({ ...line, context: 'from-internal' } as never);
    assert.deepEqual(told([leg, later(3, hangsUp('1.1'))]), []);
    assert.deepEqual(told([caller({ ...line, linkedid: '0.9' } as never), later(3, hangsUp('1.1'))]), []);
  });

  test('a call ends a second after its hang-up if the PBX does not say what its dialplan does there', () => {
    const reported = (...inputs: Input[]) =>
      play([caller(), ends(5), ...inputs]).effects.flatMap((it) =>
        it.type === 'report' && it.status === 'completed' ? [it] : [],
      );
    assert.deepEqual(reported(tick(5_999)), []);
    const wake = play([caller(), ends(5)]).effects.filter(({ type }) => type === 'wake');
    assert.deepEqual(wake.at(-1), { type: 'wake', at: at + 6_000 });
    const [end, ...more] = reported(tick(6_000), runs('Queue', 'sales'));
    assert.deepEqual(
      [end?.at, end?.extras.missed, end?.extras.at],
      [at + 6_000, { after: 5 }, new Date(at + 5_000).toISOString()],
    );
    assert.deepEqual(more, [], 'the answer comes too late');
    // The clock was set back.
    assert.equal(reported(tick(-60_000)).length, 1);
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
