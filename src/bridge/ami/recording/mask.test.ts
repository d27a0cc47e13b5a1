import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTrunkNotation } from '../../../shared/phone-number/trunk-notation.ts';
import { readDeviceName } from '../../calls/device-name.ts';
import { type CallFacts, decidingRule, readReportRule } from '../../calls/report-rules.ts';
import { callSettings } from '../../calls/rules.fixture.ts';
import { type CallSettings, createRules } from '../../calls/rules.ts';
import { createMasker, withMaskedDigits } from './mask.ts';

const mask = createMasker(Buffer.from('a key'));
const masked = (text: string) => mask(Buffer.from(text, 'latin1')).toString('latin1');

const rulesOf = (...texts: string[]) => texts.map(readReportRule).filter((it) => it !== undefined);

/** Masks one line by these settings. */
function maskFor(settings: Partial<CallSettings>): (line: string) => string | undefined {
  const masker = createMasker(Buffer.from('a key'), { rules: createRules({ ...callSettings, ...settings }) });
  return (line) =>
    masker(Buffer.from(`${line}\r\nX: y`))
      .toString()
      .split('\r\n')[0];
}

describe('a recording is masked', () => {
  test('numbers keep their length and beginning, and are the same in both forms, in every field', () => {
    const [national, international, inName] = masked(
      'CallerIDNum: 030123456\r\nDialString: trunk/sip:+4930123456@10.0.0.1\r\nChannel: Local/030123456@out-00000001;1',
    ).split('\r\n') as [string, string, string];
    const subscriber = /^CallerIDNum: 030(\d{6})$/.exec(national)?.[1] ?? '';
    assert.notEqual(subscriber, '');
    assert.notEqual(subscriber, '123456');
    assert.equal(international, `DialString: trunk/sip:+4930${subscriber}@10.0.0.1`);
    assert.equal(inName, `Channel: Local/030${subscriber}@out-00000001;1`);
  });

  test('names have a stand-in each, the same for the same name', () => {
    const [one, two, three] = ['Jane Doe', 'Jane Doe', 'John'].map((name) =>
      masked(`CallerIDName: ${name}\r\nUniqueid: 1.1`),
    );
    assert.match(one ?? '', /^CallerIDName: Caller [0-9a-f]{6}\r\nUniqueid: 1\.1$/);
    assert.equal(one, two);
    assert.notEqual(one, three);
  });

  for (const text of [
    'Uniqueid: 1763600000.12345',
    'Channel: PJSIP/1001-00000026',
    'Channel: Local/1001@ring-12345678;2',
    'BridgeUniqueid: 12345678-1234-1234-1234-123456789012',
    'CallerIDName: <unknown>',
    'CallerIDName: ',
    'CallerIDNum: anonymous',
    'CallerIDNum: 0000000000',
    'CallerIDNum: 1001',
    'CallerIDNum: 10001',
    'Channel: PJSIP/991001-00000026',
    'Context: from-trunk',
  ])
    test(`stays: ${text}`, () => assert.equal(masked(`${text}\r\nx: y`), `${text}\r\nx: y`));

  test('a name by which the settings know a trunk is kept, and no other', () => {
    const text = maskFor({
      inboundChannels: ['PJSIP/493012345-*', 'DAHDI/*'],
      notAPerson: ['PJSIP/493012346'],
    });
    for (const kept of [
      'Channel: PJSIP/493012345-00000001',
      'DestChannel: PJSIP/493012345-00000001',
      'Channel: PJSIP/493012346-00000001',
    ])
      assert.equal(text(kept), kept);
    for (const name of [
      'Channel: DAHDI/i1/030123456-1',
      'Exten: 493012345',
      'Channel: PJSIP/493099999-00000001',
    ])
      assert.notEqual(text(name), name);
  });

  test('the number of a phone that the settings name is kept in all fields, and no number of a caller', () => {
    const deviceNames = [readDeviceName('99*=*'), readDeviceName('0*=*')].filter((it) => it !== undefined);
    const text = maskFor({ deviceNames, notAPerson: ['PJSIP/8000001'] });
    for (const phone of ['9910001', '8000001']) {
      const channel = `Channel: PJSIP/${phone}-00000001`;
      assert.equal(text(channel), channel);
      for (const kept of [`DialString: ${phone}/sip:${phone}@10.0.0.1`, `CallerIDNum: ${phone}`])
        assert.equal(text(kept), kept);
    }
    for (const hidden of [
      'Channel: SIP/030123456-00000001',
      'CallerIDNum: 030123456',
      'CallerIDNum: 9910002',
    ])
      assert.notEqual(text(hidden), hidden);
  });

  test('a number by whose last digits REPORT_RULES decides is kept however it is written, and no other', () => {
    const firm = rulesOf(
      'report called +4930231251*',
      'ignore caller *7',
      'ignore channel PJSIP/4930*99',
      'ignore *',
    );
    const text = maskFor({ defaultCountry: 'DE', reportRules: firm });
    for (const kept of [
      'Exten: 4930231251116',
      'Exten: 030231251116',
      'Value: +4930231251116',
      'CallerIDNum: +491601234567',
      'Channel: PJSIP/493012345699-00000001',
    ])
      assert.equal(text(kept), kept);
    for (const hidden of ['Exten: 4930231999999', 'Channel: PJSIP/493012345698-00000001'])
      assert.notEqual(text(hidden), hidden);
    const short = maskFor({
      defaultCountry: 'DE',
      reportRules: rulesOf('ignore caller +49160*', 'ignore *'),
    });
    assert.match(short('CallerIDNum: +491601234567') ?? '', /^CallerIDNum: \+491601(?!234567)\d{6}$/);
    const trunkNumbers = [readTrunkNotation('PJSIP/a:strip=9')].filter((it) => it !== undefined);
    const number = 'CallerIDNum: 901601234567';
    const reportRules = rulesOf('ignore caller +49160123456*');
    assert.equal(maskFor({ defaultCountry: 'DE', trunkNumbers, reportRules })(number), number);
  });

  test('bytes that are no text stay as they are, and another key gives other stand-ins', () => {
    assert.equal(masked('X: \xff\xfe'), 'X: \xff\xfe');
    const other = createMasker(Buffer.from('another'))(Buffer.from('CallerIDNum: 030123456')).toString();
    assert.notEqual(other, masked('CallerIDNum: 030123456'));
  });
});

describe('a rule that asks for masked digits is named, if a real number might have them', () => {
  const facts: CallFacts = {
    caller: '+491601234567',
    called: '4930231251116',
    channel: 'PJSIP/493012345698-0000002a',
  };
  // biome-ignore format: one case a line
  for (const [text, isUnsure] of [
    ['ignore caller +49160*', false], ['ignore caller +49170*', false], ['ignore caller +4916019*', true], ['ignore caller *8', true],
    ['ignore caller +491601234567', false], ['ignore caller +49160[2-9]*', false], ['ignore caller +491601[2-9][89]*', true],
    ['report called +49302312*', false], ['report called 03023199*', true], ['report called 03024*', false],
    ['ignore extension 493023199[!9]*', true], ['ignore extension 600', false], ['ignore *', false],
    ['ignore channel PJSIP/4930129*', true], ['ignore channel PJSIP/493013*', false], ['ignore channel PJSIP/4931*', false],
  ] as const)
    test(text, () => {
      const { rules, unsure } = withMaskedDigits(rulesOf(text));
      decidingRule({ reportRules: rules, defaultCountry: 'DE' }, facts);
      assert.deepEqual([...unsure], isUnsure ? [text] : []);
    });
});
