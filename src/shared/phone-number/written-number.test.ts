import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writtenNumber } from './written-number.ts';

const forms: Record<string, readonly string[]> = {
  '+4930901820': [
    '+4930901820',
    '004930901820',
    '00 49 30 / 90 18 20',
    '030901820',
    '(030) 90 18-20',
    '+49 (0)30 901820',
    '%2B4930901820',
    '%2B49%2030%20901820',
    '030+90+18+20',
    '030\\/901820',
    '49-30-901820',
    '030.901.820',
    '30901820',
    '(030) - 901820',
    '(030) / 90 18 20',
    '030  -  901820',
    '030_901820',
    '030|901820',
    '030·90·18·20',
    '030\u2212901820',
    '030\u00ad901820',
    '[030] {90}1820',
    "030'901*820",
    '030&nbsp;901820',
    '0\ufe0f\u20e33\ufe0f\u20e30\ufe0f\u20e3901820',
    '０３０９０１８２０',
    '＋４９（０）３０　９０１８－２０',
    '+٤٩٣٠٩٠١٨٢٠',
    '۰۳۰ ۹۰۱۸۲۰',
    '०३० ९०१८२०',
    '๐๓๐-๙๐๑๘๒๐',
    encodeURIComponent('०३०/९०१८२०'),
    encodeURIComponent('๐๓๐ ๙๐๑๘๒๐'),
    '\\u0966\\u0969\\u0966\\u096f\\u0966\\u0967\\u096e\\u0968\\u0966',
    '𝟎𝟑𝟎 𝟗𝟎𝟏𝟖𝟐𝟎',
    '\\ud835\\udfce\\ud835\\udfd1\\ud835\\udfce901820',
    '+49\u202a 30\u200b901820',
    encodeURIComponent('０３０－９０１８２０'),
    encodeURIComponent('+٤٩ ٣٠ ٩٠١٨٢٠'),
    encodeURIComponent('۰۳۰۹۰۱۸۲۰'),
    '\\uff10\\uff13\\uff10\\u0669\\u0660\\u0661\\u0668\\u0662\\u0660',
  ],
  '+31208884321': ['020-888-43-21', '0031208884321', '+31 (0) 20 888 43 21', '020 - 888 43 21'],
  '+12125550123': ['(212) 555-0123', '1-212-555-0123', '212.555.0123', '2125550123', '+1 212 555 0123'],
  '+390612345678': ['06 1234 5678', '+39 06 12345678', '00390612345678'],
  '+79161234567': ['8 (916) 123-45-67', '+7 916 123-45-67'],
  '+3612345678': ['06 1 234 5678', '+36 1 234 5678'],
};

test('a number is found in every way of writing it, wherever it stands', () => {
  for (const [number, written] of Object.entries(forms))
    for (const form of written)
      for (const text of [form, `call ${form}, please`, `a=%20${form}&b=1`, `"from":"${form}"`])
        assert.equal(text.replace(writtenNumber(number), '*').includes('*'), true, `${number} in ${text}`);
  for (const [number, written] of Object.entries(forms))
    for (const form of written)
      assert.match(form.replace(writtenNumber(number), ''), /^$/, `${number} as ${form} is found as a whole`);
});

test('digits beside a number make it another one', () => {
  for (const text of [
    '+493090182011',
    '1030901820',
    '0309018201',
    '+4930901821',
    '1234930901820',
    '030 90182',
    '１30901820',
    '0309018201',
    '030901820٣',
    encodeURIComponent('５３０９０１８２０'),
    encodeURIComponent('０３０９０１８２０１'),
    '\\u06651030901820',
  ])
    assert.equal(writtenNumber('+4930901820').test(text), false, text);
  assert.equal(writtenNumber('110').test('at 110 km/h'), false);
  for (const text of ['110', '１１０', '١١٠']) assert.equal(writtenNumber('110').test(text), true);
});
