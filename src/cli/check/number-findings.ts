import { type CallSettings, numberToReport } from '../../bridge/calls/rules.ts';
import { isWithheld, numberIn } from '../../shared/phone-number/number-text.ts';
import { autoNotation, type Notation } from '../../shared/phone-number/trunk-notation.ts';
import { type Finding, passed } from './finding.ts';

/** What is reported for a caller whom a trunk presents with this text: on the trunks of each rule, and on any other. */
export function numberFindings(text: string, settings: CallSettings): Finding[] {
  const rules = settings.trunkNumbers;
  const other = { glob: rules.length > 0 ? 'any other trunk' : 'any trunk', notation: autoNotation };
  return [...rules, other].map(({ glob, notation }) =>
    passed(`number ${text} on ${glob}`, numberResult(text, notation, settings)),
  );
}

/** The number that is reported, and the rule that made it; or why none is. */
export function numberResult(text: string, notation: Notation, settings: CallSettings): string {
  const decided = numberToReport(
    settings,
    isWithheld(text)
      ? { lacks: 'withheld', seen: 'withheld by its caller' }
      : numberIn(text) === ''
        ? { lacks: 'missing', seen: 'no number' }
        : { text, notation },
  );
  return 'from' in decided ? `reported as ${decided.from} (${decided.how})` : `not reported: ${decided.why}`;
}
