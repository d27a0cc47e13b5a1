import { type CallFacts, decidingRule, type ReportRules } from '../../bridge/calls/report-rules.ts';
import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import { count } from '../text/format-text.ts';
import { type Finding, passed, warning } from './finding.ts';

/** A bridge on this PBX, and which calls it reports. */
export type RuledBridge = ReportRules & { readonly name: string };

/** Most numbers that one finding names. */
const mostNamed = 5;

/**
 * Which calls several bridges of one PBX report, and which none: each reports to an account of its own.
 * @param calls those that came in lately.
 */
export function ruleFindings(bridges: readonly RuledBridge[], calls: readonly CallFacts[]): Finding[] {
  if (bridges.length < 2) return [];
  const doubledOf = (facts: CallFacts) => {
    const takers = bridges.flatMap((bridge) => takenBy(bridge, facts) ?? []);
    return takers.length > 1 ? [{ facts, why: takers.join(' and ') }] : [];
  };
  const real = calls.flatMap(doubledOf);
  const possible = [...samples(bridges), {}]
    .flatMap(doubledOf)
    .filter(({ why }) => real.every((it) => it.why !== why));
  const doubled = groups([...real, ...possible], bridges);
  const missed = groups(
    calls.flatMap((facts) => (isNobodys(bridges, facts) ? [{ facts, why: '' }] : [])),
    bridges,
  );
  const findings = [
    ...doubled.map(({ why, named }) =>
      warning(
        'REPORT_RULES',
        `${named} are reported by ${why}`,
        'Let one of these bridges ignore them: each reports to an account of its own.',
      ),
    ),
    ...missed.map(({ named }) =>
      warning(
        'REPORT_RULES',
        `${named} are reported by none of ${bridges.map(({ name }) => name).join(', ')}`,
        'Report them with one of these bridges. If nobody wants them, say so with a rule such as ignore called NUMBER.',
      ),
    ),
  ];
  if (findings.length > 0) return findings;
  const names = bridges.map(({ name }) => name).join(', ');
  const lately = calls.length === 0 ? '' : `; ${count(calls.length, 'call')} of the last days compared`;
  return [passed('REPORT_RULES', `no call is reported by two of ${names}, or missed by all${lately}`)];
}

/** `firm-a (report called +4930*)`; undefined if it ignores such a call. */
function takenBy(bridge: RuledBridge, facts: CallFacts): string | undefined {
  const rule = decidingRule(bridge, facts);
  if (rule?.action === 'ignore') return undefined;
  return `${bridge.name} (${rule?.text ?? (bridge.reportRules.length > 0 ? 'no rule ignores them' : 'no rules')})`;
}

/** True for a call that every bridge ignores, and none by a rule of its own for such calls. */
function isNobodys(bridges: readonly RuledBridge[], facts: CallFacts): boolean {
  const rules = bridges.map((bridge) => decidingRule(bridge, facts));
  return rules.every((rule) => rule?.action === 'ignore' && rule.subject === '*');
}

/** A call for each rule that reports, as its pattern is written: overlaps are seen before such a call comes. */
function samples(bridges: readonly RuledBridge[]): CallFacts[] {
  return bridges.flatMap(({ reportRules }) =>
    reportRules.flatMap(({ action, subject, text, matches }): CallFacts[] => {
      if (action === 'ignore' || subject === '*') return [];
      const sample = sampleOf(text.split(' ').at(-1) ?? '');
      return matches(sample) ? [{ [subject === 'extension' ? 'called' : subject]: sample }] : [];
    }),
  );
}

/** A text that the glob may match. */
export const sampleOf = (glob: string): string =>
  glob
    .replaceAll('*', '')
    .replaceAll('?', '0')
    .replace(/\[(.)[^\]]*\]/g, '$1');

/** Calls of which the same is true, by the numbers called. */
function groups(
  found: readonly { readonly facts: CallFacts; readonly why: string }[],
  [bridge]: readonly RuledBridge[],
): { readonly why: string; readonly named: string }[] {
  return Map.groupBy(found, ({ why }) => why)
    .entries()
    .map(([why, all]) => {
      const names = [...new Set(all.map(({ facts }) => nameOf(facts, bridge?.defaultCountry)))];
      const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
      return { why, named: `calls ${names.slice(0, mostNamed).join(', ')}${more}` };
    })
    .toArray();
}

function nameOf({ called, channel, caller }: CallFacts, country: string | undefined): string {
  if (called) return `to ${normaliseNumber(called, country) || called}`;
  if (channel) return `on ${channel}`;
  return caller ? 'from a number with a rule' : 'that no rule names';
}
