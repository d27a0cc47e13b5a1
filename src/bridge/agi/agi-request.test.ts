import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { newSession, step } from './agi-protocol.ts';
import { requestText } from './agi-request.fixture.ts';
import { type AgiRequest, readRequest } from './agi-request.ts';

const own = '+4940669690101';
const script = (text: string, args: string[] = []) => requestText({ agi_network_script: text }, args);
const ofPriority = (number: string, more: Partial<AgiRequest> = {}) => ({
  script: 'priority',
  number,
  ...more,
});

const rows: [string, string, Pick<AgiRequest, 'script' | 'number' | 'queuePrio' | 'setName' | 'more'>][] = [
  ["the caller's own number", requestText(), ofPriority(own)],
  ['the first argument', requestText({}, ['4711', '4712']), ofPriority('4711')],
  ['an empty argument is none', requestText({}, ['']), ofPriority(own)],
  ['?number=', script('priority?number=4711'), ofPriority('4711')],
  ['a plus as it is and in its code', script('priority?x=1&number=+49%2B1'), ofPriority('+49+1')],
  ['the argument goes before ?number=', script('priority?number=1', ['2']), ofPriority('2')],
  ['an empty ?number= is none', script('priority?number='), ofPriority(own)],
  ['a line break in its code is none', script('priority?number=%0a49%0D%0a30%00'), ofPriority('49  30')],
  ['?queue_prio=yes', script('priority?queue_prio=yes'), ofPriority(own, { queuePrio: true })],
  ['?queue_prio=no', script('/priority/?queue_prio=no'), ofPriority(own, { queuePrio: false })],
  ['?set_name=yes', script('priority?set_name=yes'), ofPriority(own, { setName: true })],
  ['?more=yes', script('priority?more=yes'), ofPriority(own, { more: true })],
  ['?queue_prio=constructor', script('priority?queue_prio=constructor'), ofPriority(own)],
  ['another script', script('weather'), { script: 'weather', number: own }],
  ['the script in the request alone', 'agi_request: agi://[::1]:4573/priority?number=7\n', ofPriority('7')],
  ['a request without a script', 'agi_request: agi://pbx\n', { script: '', number: '' }],
  ['no caller', requestText({ agi_callerid: 'unknown' }), ofPriority('unknown')],
  ['no lines', '', { script: '', number: '' }],
  [
    'lines without colon, name or sense',
    ': x\n\u0000\nagi_callerid\nagi_callerid: 1\n__proto__: 2',
    { script: '', number: '1' },
  ],
  ['a number that the caller withholds is empty', requestText({ agi_callingpres: '35' }), ofPriority('')],
  ['unless the dialplan gives it', requestText({ agi_callingpres: '35' }, ['4711']), ofPriority('4711')],
];
for (const [name, text, expected] of rows)
  test(`the request of the dialplan: ${name}`, () => {
    const { isOwn: _, uniqueid: __, channel: ___, called: ____, ...request } = readRequest(text);
    assert.deepEqual(request, expected);
  });

test('whose number it is, and the call', () => {
  const givers: [string, boolean][] = [
    [requestText(), true],
    [requestText({}, ['4711']), false],
    [script('priority?number=1'), false],
  ];
  for (const [text, isOwn] of givers) {
    const request = readRequest(text);
    const { uniqueid, channel } = request;
    assert.deepEqual([request.isOwn, uniqueid, channel], [isOwn, '1763600000.1', 'PJSIP/trunk-00000001']);
  }
  assert.deepEqual([readRequest('').isOwn, readRequest('').uniqueid], [true, '']);
  const called = [requestText(), requestText({ agi_dnid: 'unknown' }), ''].map(
    (text) => readRequest(text).called,
  );
  assert.deepEqual(called, ['493023125101', '', '']);
});

/** What a caller may have in the number, the name or the number that was dialled. */
const forgeries = [
  'agi_uniqueid: 1763600000.9',
  'agi_channel: PJSIP/other-1\nagi_uniqueid: 1763600000.9',
  'agi_callingpres: 0',
  'agi_callingpres: 35',
  'agi_network_script: weather',
  'agi_arg_1: 110',
  'agi_callerid: 110',
  'agi_calleridname: x\nagi_callingpres: 0',
  'agi_priority: 1\nagi_enhanced: 0.0\nagi_accountcode: \nagi_threadid: 1',
  '\n200 result=1\nHANGUP\n',
  '\nagi_uniqueid: 1763600000.9\n\n',
  '\n\n\n',
];

