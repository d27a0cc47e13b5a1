import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNumbers } from './read-numbers.ts';

/** What is written, the numbers in it, and the parts that are named; in Germany unless a country stands behind it. */
type Row = readonly [text: string, numbers: readonly string[], unread: readonly string[], country?: string];

const refused = (country: string, ...texts: string[]) =>
  texts.map((text): Row => [text, [], [text], country]);

const rows: Record<string, readonly Row[]> = {
  'other last digits are no number of their own': [
    ['030 901855 oder 01', ['+4930901855'], ['01']],
    ['030 901855 oder 21', ['+4930901855'], ['21']],
    ['030 901820/01', ['+4930901820'], ['01']],
    ['030 901820; 01', ['+4930901820'], ['01']],
    ['020 7219 3000/01', ['+442072193000'], ['01'], 'GB'],
    ['0142685300/01', ['+33142685300'], ['01'], 'FR'],
    ['212-736-5000 or 0124', ['+12127365000'], ['0124'], 'US'],
    ['212-736-5000 or (24)', ['+12127365000'], ['(24)'], 'US'],
  ],
  'a range is not one number': [
    ...refused('DE', '1001-1005', '1001 - 1005', '901820-21'),
    ...refused('BE', '02/2234567-68', '02/1234567-68'),
    ...refused('PT', '212345678-9'),
    ...refused('CN', '010-62345678-801', '021-62345678-0'),
    ...refused('IN', '022-22345678-79'),
    ...refused('CZ', '224 123 456-8'),
    ...refused('PL', '601-123-456-7'),
    ['1001–1005', [], ['1001-1005']],
    // Germany's numbers have any length: these are dialled.
    ['030 901820-21', ['+493090182021'], []],
  ],
  'what is not valid in its country is named': [
    ...refused('PL', '022 621 23 45', '0 601 123 456', '601 123 4567'),
    ...refused('CZ', '0224 123 456'),
    ...refused('AR', '15 4123-4567'),
    ...refused('NL', '06-123456789'),
    ...refused('CH', '079 474 38 1'),
    ...refused('FR', '01 42 68 53 0', '014268530', '01426853'),
    ...refused('BE', '0475 12 34 5'),
    ...refused('DE', '0048 601 123 4567', '90 18 20', '01', '0171'),
    ['22 621 23 45', ['+48226212345'], [], 'PL'],
    ['+48 601 123 4567', ['+486011234567'], [], 'PL'],
    // Where all numbers have one length, the range may be new.
    ['555 123 4567', ['+15551234567'], [], 'US'],
    ['31612345678', ['+31612345678'], [], 'FR'],
    ['901820', ['901820'], []],
    ['1001', ['1001'], []],
    ['*72', ['72'], []],
  ],
  'short labels of fax numbers': [
    ['T 030 901863 F 030 901864', ['+4930901863'], ['Fax 030 901864']],
    ['T: 030 901863, F: 030 901864', ['+4930901863'], ['Fax 030 901864']],
    ['030 901863 Fx 030 901864', ['+4930901863'], ['Fax 030 901864']],
    ['030 901863 (Fax) / 030 901864', ['+4930901864'], ['030 901863 Fax']],
    ['030 901863, (Fax) 030 901864', ['+4930901863'], ['Fax 030 901864']],
    ['030 901863; 030 901864 (F)', ['+4930901863'], ['030 901864 Fax']],
    ['8 495 123-45-67 факс 8 495 123-45-68', ['+74951234567'], ['Fax 8 495 123-45-68'], 'RU'],
    ['8 495 123-45-67, ф. 8 495 123-45-68', ['+74951234567'], ['Fax 8 495 123-45-68'], 'RU'],
    ['210 1234567 φαξ 210 1234568', ['+302101234567'], ['Fax 210 1234568'], 'GR'],
    ['T/F 030 901863', ['+4930901863'], []],
    ['Frau F. Meier 030 901863', ['+4930901863'], []],
  ],
};
for (const [what, ofThat] of Object.entries(rows))
  test(what, () => {
    for (const [text, numbers, unread, country = 'DE'] of ofThat) {
      const read = readNumbers(text, country);
      const found = { numbers: read.numbers, unread: read.unread.map((one) => one.text) };
      assert.deepEqual(found, { numbers, unread }, `${text} in ${country}`);
    }
  });
