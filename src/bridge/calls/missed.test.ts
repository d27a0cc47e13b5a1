import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { journalText } from '../../cli/explain/journal-text.ts';
import { type CallExtras, callExtrasSchema } from '../../shared/api/contract/call-extras.ts';
import type { Input } from './input.ts';
import { type DialplanLine, missedText, type Place } from './place.ts';
import {
  at,
  caller,
  conference,
  created,
  dialled,
  enters,
  gone,
  hangsUp,
  join,
  leaves,
  local,
  parking,
  pbxSays,
  phone,
  phoneAs,
  play,
  ringingPhone,
  row,
  snapshot,
  talk,
  tick,
} from './tracker.fixture.ts';

const annaConfigured: Input = {
  type: 'endpoints',
  at,
  contexts: [['PJSIP/anna', 'from-internal']],
  guestContext: '',
};
const anna = { ...ringingPhone, channel: 'PJSIP/anna-00000002', callerNumber: '1005' };
/** As the dialplan writes it. */
const variable = (name: string) => `\${${name}}`;
const later = (s: number, input: Input): Input => ({ ...input, at: at + s * 1_000 });
const place = (context: string, exten: string): Place => ({ context, exten, priority: '4' });
/** The caller hangs up, or the call ends, so many seconds after `at`. */
const requestsHangup = (s: number, context = 'from-trunk', exten = '493012'): Input =>
  later(s, { type: 'hangup-requested', at, uniqueid: '1.1', ...place(context, exten) });
const ends = (s: number, context = 'from-trunk', exten = '493012'): Input =>
  later(s, { ...hangsUp(caller), ...place(context, exten) });
/** FreePBX's dialplan ends the call. */
const terminates = (s: number) => ends(s, 'app-blackhole', 'hangup');
const givesUp = (s: number, ...place: [context?: string, exten?: string]) => [
  requestsHangup(s, ...place),
  ends(s),
];
const runs = (application: string, data = '', others: DialplanLine[] = []): Input => ({
  type: 'application',
  at,
  uniqueid: '1.1',
  application,
  data,
  others,
});
/** What the dialplan says of the extensions that were asked for. */
const leads = (...lines: [exten: string, data: string][]) =>
  runs(
    '',
    '',
    lines.map(([exten, data]) => ({ exten, data })),
  );
const dials = (context: string, exten: string): Input => ({
  ...dialled(phone, '1001'),
  by: '1.1',
  place: place(context, exten),
});
const up = (context: string, exten = 's', uniqueid = '1.1'): Input => ({
  type: 'channel-state',
  at,
  uniqueid,
  channel: '',
  state: 6,
  callerNumber: '',
  ...place(context, exten),
});
const paged = (leg: { uniqueid: string }): Input => ({
  ...enters(conference, leg),
  ...{ creator: 'ConfBridge', bridgeName: '1509541301', context: 'from-internal', exten: 's' },
});
const says = (variable: string, value: string, uniqueid = '1.1'): Input => ({
  type: 'variable',
  at,
  uniqueid,
  variable,
  value,
});
const toMailbox = `GotoIf($["x"=""]?ext-local,vmu1002,1:${variable('QDEST')})`;
const tcLine = (where: string) => `$["${variable('TCRETURN')}"!="RETURN"]?${where}`;
/** A phone of the PBX hung up before: its technology announces that. */
const announced: Input[] = [
  { ...created('0.1', 'PJSIP/1009-00000001'), linkedid: '0.1' },
  { type: 'hangup-requested', at, uniqueid: '0.1', ...place('from-internal', '1') },
  hangsUp({ uniqueid: '0.1' }),
];
const queueMember = created('1.3', 'Local/1001@from-queue-0001;1');

function extras(inputs: readonly Input[]): CallExtras[] {
  const reports = play(inputs, { dnid: '4930777' }).effects.flatMap((effect) =>
    effect.type === 'report' ? [effect.extras] : [],
  );
  for (const each of reports) callExtrasSchema.parse(each);
  return reports;
}

