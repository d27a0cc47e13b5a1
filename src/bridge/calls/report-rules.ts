import { dialledForms, normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import { endpointOf } from './channel-name.ts';
import { channelMatcher, globMatcher, isGlob } from './glob.ts';

/** What a rule looks at: one fact of a call, or none (`*`). */
type Subject = 'called' | 'caller' | 'extension' | 'channel' | '*';

/** An entry of REPORT_RULES, such as `ignore caller +49160*`. */
export type ReportRule = {
  /** As the operator wrote it, with single blanks. */
  readonly text: string;
  readonly action: 'report' | 'ignore';
  readonly subject: Subject;
  /** True for a text that its pattern matches. */
  readonly matches: (text: string) => boolean;
  /** The same of a text in which `x` stands for each digit that is not known: whether it may match. */
  readonly mayMatch: (text: string) => boolean;
};

/** The table as it is configured, and the country in which its numbers are dialled. */
export type ReportRules = {
  readonly reportRules: readonly ReportRule[];
  readonly defaultCountry?: string | undefined;
};

/** What rules are asked about. An absent or empty fact is unknown, and no pattern matches it. */
export type CallFacts = {
  /** The caller's number as it is reported, also one that stands in for a withheld or missing one. */
  readonly caller?: string | undefined;
  /** The number called, as it came in: the extension in which the call entered the dialplan. */
  readonly called?: string | undefined;
  /** The name of the caller's channel, `PJSIP/provider-0000002a`. */
  readonly channel?: string | undefined;
};

const entry =
  /^(?<action>report|ignore)\s+(?:\*|(?<subject>called|caller|extension|channel)\s+(?<pattern>\S+))$/;

/** The characters of a glob of numbers. */
const numberPattern = /^[+\d*?[\]!^-]+$/;

/** Reads an entry of REPORT_RULES; undefined if it is none. */
export function readReportRule(text: string): ReportRule | undefined {
  const found = entry.exec(text)?.groups;
  if (found === undefined) return undefined;
  const {
    action,
    subject = '*',
    pattern = '*',
  } = found as Record<string, string> & Pick<ReportRule, 'action' | 'subject'>;
  const isNumber = subject === 'called' || subject === 'caller';
  if (!isGlob(pattern) || (isNumber && !numberPattern.test(pattern))) return undefined;
  const matcher = subject === 'channel' ? channelMatcher : globMatcher;
  const matches = matcher([pattern]);
  return {
    text: text.replace(/\s+/g, ' '),
    action,
    subject,
    matches,
    mayMatch: matcher([withUnknown(pattern)]),
  };
}

/** The glob whose digits also match an `x`. */
const withUnknown = (pattern: string): string =>
  pattern.replace(/\[([!^]?)([^\]]*)\]|\d/g, (found, not?: string, listed = found) =>
    not ? found : `[${listed}x]`,
  );

/** The first rule of the table that matches a call; undefined if none does: then the call is reported. */
export function decidingRule(
  { reportRules, defaultCountry }: ReportRules,
  { caller = '', called = '', channel = '' }: CallFacts,
): ReportRule | undefined {
  const texts: Readonly<Record<Exclude<Subject, '*'>, () => readonly string[]>> = {
    called: () => {
      const forms = dialledForms(normaliseNumber(called, defaultCountry), defaultCountry);
      return forms.length === 0 ? forms : [called, ...forms];
    },
    caller: () => dialledForms(caller, defaultCountry),
    extension: () => [called],
    channel: () => [channel, endpointOf(channel)],
  };
  // A table may have hundreds of rules about one number.
  const known: Partial<Record<Exclude<Subject, '*'>, readonly string[]>> = {};
  return reportRules.find(({ subject, matches }) => {
    if (subject === '*') return true;
    known[subject] ??= texts[subject]();
    return known[subject].some((text) => text !== '' && matches(text));
  });
}

/** No pattern of a rule has blanks. */
const undecided = ', since the number called is unknown (';

/** Why a call is ignored, with the rule that says so; undefined for a call that is reported. */
export function whyIgnored(rules: ReportRules, facts: CallFacts): string | undefined {
  const rule = decidingRule(rules, facts);
  if (rule?.action !== 'ignore') return undefined;
  const before = rules.reportRules.slice(0, rules.reportRules.indexOf(rule));
  const unasked = facts.called ? undefined : before.find((one) => one.action === 'report' && asksCalled(one));
  return `REPORT_RULES: ${rule.text}${unasked === undefined ? '' : `${undecided}${unasked.text})`}`;
}

/** Whether a call is ignored only because a rule that may report it could not be asked. */
export const isUndecided = (why: string): boolean =>
  why.startsWith('REPORT_RULES: ') && why.includes(undecided);

/** True if a rule must know the number that was called. */
export function needsNumberCalled({ reportRules }: ReportRules): boolean {
  return reportRules.some(asksCalled);
}

const asksCalled = ({ subject }: ReportRule): boolean => subject === 'called' || subject === 'extension';

/** The rules that decide about a number without a call: a lookup of any number, say. */
export function rulesByCaller({ reportRules, defaultCountry }: ReportRules): ReportRules {
  return { reportRules: reportRules.filter(({ subject }) => subject === 'caller'), defaultCountry };
}

/** True for `ignore *`: where a PBX has several firms, each bridge ends with it. */
export const ignoresOthers = ({ action, subject }: ReportRule): boolean =>
  action === 'ignore' && subject === '*';

/** The entries behind one that decides about every call: they can never match. */
export function unreachableRules(rules: readonly ReportRule[]): readonly ReportRule[] {
  const last = rules.findIndex(({ subject }) => subject === '*');
  return last < 0 ? [] : rules.slice(last + 1);
}
