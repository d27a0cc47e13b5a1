import type { CallSettings } from '../../bridge/calls/rules.ts';
import { readNumber } from '../../shared/phone-number/normalise-number.ts';
import { isWithheld, numberIn } from '../../shared/phone-number/number-text.ts';
import { autoNotation, type Notation } from '../../shared/phone-number/trunk-notation.ts';
import { type Finding, passed } from './finding.ts';

type NumberSettings = Pick<CallSettings, 'defaultCountry' | 'trunkNumbers'>;

/** What is reported for a caller whom a trunk presents with this text: on the trunks of each rule, and on any other. */
export function numberFindings(text: string, settings: NumberSettings): Finding[] {
  const rules = settings.trunkNumbers ?? [];
  const other = { glob: rules.length > 0 ? 'any other trunk' : 'any trunk', notation: autoNotation };
  return [...rules, other].map(({ glob, notation }) =>
    passed(`number ${text} on ${glob}`, numberResult(text, notation, settings)),
  );
}

/** The number that is reported, and the rule that made it. */
export function numberResult(text: string, notation: Notation, { defaultCountry }: NumberSettings): string {
  if (isWithheld(text)) return 'withheld by its caller: reported as WITHHELD_NUMBER or not at all';
  if (numberIn(text) === '') return 'no number: reported as MISSING_NUMBER or WITHHELD_NUMBER, or not at all';
  const { number, how } = readNumber(text, defaultCountry, notation);
  return `reported as ${number} (${how})`;
}
