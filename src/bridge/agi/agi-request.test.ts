import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestText } from './agi-request.fixture.ts';
import { type AgiRequest, readRequest } from './agi-request.ts';

const own = '+4940669690101';
const script = (text: string, args: string[] = []) => requestText({ agi_network_script: text }, args);
const ofPriority = (number: string, more: Partial<AgiRequest> = {}) => ({
  script: 'priority',
  number,
  ...more,
});

const rows: [string, string, Pick<AgiRequest, 'script' | 'number' | 'queuePrio' | 'setName'>][] = [
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
  ['a number that the caller keeps back is nobody', requestText({ agi_callingpres: '35' }), ofPriority('')],
  ['unless the dialplan gives it', requestText({ agi_callingpres: '35' }, ['4711']), ofPriority('4711')],
];
for (const [name, text, expected] of rows)
  test(`the request of the dialplan: ${name}`, () => {
    const { isOwn: _, uniqueid: __, channel: ___, ...request } = readRequest(text);
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
});
