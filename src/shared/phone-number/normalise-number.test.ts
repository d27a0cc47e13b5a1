import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCountries, Metadata } from 'libphonenumber-js/max';
import { normaliseNumber, readNumber } from './normalise-number.ts';
import { readTrunkNotation } from './trunk-notation.ts';
import { anywhere, exampleOf, inItsCountry } from './written-forms.fixture.ts';

/** What comes, the country, and the number that it is. */
const rows: Record<string, [raw: string, country: string | null | undefined, number: string][]> = {
  'numbers in all notations': [
    ['0201234567', 'NL', '+31201234567'],
    ['0031201234567', 'NL', '+31201234567'],
    ['+31 20 123-4567', undefined, '+31201234567'],
    ['0031201234567', undefined, '+31201234567'],
    ['0201234567', undefined, '0201234567'],
    ['31201234567', undefined, '31201234567'],
    ['31201234567', 'NL', '+31201234567'],
    ['030901820', 'XX', '030901820'],
    ['+49 (30) 90-18/20', null, '+4930901820'],
    ['0049 30 901820', 'DE', '+4930901820'],
    ['+49 030 901820', 'DE', '+4930901820'],
    ['00 1 212 555 0123', 'NL', '+12125550123'],
    ['(212) 555-0123', 'US', '+12125550123'],
    ['011 44 20 7946 0018', 'US', '+442079460018'],
    ['06 1234 5678', 'IT', '+390612345678'],
    ['tel:+31201234567', 'DE', '+31201234567'],
    ['sip:0201234567@10.0.0.1', 'NL', '+31201234567'],
    ['1001', 'DE', '1001'],
    ['112', 'DE', '112'],
    ['*21#', 'DE', '21'],
    ['7', null, '7'],
    ['+999', 'DE', '999'],
    ['alice7', 'DE', ''],
    ['anonymous', 'DE', ''],
    ['', 'DE', ''],
  ],
  'separators, pauses, percent signs, digits of other scripts, zeros': [
    ['030/1234567', 'DE', '+49301234567'],
    ['030.123.45-67', 'DE', '+49301234567'],
    ['030\u00a0123\u201145\u201367', 'DE', '+49301234567'],
    ['\u202a+49 30 1234567\u202c', 'DE', '+49301234567'],
    ['0301234567,12', 'DE', '+49301234567'],
    ['0301234567p12', 'DE', '+49301234567'],
    ['0301234567w,12#', 'DE', '+49301234567'],
    ['0301234567x12', 'DE', '+49301234567'],
    ['0301234567;ext=12', 'DE', '+49301234567'],
    ['7wonders', 'DE', ''],
    ['%2B49301234567', 'DE', '+49301234567'],
    ['sip:%2b49%2030%201234567@192.0.2.1', undefined, '+49301234567'],
    ['%zz', 'DE', ''],
    ['030%', 'DE', ''],
    ['０３０１２３４５６７', 'DE', '+49301234567'],
    ['＋４９３０１２３４５６７', undefined, '+49301234567'],
    ['٠٣٠١٢٣٤٥٦٧', 'DE', '+49301234567'],
    ['۰۳۰۱۲۳۴۵۶۷', 'DE', '+49301234567'],
    ['०३०', 'DE', '030'],
    ['0000000000', 'DE', '0000000000'],
    ['+0000', 'DE', '0000'],
    // The 0 for an outside line; Greece's numbers (+30) are longer.
    ['00301234567', 'DE', '+49301234567'],
    ['00201234567', 'NL', '+31201234567'],
    ['00442079460123', 'DE', '+442079460123'],
  ],
  'two zeros are international in countries that dial another prefix': [
    ['0031612345678', 'US', '+31612345678'],
    ['0031612345678', 'AU', '+31612345678'],
    ['0031612345678', 'RU', '+31612345678'],
    ['0031612345678', 'BR', '+31612345678'],
    ['0031612345678', 'JP', '+31612345678'],
    ['0011 31 6 1234 5678', 'AU', '+31612345678'],
    ['8 10 31 6 12345678', 'RU', '+31612345678'],
  ],
  "a trunk's own plus before what was dialled": [
    ['+011442079460018', 'US', '+442079460018'],
    ['+0044 20 7946 0018', 'DE', '+442079460018'],
    ['+0044 20 7946 0018', undefined, '+442079460018'],
    ['+0011442079460018', 'AU', '+442079460018'],
    ['+810442079460018', 'RU', '+442079460018'],
    ['+0301234567', 'DE', '+49301234567'],
    ['+0301234567', undefined, '0301234567'],
    // Japan's (81) own number.
    ['+81 3 1234 5678', 'RU', '+81312345678'],
    ['+81 0 3 1234 5678', 'RU', '+81312345678'],
    ['+119442079460018', 'CU', '+442079460018'],
    ['+0', 'DE', '0'],
  ],
  'what hides no number': [
    ['"0301234567"', 'DE', '+49301234567'],
    ['0301234567:5060', 'DE', '+49301234567'],
    ['sip:+49301234567@192.0.2.1:5060;user=phone', 'US', '+49301234567'],
    ['"Ann" <sip:0301234567@pbx.example.com>;tag=1', 'DE', '+49301234567'],
  ],
  'foreign E.164 without its plus, where no number of the country can be read in it': [
    ['31612345678', 'US', '+31612345678'],
    ['31612345678', 'FR', '+31612345678'],
    ['4915112345678', 'NL', '+4915112345678'],
    // In Germany it can: only the trunk can say.
    ['31612345678', 'DE', '+4931612345678'],
  ],
  "another PBX's extension is no number of this country": [
    ['100100', 'DE', '100100'],
    ['201234', 'DE', '201234'],
    ['4930110', 'DE', '4930110'],
    ['10010010', 'DE', '10010010'],
    ['0110', 'DE', '0110'],
    ['100100', 'NL', '100100'],
    ['100100', 'AT', '100100'],
    ['20012345', 'NO', '20012345'],
    // A new range that the library does not know yet.
    ['100100100', 'DE', '+49100100100'],
    // With its 0, a short number is a number: Leer in East Frisia.
    ['0491234', 'DE', '+49491234'],
  ],
  'E.164 without its plus, also where national numbers may begin with the calling code': [
    ['4915112345678', 'DE', '+4915112345678'],
    ['49 151 1234-5678', 'DE', '+4915112345678'],
    ['4930901820', 'DE', '+4930901820'],
    ['62812345678', 'ID', '+62812345678'],
    ['38343201234', 'XK', '+38343201234'],
    // Leer in East Frisia (0491) and Ditzum (04902), as dialled.
    ['0491123456', 'DE', '+49491123456'],
    ['04902123456', 'DE', '+494902123456'],
  ],
  'a national number that begins with the digits of its own calling code stays one': [
    ['9117081051', 'IN', '+919117081051'],
    ['9198765432', 'IN', '+919198765432'],
    ['481234567', 'PL', '+48481234567'],
    ['3912345678', 'IT', '+393912345678'],
    ['3904621557', 'IT', '+393904621557'],
    ['484619671', 'PL', '+48484619671'],
    ['55991234567', 'BR', '+5555991234567'],
    ['318239311', 'NL', '+31318239311'],
    ['7710009998', 'KZ', '+77710009998'],
    ['47123456', 'NO', '+4747123456'],
  ],
};
for (const [what, ofThat] of Object.entries(rows))
  test(what, () => {
    for (const [raw, country, number] of ofThat) assert.equal(normaliseNumber(raw, country), number, raw);
  });

