import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallFacts, readReportRule } from '../../bridge/calls/report-rules.ts';
import { type RuledBridge, ruleFindings } from './rule-findings.ts';

/** A bridge with these rules; without any for ''. */
function bridge(name: string, text: string): RuledBridge {
  const reportRules = text.split(', ').flatMap((item) => {
    const rule = readReportRule(item);
    assert.ok(rule || text === '', item);
    return rule ?? [];
  });
  return { name, reportRules, defaultCountry: 'DE' };
}

const to = (...called: string[]): CallFacts[] =>
  called.map((it) => ({ called: it, channel: 'PJSIP/isp-1', caller: '+491601234567' }));
const [a, b] = [
  bridge('firm-a', 'report called +4930123*, ignore *'),
  bridge('firm-b', 'report called +4930456*, ignore *'),
];

// biome-ignore format: one case a line
const found: readonly [name: string, bridges: RuledBridge[], calls: CallFacts[], ...says: string[]][] = [
  ['one bridge', [a], to('0309999')],
  ['each its own calls', [a, b], to('0301231', '+4930456'), 'no call is reported by two of firm-a, firm-b, or missed by all; 2 calls of the last days compared'],
  ['no call yet', [a, b], [], 'no call is reported by two of firm-a, firm-b, or missed by all'],
  ['one has no rules', [bridge('bridge', ''), a], to('0301231', '0309999'),
    'calls to +49301231 are reported by bridge (no rules) and firm-a (report called +4930123*)'],
  ['two have none', [bridge('bridge', ''), bridge('firm-a', '')], to('0309999'),
    'calls to +49309999 are reported by bridge (no rules) and firm-a (no rules)'],
  ['before such a call comes', [a, bridge('firm-b', 'report called +49301*, ignore *')], [],
    'calls to +4930123 are reported by firm-a (report called +4930123*) and firm-b (report called +49301*)'],
  ['by a pattern of another kind', [a, bridge('firm-b', 'report extension 0301?[39], ignore *')], to('030123'),
    'calls to +4930123 are reported by firm-a (report called +4930123*) and firm-b (report extension 0301?[39])'],
  ['by the channel', [bridge('firm-a', 'report channel PJSIP/isp, ignore *'), b], to('+49304561'),
    'calls to +49304561 are reported by firm-a (report channel PJSIP/isp) and firm-b (report called +4930456*)'],
  ['by the caller', [bridge('firm-a', 'report caller 0160*, ignore *'), b], to('+49304561'),
    'calls to +49304561 are reported by firm-a (report caller 0160*) and firm-b (report called +4930456*)'],
  ['only calls that no rule names', [bridge('firm-a', 'ignore called +4930456*'), bridge('firm-b', 'ignore called +4930123*')], [],
    'calls that no rule names are reported by firm-a (no rule ignores them) and firm-b (no rule ignores them)'],
  ['nobody takes them', [a, b], to('030991', '030992', '030991', '030993', '030994', '030995', '030996'),
    'calls to +4930991, to +4930992, to +4930993, to +4930994, to +4930995 and 1 more are reported by none of firm-a, firm-b'],
  ['nobody wants them', [bridge('firm-a', 'ignore caller 0160*, report called 030123*, ignore *'), b], to('0309999'),
    'no call is reported by two of firm-a, firm-b, or missed by all; 1 call of the last days compared'],
];
for (const [name, bridges, calls, ...says] of found)
  test(`rules of several bridges: ${name}`, () =>
    assert.deepEqual(
      ruleFindings(bridges, calls).map(({ result }) => result),
      says,
    ));
