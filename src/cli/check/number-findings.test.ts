import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReportRule } from '../../bridge/calls/report-rules.ts';
import { callSettings } from '../../bridge/calls/rules.fixture.ts';
import { countries } from '../../shared/phone-number/normalise-number.ts';
import { anywhere, exampleOf, inItsCountry } from '../../shared/phone-number/written-forms.fixture.ts';
import { numberFindings } from './pbx-findings.ts';

test('check --number reads the numbers of 245 countries in eight ways of writing, at home and abroad', () => {
  const all = countries();
  for (const country of all) {
    const example = exampleOf(country);
    const texts = [
      ...inItsCountry(example).map((text) => [text, country] as const),
      ...anywhere(example).map((text) => [text, 'US'] as const),
    ];
    for (const [text, defaultCountry] of texts) {
      if (text.replace(/\D/g, '').length < 6) continue;
      const [finding] = numberFindings(text, { ...callSettings, defaultCountry });
      const reported = new RegExp(`^reported as \\${example.number} \\(`);
      assert.match(finding?.result ?? '', reported, `${text} in ${defaultCountry}`);
    }
  }
  assert.equal(all.length, 245);
});

test('check --number names the rule that ignores a caller, and no rule that looks at more', () => {
  const reportRules = ['report caller 0301*', 'ignore caller 030*', 'ignore *'].flatMap(
    (rule) => readReportRule(rule) ?? [],
  );
  const result = (text: string) =>
    numberFindings(text, { ...callSettings, defaultCountry: 'DE', reportRules })[0]?.result;
  assert.equal(
    result('030901820'),
    'reported as +4930901820 (as dialled in DE); its calls are ignored by REPORT_RULES: ignore caller 030*',
  );
  for (const [text, number] of [
    ['0301234567', '+49301234567'],
    ['089123456', '+4989123456'],
  ] as const)
    assert.equal(result(text), `reported as ${number} (as dialled in DE)`);
});

test('check --number says what a word is that a carrier writes with the digits of a keypad', () => {
  const result = (text: string) => {
    const settings = { ...callSettings, defaultCountry: 'US', withheldNumber: '000', missingNumber: '0000' };
    return numberFindings(text, settings)[0]?.result;
  };
  assert.equal(result('7378742833'), 'reported as 000 (withheld by its caller)');
  assert.equal(result('+86282452253'), 'reported as 0000 (no number)');
});