describe('where a missed call ended', () => {
  const found = snapshot([row('1.1', caller.channel, { context: 'from-trunk', state: 4 })]);
  const ringsAs = (extension: string, uniqueid = '1.2') => ({ ...phoneAs(extension, uniqueid), state: 5 });
  const rings1002 = ringsAs('1002', '1.4');
  const group = dials('dial-with-exten', '1600');
  const group16 = [dials('macro-dial', 's'), says('NODEST', '1600')];
  const extension = dials('dialOne-with-exten', '1001');
  const closedBy12 = leads(
    ['11', tcLine('ext-group,600,1')],
    ['11', tcLine('app-announcement-1,s,1')],
    ['12', tcLine('app-announcement-1,s,1')],
    ['12', tcLine('ext-group,600,1')],
  );
  const closedByTwo = leads(
    ['11', tcLine('app-announcement-1,s,1')],
    ['12', tcLine('app-announcement-1,s,1')],
  );
  const redirects = [
    created('1.3', 'Local/vmu1002@from-internal-0001;2', 4),
    up('macro-vm', 's-NOANSWER', '1.3'),
    says('MEXTEN', '1002', '1.3'),
    up('dialOne-with-exten', '1001'),
  ];
  const redirectsHome = [
    created('1.3', 'Local/98@home-0001;2', 4),
    up('home', '98', '1.3'),
    up('dialOne-with-exten', '1001'),
  ];
  const asksToPress = [
    created('1.3', 'Local/RG-1600-0171@from-internal-0001;2', 4),
    up('dial-with-exten', '1003', '1.3'),
  ];
  const ringsOverTrunk = created('1.2', 'PJSIP/trunk-00000003', 5);
  // biome-ignore format: one case a line
  const cases: [name: string, heard: Input[], text: string][] = [
    ['a caller gives up while a phone rings',
      [caller, ringingPhone, requestsHangup(12), later(12, hangsUp(phone)), ends(12), runs('Dial', 'PJSIP/1001,20')], 'gave up after 12 s at 1001'],
    ['phones that Page() has called have not rung', [caller, ringingPhone, dialled(ringingPhone, '1001'), paged(ringingPhone), ...givesUp(3), runs('Page')], 'gave up after 3 s'],
    ['nor have those over a Local channel, which hangs up first', [caller, ...local, dialled(local[0], '1001'), ringingPhone, { ...dialled(ringingPhone, '1001'), by: '1.4' }, paged(local[0]), ...join('y', local[1], ringingPhone), ...[requestsHangup(3), ...local.map(hangsUp), hangsUp(ringingPhone)].map((input) => later(3, input)), ends(3), runs('Page')], 'gave up after 3 s'],
    ['a caller gives up while several phones ring', [caller, ringingPhone, rings1002, ...givesUp(3), runs('')], 'gave up after 3 s at the telephones'],
    ['nobody answers the phone',
      [...announced, caller, ringingPhone, later(20, hangsUp(phone)), ends(20.1), runs('Dial')], 'nobody answered within 20 s at 1001'],
    ['a phone rejects; whether this PBX says who hangs up is not known',
      [caller, ringingPhone, later(1, hangsUp(phone)), ends(1), runs('Dial')], 'ended after 1 s at 1001'],
    ['not answered; not known whether this technology says who hangs up',
      [...announced, { ...caller, channel: 'DAHDI/i1/0201234567-1' }, ringingPhone, later(20, hangsUp(phone)), ends(20), runs('Dial')], 'ended after 20 s at 1001'],
    ['a phone stopped ringing a second before', [caller, ringingPhone, later(5, hangsUp(phone)), ...givesUp(6), runs('')], 'gave up after 6 s'],
    ['phones that rang one after the other',
      [caller, ringingPhone, later(5, hangsUp(phone)), rings1002, ...givesUp(6), runs('Dial')], 'gave up after 6 s at 1002'],
    ['a queue of FreePBX, by its context',
      [caller, queueMember, ringingPhone, requestsHangup(9, 'ext-queues', '1400'), ends(9, 'ext-queues', 'h')], 'gave up after 9 s in queue 1400'],
    ['a queue of FreePBX that ends the call', [...announced, caller, ends(60, 'ext-queues', 'h')], 'ended after 60 s in a queue'],
    ['a queue of a dialplan of its own',
      [caller, ringingPhone, ...givesUp(9), runs('Queue', `sales-${variable('EXTEN')},t`)], 'gave up after 9 s in queue sales-493012'],
    ['a queue that a variable names', [caller, ...givesUp(9), runs('Queue', variable('QUEUE'))], 'gave up after 9 s in a queue'],
    ['the dialplan sends the caller to another number (302), which Asterisk writes like a caller who hangs up',
      [caller, ...givesUp(0), runs('Transfer', 'PJSIP/sip:+491713920011@10.0.0.1')], 'ended after 0 s by the dialplan'],
    ['the same from a menu (REFER)',
      [caller, up('ivr-3'), ...givesUp(9), runs('Transfer', 'PJSIP/sip:+491713920011@10.0.0.1')], 'ended after 9 s in menu 3'],
    ['voicemail after a phone rang',
      [caller, ringingPhone, later(5, hangsUp(phone)), ...givesUp(9), runs('VoiceMail', '1000@default,u')], 'gave up after 9 s in voicemail of 1000'],
    ['voicemail of FreePBX', [caller, requestsHangup(9, 'macro-vm', 's'), ends(9, 'macro-vm', 's')], 'gave up after 9 s in voicemail'],
    ['a menu', [caller, ...givesUp(2), runs('BackGround', 'menu')], 'gave up after 2 s in a menu'],
    ['a menu of FreePBX', [caller, requestsHangup(2, 'ivr-7', 's'), ends(2, 'ivr-7', 'h')], 'gave up after 2 s in menu 7'],
    ['an announcement', [...announced, caller, ends(4), runs('Playback', 'closed')], 'ended after 4 s in an announcement'],
    ['long after a phone rang, and the PBX does not say where', [caller, ringingPhone, later(5, hangsUp(phone)), ...givesUp(9), runs('')], 'gave up after 9 s'],
    ['a mobile behind the trunk rings: its trunk is no name', [caller, ringsOverTrunk, ...givesUp(3), runs('Dial')], 'gave up after 3 s at the telephones'],
    ['what the PBX says comes after the caller has hung up twice', [caller, ...givesUp(1), requestsHangup(2), runs('Read')], 'gave up after 1 s in a menu'],
    ['the clock was set while the phone rang', [caller, ringingPhone, ...givesUp(604_801), runs('')], 'gave up at 1001'],
    ['after a week, the longest time of a call', [caller, ringingPhone, ...givesUp(604_800), runs('')], 'gave up after 604800 s at 1001'],
    ['a phone with the longest name', [caller, ringsAs('x'.repeat(64)), ...givesUp(3), runs('')], `gave up after 3 s at ${'x'.repeat(64)}`],
    ['a phone whose name is too long', [caller, ringsAs('x'.repeat(65)), ...givesUp(3), runs('')], 'gave up after 3 s at the telephones'],
    ['an application that is none of Asterisk', [caller, ...givesUp(9), runs('constructor')], 'gave up after 9 s'],
    ['a group of FreePBX 17, by the place that dials', [caller, group, ringingPhone, ...givesUp(3, 'dial-with-exten', '1600')], 'gave up after 3 s at 1600'],
    ['a group that nobody answers, ended by the dialplan', [...announced, caller, group, ringingPhone, terminates(4)], 'nobody answered within 4 s at 1600'],
    ['a group of FreePBX 16, by a variable', [...announced, caller, ...group16, ringingPhone, terminates(4)], 'nobody answered within 4 s at 1600'],
    ['a group of FreePBX 16 that is given up', [caller, ...group16, ringingPhone, rings1002, ...givesUp(4, 'macro-dial', 's')], 'gave up after 4 s at 1600'],
    ["FreePBX's voicemail, which says whose",
      [caller, up('macro-vm'), says('MEXTEN', '1002'), requestsHangup(9, 'macro-vm', 's'), ends(9, 'macro-vm', 's')], 'gave up after 9 s in voicemail of 1002'],
    ["the same, before it has said so: the extension's own",
      [caller, extension, ringingPhone, later(5, hangsUp(phone)), ...givesUp(9, 'macro-vm', 's'), leads()], 'gave up after 9 s in voicemail of 1001'],
    ['voicemail to which a queue leads',
      [caller, up('ext-queues', '1400'), ...givesUp(9, 'macro-vm', 's'), leads(['1400', toMailbox], ['1400', 'x'])], 'gave up after 9 s in voicemail of 1002'],
    ['voicemail of one of two',
      [caller, up('ext-queues', '1400'), ...givesUp(9, 'macro-vm', 's'), leads(['1400', toMailbox], ['1400', 'ext-local,vmu1003,1'])], 'gave up after 9 s in voicemail'],
    ['voicemail to which a group leads',
      [caller, group, ...givesUp(9, 'macro-vm', 's'), leads(['1400', toMailbox], ['1400', 'x'])], 'gave up after 9 s in voicemail of 1002'],
    ['voicemail to which follow-me leads',
      [caller, group, ...givesUp(9, 'macro-vm', 's'), leads(['1003', 'ext-local,1003,dest'])], 'gave up after 9 s in voicemail of 1003'],
    ['an announcement heard out', [...announced, caller, up('app-announcement-1'), terminates(4), leads()], 'ended after 4 s in announcement 1'],
    ['the same, and which time condition leads there',
      [...announced, caller, up('app-announcement-1'), terminates(4), closedBy12], 'ended after 4 s in announcement 1 (time condition 12)'],
    ['the same, and two do', [...announced, caller, up('app-announcement-1'), terminates(4), closedByTwo], 'ended after 4 s in announcement 1'],
    ['a menu that ends the call', [...announced, caller, up('ivr-7'), terminates(4)], 'ended after 4 s in menu 7'],
    ['terminated at once', [...announced, caller, terminates(0), leads()], 'ended after 0 s by the dialplan'],
    ['terminated by a time condition',
      [...announced, caller, terminates(0), leads(['12', tcLine('app-blackhole,hangup,1')])], 'ended after 0 s by the dialplan, closed by time condition 12'],
    ['with an extension h, the dialplan ends it', [...announced, caller, up('ivr-7'), ends(4, 'somewhere', 'h')], 'ended after 4 s in menu 7'],
    ['after a menu, in a dialplan of its own, which ends the call',
      [...announced, caller, up('ivr-7'), ends(4, 'home', '98'), runs('')], 'ended after 4 s in menu 7'],
    ['the same, and the caller gives up there', [...announced, caller, up('ivr-7'), ...givesUp(4, 'home', '98'), runs('')], 'gave up after 4 s'],
    ['a phone that sends its calls to voicemail',
      [caller, extension, ...redirects, ...givesUp(9, 'dialOne-with-exten', '1001')], 'gave up after 9 s in voicemail of 1002'],
    ['the same in a dialplan of its own',
      [caller, extension, ...redirectsHome, ...givesUp(9, 'dialOne-with-exten', '1001'), runs('VoiceMail', '77,u')], 'gave up after 9 s in voicemail of 77'],
    ['a mobile that is asked to press 1', [caller, group, ...asksToPress, ...givesUp(9, 'dial-with-exten', '1600')], 'gave up after 9 s at 1600'],
    ['a phone with a name', [annaConfigured, caller, anna, dialled(anna, 'anna/sip:1005@10.0.0.1'), ...givesUp(9), runs('Dial')], 'gave up after 9 s at 1005'],
    ['found in progress: how long is not known', [found, ...givesUp(5), runs('Read')], 'gave up in a menu'],
  ];
  for (const [name, heard, text] of cases)
    test(`${name}: ${text}`, () => {
      const { missed } = extras(heard).at(-1) ?? {};
      assert.equal(missed && missedText(missed), `missed: ${text}`);
    });

  test('the log and explain say the place before the extension h, and none while the caller talks', () => {
    const endOf = (inputs: Input[]) =>
      play(inputs).effects.flatMap((effect) =>
        effect.type === 'journal' && effect.entry.event.code === 'caller-hung-up'
          ? `${journalText(effect.entry).replace(/^.*\(normal\)/, '')} ${effect.entry.place?.context ?? ''}`
          : [],
      );
    const [queue, home] = ['ext-queues', 'home'];
    assert.deepEqual(endOf([caller, requestsHangup(9, queue, '1400'), ends(9, queue, 'h')]), [
      ', in queue 1400 (extension 1400 in context ext-queues) ext-queues',
    ]);
    assert.deepEqual(endOf([caller, up(home, '98'), ends(9, home, 'h')]), [
      ', in extension 98 in context home home',
    ]);
    const talks = [caller, ...talk];
    assert.deepEqual(endOf([...talks, ends(9, 'parkedcalls', '71')]), [' ']);
    const left = leaves('b', caller);
    assert.deepEqual(endOf([...talks, later(9, left), ends(9, 'parkedcalls', '71')]), [' ']);
    const parked = [', in parking (extension 71 in context parkedcalls) parkedcalls'];
    assert.deepEqual(endOf([...talks, left, ends(9, 'parkedcalls', '71')]), parked);
    const parks = [enters(parking, caller), later(9, leaves('p', caller))];
    assert.deepEqual(
      endOf([...talks, left, ...parks, ends(9, 'parkedcalls', '71')]),
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
      const texts = play([caller, { ...hangsUp(caller), cause }]).effects.flatMap((effect) =>
        effect.type === 'journal' ? [journalText(effect.entry)] : [],
      );
      assert.ok(
        texts.some((text) => text.includes(`hung up, ${words}`)),
        texts.join('\n'),
      );
    }
  });

  test('an answered call, and one of which a part was not observed, have none', () => {
    const answered = [caller, phone, ...join('b', caller, phone), ...givesUp(5)];
    assert.deepEqual(
      extras(answered).map(({ missed }) => missed),
      [undefined, undefined, undefined],
    );
    assert.deepEqual(
      extras([caller, gone]).map(({ missed }) => missed),
      [undefined, undefined],
    );
  });

  test('the PBX is asked only if the place does not say it', () => {
    const questions = (inputs: Input[]) =>
      play(inputs).effects.filter(({ type }) => type === 'ask-application');
    assert.deepEqual(questions([caller, ends(1)]), [
      { type: 'ask-application', uniqueid: '1.1', place: place('from-trunk', '493012') },
    ]);
    assert.deepEqual(questions([caller, ends(1, 'ivr-1', 's')]), []);
    assert.deepEqual(questions([caller, hangsUp(caller)]), []);
  });

  test('who hangs up before the PBX has answered either question is reported after both answers', () => {
    const inputs = [caller, ends(0), pbxSays(caller, 'allowed'), runs('Dial')];
    const counts = inputs.map((_, i) => {
      const { effects } = play(inputs.slice(0, i + 1), { presentation: 'no answer' });
      return effects.filter(({ type }) => type === 'report').length;
    });
    assert.deepEqual(counts, [0, 0, 1, 2]);
  });

  test('who gives up before an analogue line has said that it rings is a missed call', () => {
    const line = { ...caller, channel: 'DAHDI/1-1', state: 9 };
    const told = (inputs: Input[], settings = {}) =>
      play(inputs, { settings }).effects.flatMap((it) =>
        it.type === 'report' ? [`${it.status} ${it.from} ${it.extras.at}`] : [],
      );
    const time = (s: number) => new Date(at + s * 1_000).toISOString();
    assert.deepEqual(
      told([{ ...line, callerNumber: '' }, later(3, hangsUp(caller))], {
        missingNumber: '+310',
      }),
      [`ringing +310 ${time(0)}`, `completed +310 ${time(3)}`],
    );
    assert.deepEqual(told([line, later(3, hangsUp(caller))]), [
      `ringing +31201234567 ${time(0)}`,
      `completed +31201234567 ${time(3)}`,
    ]);
    for (const leg of [{ context: 'from-internal' }, { linkedid: '0.9' }])
      assert.deepEqual(told([{ ...line, ...leg }, later(3, hangsUp(caller))]), []);
  });

  test('a call ends a second after its hang-up if the PBX does not say what its dialplan does there', () => {
    const reported = (...inputs: Input[]) =>
      play([caller, ends(5), ...inputs]).effects.flatMap((it) =>
        it.type === 'report' && it.status === 'completed' ? [it] : [],
      );
    assert.deepEqual(reported(tick(5_999)), []);
    const wake = play([caller, ends(5)]).effects.filter(({ type }) => type === 'wake');
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
    const inputs: Input[] = [caller, gone, { type: 'ended-unseen', at, uniqueid: '1.1', missed }];
    const { effects } = play(inputs, { hasGapFiller: true });
    const last = effects.findLast((effect) => effect.type === 'report');
    assert.deepEqual(
      [last?.outcome, last?.extras.missed, last?.extras.at],
      ['missed: ended after 9 s in queue 400', missed, undefined],
    );
    const answered = [caller, phone, ...join('b', caller, phone), ...inputs.slice(1)];
    const { effects: all } = play(answered, { hasGapFiller: true });
    assert.equal(
      all.findLast((effect) => effect.type === 'report')?.extras.missed,
      undefined,
      'somebody was seen to answer',
    );
  });
});