test('a trunk that writes numbers in its own way', () => {
  const rows: [rule: string, raw: string, country: string | undefined, number: string, how: string][] = [
    ['e164', '4930901820', undefined, '+4930901820', 'E.164 without its plus'],
    ['e164', '12125550123', 'DE', '+12125550123', 'E.164 without its plus'],
    ['e164', '+12125550123', 'DE', '+12125550123', 'an international number'],
    ['e164', '0012125550123', 'DE', '+12125550123', 'an international number'],
    ['e164', '0031612345678', 'AU', '+31612345678', 'an international number'],
    ['e164', '030901820', 'DE', '+4930901820', 'as dialled in DE'],
    ['e164', '1001', 'DE', '1001', 'its digits alone: too short for more'],
    ['national', '4915112345678', 'DE', '+494915112345678', 'a national number of DE'],
    ['national', '30901820', 'DE', '+4930901820', 'a national number of DE'],
    ['national', '030901820', 'DE', '+4930901820', 'a national number of DE'],
    ['national', '0612345678', 'IT', '+390612345678', 'a national number of IT'],
    ['national', '0012125550123', 'DE', '+12125550123', 'an international number'],
    ['national', '01112125550123', 'US', '+12125550123', 'as dialled in US'],
    ['national', '+12125550123', 'DE', '+12125550123', 'an international number'],
    ['national', '030901820', undefined, '030901820', 'its digits alone: no DEFAULT_COUNTRY to read it in'],
    ['strip=0', '0030901820', 'DE', '+4930901820', 'as dialled in DE'],
    ['strip=0', '00012125550123', 'DE', '+12125550123', 'an international number'],
    ['as-is', '0031612345678', 'US', '0031612345678', 'as it is'],
    ['strip=0', '+4930901820', 'DE', '+4930901820', 'an international number'],
    ['national:strip=9', '9030901820', 'DE', '+4930901820', 'a national number of DE'],
    ['e164:strip=77', '774930901820', 'DE', '+4930901820', 'E.164 without its plus'],
    ['as-is', '030 901820', 'DE', '030901820', 'as it is'],
    ['as-is', '+49 30 901820', 'DE', '+4930901820', 'as it is'],
    ['as-is:strip=0', '0100100', 'DE', '100100', 'as it is'],
  ];
  for (const [rule, raw, country, number, how] of rows) {
    const notation = readTrunkNotation(`PJSIP/a-*:${rule}`)?.notation;
    assert.ok(notation, rule);
    const reading = { number, how: `TRUNK_NUMBERS=PJSIP/a-*:${rule}: ${how}` };
    assert.deepEqual(readNumber(raw, country, notation), reading, `${rule} ${raw}`);
  }
  assert.deepEqual(readNumber('030901820', 'DE'), { number: '+4930901820', how: 'as dialled in DE' });
});