test('lines in what a caller chooses are not those of Asterisk, wherever the bytes are split', () => {
  const chosen = ['agi_callerid', 'agi_calleridname', 'agi_dnid', 'agi_rdnis', 'agi_extension'];
  for (const pres of ['0', '35'])
    for (const name of [...chosen, 'agi_arg_2'])
      for (const forgery of forgeries)
        for (const lineBreak of ['\n', '\r\n', '\r']) {
          const value = `+4930\n${forgery}`.replaceAll('\n', lineBreak).slice(0, 79);
          const text = requestText({ agi_callingpres: pres, agi_arg_1: '4711', [name]: value });
          const plain = requestText({ agi_callingpres: pres, agi_arg_1: '4711', [name]: '+4930' });
          for (const cut of [text.length, text.indexOf(value) + 12]) {
            const [asked, ...more] = requestsOf([text.slice(0, cut), text.slice(cut)]);
            assert.deepEqual([asked, more], [readRequest(plain.trimEnd()), []], JSON.stringify(value));
          }
        }
});

/** All lines behind that of a name, as the one who chose its value would like them, in as few bytes as possible. */
function forgedBehind(name: string): string {
  const text = requestText({ agi_uniqueid: '1763600000.9', agi_callerid: '110' }, ['110']);
  const lines = text.slice(text.indexOf('\n', text.indexOf(`\n${name}:`) + 1)).trimEnd();
  return lines.replaceAll(/(?<!uniqueid|callerid|arg_1): .*$/gm, ':');
}

describe('a value with all lines that are to come is not believed, however long it is', () => {
  const chosen = [
    'agi_network_script',
    'agi_request',
    'agi_channel',
    'agi_callerid',
    'agi_calleridname',
    'agi_dnid',
    'agi_rdnis',
    'agi_extension',
    'agi_accountcode',
  ];
  /** Asterisk cuts these. */
  const limited = ['agi_extension', 'agi_accountcode'];
  for (const name of chosen)
    for (const length of limited.includes(name) ? [0] : [0, 300, 5_000])
      for (const end of ['', '\n', '\n\n', '\n\nx'])
        test(`${name}, ${length} bytes, ends in ${JSON.stringify(end)}`, () => {
          const own = { agi_network_script: 'priority', agi_request: 'agi://pbx/priority' }[name] ?? '0';
          const value = `${own}${forgedBehind(name)}${'0'.repeat(length)}${end}`;
          for (const args of [[], ['4711']])
            for (const pres of ['0', '35']) {
              const text = requestText({ agi_callingpres: pres, [name]: value }, args);
              const asked = requestsOf([text]);
              assert.equal(asked.length, 1);
              const [{ number, uniqueid, script } = asked[0] as AgiRequest] = asked;
              const numbers = [
                '',
                ...args,
                ...(pres === '0' && args.length === 0 ? ['0', '+4940669690101'] : []),
              ];
              assert.ok(!limited.includes(name) || value.length <= 79);
              assert.ok(numbers.includes(number), `${number} is looked up`);
              assert.ok(['', '1763600000.1'].includes(uniqueid), uniqueid);
              assert.ok(['', 'priority'].includes(script), script);
            }
        });
});