test('each event has the number called, the line and its time; a time that was not observed is left out', () => {
  const call = { number_called: '493012', line: 'PJSIP/trunk' };
  const time = (s: number) => new Date(at + s * 1_000).toISOString();
  assert.deepEqual(
    extras([
      { ...caller, exten: '493012' },
      phone,
      enters('b', caller),
      later(7, enters('b', phone)),
      ends(9),
    ]),
    [
      { ...call, at: time(0), rang: [] },
      { ...call, at: time(7), rang: [] },
      { ...call, at: time(9), rang: [], talked: [{ by: '1001', from: 7_000, to: 9_000 }] },
    ],
  );
  const found = snapshot([
    row('1.1', 'PJSIP/trunk-00000001', { context: 'from-trunk', exten: 's', state: 6 }),
  ]);
  assert.deepEqual(extras([found]), [{ number_called: '4930777', line: 'PJSIP/trunk' }], 'found in progress');
});

test('what a PBX makes of its names has a limit', () => {
  const long = { exten: '0\t'.repeat(70), channel: `PJSIP/${'x'.repeat(120)}-00000001` };
  const [first] = extras([{ ...caller, ...long }]);
  assert.equal(first?.number_called, '0'.repeat(64));
  assert.equal(first?.line, `PJSIP/${'x'.repeat(94)}`);
});