const homes = ['DE', 'US', 'AU', 'RU', 'BR', 'IN', 'IT', 'JP', 'GB', 'XK'];

test("every country's example number is the same number in every notation", (context) => {
  let read = 0;
  /** Bare national numbers as short as an extension: they stay as they are. */
  const short: string[] = [];
  for (const country of getCountries()) {
    const example = exampleOf(country);
    const { number } = example;
    const notations = [
      ...inItsCountry(example).map((text) => [text, country] as const),
      [example.nationalNumber, country] as const,
      ...[null, ...homes].flatMap((home) => anywhere(example).map((text) => [text, home] as const)),
    ];
    for (const [text, home] of notations) {
      const isShort = text.replace(/\D/g, '').length < 6;
      if (isShort) short.push(`${country} ${text}`);
      else assert.equal(normaliseNumber(text, home), number, `${text} in ${home}`);
      read += 1;
    }
  }
  context.diagnostic(`${read} notations of ${getCountries().length} countries; read as extensions: ${short}`);
  assert.equal(read, 245 * (8 + 1 + 11 * 8));
  assert.deepEqual([...new Set(short.map((it) => it.slice(0, 2)))], ['AC', 'CK', 'FK', 'SH', 'TA', 'TK']);
});

test("a plus before any country's own international prefix changes nothing", () => {
  for (const country of getCountries()) {
    const plan = new Metadata();
    plan.selectNumberingPlan(country);
    const prefix = plan.numberingPlan?.defaultIDDPrefix() ?? plan.numberingPlan?.IDDPrefix() ?? '';
    const dialled = `${/^\d+$/.test(prefix) ? prefix : '00'}442079460018`;
    assert.equal(readNumber(`+${dialled}`, country).number, readNumber(dialled, country).number, country);
  }
});

test('on a trunk that writes so by TRUNK_NUMBERS, digits are E.164 without plus in every country', () => {
  const notation = readTrunkNotation('*:e164');
  for (const country of getCountries()) {
    const { number } = exampleOf(country);
    const digits = number.slice(1);
    for (const home of [country, ...homes])
      assert.equal(readNumber(digits, home, notation?.notation).number, number, `${digits} in ${home}`);
  }
});
