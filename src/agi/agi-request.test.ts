import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requestText } from './agi-request.fixture.ts';
import { type AgiRequest, readRequest } from './agi-request.ts';

describe('the request of the dialplan', () => {
  const script = (text: string) => ({ agi_network_script: text });
  const rows: [string, string, Pick<AgiRequest, 'script' | 'number' | 'queuePrio' | 'setName'>][] = [
    ["the caller's own number", requestText(), { script: 'priority', number: '+4940669690101' }],
    ['the first argument', requestText({}, ['4711', '4712']), { script: 'priority', number: '4711' }],
    ['an empty argument is none', requestText({}, ['']), { script: 'priority', number: '+4940669690101' }],
    ['?number=', requestText(script('priority?number=4711')), { script: 'priority', number: '4711' }],
    [
      '?number= with a plus as it is and in its code',
      requestText(script('priority?x=1&number=+49%2B1')),
      { script: 'priority', number: '+49+1' },
    ],
    [
      'the argument goes before ?number=',
      requestText(script('priority?number=1'), ['2']),
      { script: 'priority', number: '2' },
    ],
    [
      'an empty ?number= is none',
      requestText(script('priority?number=')),
      { script: 'priority', number: '+4940669690101' },
    ],
    [
      'a line break in its code is none',
      requestText(script('priority?number=%0a49%0D%0a30%00')),
      { script: 'priority', number: '49  30' },
    ],
    [
      '?queue_prio=yes',
      requestText(script('priority?queue_prio=yes')),
      { script: 'priority', number: '+4940669690101', queuePrio: true },
    ],
    [
      '?queue_prio=no',
      requestText(script('/priority/?queue_prio=no')),
      { script: 'priority', number: '+4940669690101', queuePrio: false },
    ],
    [
      '?set_name=yes',
      requestText(script('priority?set_name=yes&queue_prio=no')),
      { script: 'priority', number: '+4940669690101', queuePrio: false, setName: true },
    ],
    [
      '?queue_prio=constructor',
      requestText(script('priority?queue_prio=constructor')),
      { script: 'priority', number: '+4940669690101' },
    ],
    ['another script', requestText(script('weather')), { script: 'weather', number: '+4940669690101' }],
    [
      'no line that names the script: the request has it too',
      'agi_request: agi://[::1]:4573/priority?number=7\n',
      { script: 'priority', number: '7' },
    ],
    ['a request without a script', 'agi_request: agi://pbx\n', { script: '', number: '' }],
    ['no caller', requestText({ agi_callerid: 'unknown' }), { script: 'priority', number: 'unknown' }],
    ['no lines', '', { script: '', number: '' }],
    [
      'lines without colon, name or sense',
      ': x\n\u0000\nagi_callerid\nagi_callerid: 1\n__proto__: 2',
      { script: '', number: '1' },
    ],
    [
      'a number that the caller keeps back is nobody',
      requestText({ agi_callingpres: '35' }),
      { script: 'priority', number: '' },
    ],
    [
      'unless the dialplan gives it',
      requestText({ agi_callingpres: '35' }, ['4711']),
      { script: 'priority', number: '4711' },
    ],
  ];
  for (const [name, text, expected] of rows)
    test(name, () => {
      const { isOwn: _, uniqueid: __, channel: ___, ...request } = readRequest(text);
      assert.deepEqual(request, expected);
    });

  const givers: [string, string, Pick<AgiRequest, 'isOwn' | 'uniqueid'>][] = [
    ['the caller', requestText(), { isOwn: true, uniqueid: '1763600000.1' }],
    ['the first argument', requestText({}, ['4711']), { isOwn: false, uniqueid: '1763600000.1' }],
    ['?number=', requestText(script('priority?number=1')), { isOwn: false, uniqueid: '1763600000.1' }],
    ['no lines', '', { isOwn: true, uniqueid: '' }],
  ];
  for (const [name, text, expected] of givers)
    test(`whose number it is: ${name}`, () => {
      const { isOwn, uniqueid } = readRequest(text);
      assert.deepEqual({ isOwn, uniqueid }, expected);
    });
});