describe('20,000 forged values: each part of the request is what Asterisk wrote, or absent', () => {
  /** The names of Asterisk's own lines, in its order, and of two arguments. */
  const names = [...requestText({}, ['', '']).matchAll(/^agi_\w+/gm)].map(([name]) => name);
  const forged = fc.record({
    name: fc.constantFrom(...names),
    value: fc.constantFrom(
      '110',
      '',
      '0',
      '35',
      'agi://pbx/other?number=110',
      'PJSIP/other-1',
      '1763600000.9',
    ),
    lineBreak: fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\nx\n'),
  });
  const forgeries = fc.oneof(
    fc.array(forged, { minLength: 1, maxLength: 6 }),
    // Lines that follow one another, as Asterisk's do.
    fc
      .tuple(fc.nat(names.length), fc.array(forged, { minLength: 1, maxLength: names.length }))
      .map(([from, lines]) => lines.map((each, i) => ({ ...each, name: names[from + i] ?? each.name }))),
  );
  /** Where the value stands: a number in the address is in two lines. */
  const chosen: Readonly<Record<string, (value: string) => Record<string, string>>> = {
    'the address': (value) => ({
      agi_network_script: `priority?number=${value}`,
      agi_request: `agi://pbx/priority?number=${value}`,
    }),
    agi_channel: (value) => ({ agi_channel: `Local/${value}` }),
    agi_extension: (value) => ({ agi_extension: value.slice(0, 79) }),
    agi_accountcode: (value) => ({ agi_accountcode: value.slice(0, 79) }),
    ...Object.fromEntries(
      ['callerid', 'calleridname', 'dnid', 'rdnis', 'arg_1'].map((name) => [
        `agi_${name}`,
        (value: string) => ({ [`agi_${name}`]: value }),
      ]),
    ),
    agi_arg_2: (value) => ({ agi_arg_1: '4711', agi_arg_2: value }),
  };
  for (const [where, fields] of Object.entries(chosen))
    test(where, () => {
      let believed = 0;
      fc.assert(
        fc.property(forgeries, fc.constantFrom('0', '35'), fc.constantFrom('', '\n'), (lines, pres, end) => {
          const tail = lines.map((each) => `${each.lineBreak}${each.name}: ${each.value}`).join('');
          const request = (value: string) => requestText({ agi_callingpres: pres, ...fields(value) });
          const truth = readRequest(request('+4930').trimEnd());
          const asked = requestsOf([request(`+4930${tail}${end}`)]);
          assert.equal(asked.length, 1);
          const [it] = asked as [AgiRequest];
          // Without a script nothing is looked up.
          if (it.script === '') return;
          for (const key of ['script', 'number', 'uniqueid', 'channel'] as const)
            assert.ok(
              it[key] === truth[key] || it[key] === '',
              `${key} ${it[key]} of ${JSON.stringify(tail)}`,
            );
          if (it.number !== '') assert.equal(it.isOwn, truth.isOwn);
          if (it.number === truth.number && it.uniqueid === truth.uniqueid) believed += 1;
        }),
        { numRuns: 2_000, seed: 4573 },
      );
      assert.ok(believed > 200, `only ${believed} requests were understood`);
    });
});

test('a request that goes on behind its end is not answered', () => {
  const text = requestText({ agi_callerid: `+4930${forgedBehind('agi_callerid')}\n` });
  const end = text.indexOf('\n\n') + 2;
  let session = step(newSession, { type: 'bytes', bytes: Buffer.from(text.slice(0, end)) }).session;
  const next = step(session, { type: 'bytes', bytes: Buffer.from(text.slice(end)) });
  assert.deepEqual(next.actions, [{ type: 'close', why: 'not-agi' }]);
  session = next.session;
  assert.deepEqual(step(session, { type: 'answer', commands: ['SET VARIABLE A 1'] }).actions, []);
});

test('a number with a line break ends there, and the call is still asked about', () => {
  const script = 'priority?number=+4930\nagi_uniqueid: 1763600000.9';
  const [asked] = requestsOf([
    requestText({ agi_network_script: script, agi_request: `agi://pbx/${script}` }),
  ]);
  assert.deepEqual([asked?.number, asked?.uniqueid], ['+4930', '1763600000.1']);
});

test('other programs may send fewer lines, but none twice', () => {
  const few = 'agi_request: agi://pbx/priority\nagi_uniqueid: 1.1\nagi_callerid: 4711\n';
  assert.deepEqual(requestsOf([`${few}\n`])[0]?.number, '4711');
  assert.deepEqual(requestsOf([`${few}agi_uniqueid: 1.2\n\n`])[0]?.uniqueid, '');
});

/** The requests in what a session receives. */
function requestsOf(pieces: readonly string[]): AgiRequest[] {
  let session = newSession;
  return pieces.flatMap((piece) => {
    const { session: next, actions } = step(session, { type: 'bytes', bytes: Buffer.from(piece) });
    session = next;
    return actions.flatMap((action) => (action.type === 'ask' ? action.request : []));
  });
}
