import { howTried, isTooOld, OLDEST_ASTERISK } from '../../bridge/ami/asterisk-version.ts';
import { describeFailure } from '../../bridge/ami/failure.ts';
import type { Inspection, InspectionResult } from '../../bridge/ami/inspection.ts';
import { failureCodes } from '../../bridge/ami/link-log.ts';
import { missingWithout } from '../../bridge/ami/pending-requests.ts';
import { presentedIn } from '../../bridge/calls/channel.ts';
import { endpointOf } from '../../bridge/calls/channel-name.ts';
import type { NumberToReport } from '../../bridge/calls/input.ts';
import { type CallFacts, decidingRule, rulesByCaller, whyIgnored } from '../../bridge/calls/report-rules.ts';
import {
  type CallSettings,
  classifyChannel,
  createRules,
  numberToReport,
  type Rules,
} from '../../bridge/calls/rules.ts';
import { RecordsRefused } from '../../bridge/cdr/cdr-source.ts';
import { openSource, type SourceOptions } from '../../bridge/cdr/open-cdr-source.ts';
import { duration } from '../../shared/delivery/report.ts';
import type { Message } from '../../shared/log/messages/program-messages.ts';
import { fill, messages } from '../../shared/log/messages.ts';
import { maskNumbers } from '../../shared/log/redact.ts';
import { isWithheld } from '../../shared/phone-number/number-text.ts';
import { autoNotation, type Notation } from '../../shared/phone-number/trunk-notation.ts';
import { channelRuleText } from '../text/channel-rule-text.ts';
import { count } from '../text/format-text.ts';
import { deviceFindings } from './device-findings.ts';
import { type Finding, failed, passed, warning } from './finding.ts';
import { type TrunkCheckOptions, trunkFindings } from './trunk-findings.ts';

type PbxCheckOptions = Omit<TrunkCheckOptions, 'rules'> & {
  readonly address: string;
  readonly username: string;
  readonly tls: boolean;
  readonly calls: CallSettings;
  /** How long the check waited for a test call, ms; 0: it did not. */
  readonly listenedMs: number;
};

/** A larger difference is visible in reports, ms. */
const clockOffMs = 5_000;

/** Findings about the PBX, in the order in which a technician would check it. */
export function pbxFindings(result: InspectionResult, options: PbxCheckOptions): Finding[] {
  const what = `Asterisk at ${options.address}, as ${options.username}${options.tls ? ', over TLS' : ''}`;
  if (!result.ok) {
    const { todo = 'See the log of Asterisk.' }: Message = messages[failureCodes[result.failure.kind]];
    return [failed(what, describeFailure(result.failure), todo)];
  }
  const { inspection } = result;
  const { version } = inspection;
  const rules = createRules(options.calls);
  return [
    passed(what, `logged in${version ? `; Asterisk ${version}` : ''}`),
    passed(
      'list channels (write class reporting)',
      `${count(inspection.channelsBefore.length, 'channel')} in progress`,
    ),
    ...unanswered(inspection),
    rights(inspection),
    callClass(inspection, options.listenedMs),
    ...eventsMissing(inspection),
    clock(inspection),
    ...trunkFindings(inspection, { ...options, rules }),
    ...deviceFindings(inspection, rules),
    ...(options.listenedMs > 0 ? callsHeard(inspection, rules) : []),
  ].filter((it) => it !== undefined);
}

function unanswered(inspection: Inspection): Finding[] {
  const { todo = '' }: Message = messages['ami.unanswered'];
  return inspection.unanswered.map((action) =>
    warning(`action ${action}`, `no answer: ${missingWithout(action)}`, todo),
  );
}

/** How this Asterisk was tried, and what it leaves out of its events. */
function eventsMissing({ version = '', lacksLinkedid, unseenBridges }: Inspection): Finding[] {
  const findings: Finding[] = [];
  const say = (what: string, code: 'ami.old-asterisk' | 'ami.no-linkedid' | 'ami.no-bridge-events') => {
    const { text, todo = '' }: Message = messages[code];
    findings.push(warning(what, fill(text, { version: version || '?', oldest: OLDEST_ASTERISK }), todo));
  };
  const tried = howTried(version);
  if (isTooOld(version)) say('version of Asterisk', 'ami.old-asterisk');
  else if (tried) findings.push(passed('version of Asterisk', tried));
  if (lacksLinkedid) say('events of channels', 'ami.no-linkedid');
  if (unseenBridges > 0) say('events of bridges', 'ami.no-bridge-events');
  return findings;
}

function rights({ extraRights }: Inspection): Finding | undefined {
  const what = 'permissions of the manager user';
  if (extraRights === undefined) return undefined;
  if (extraRights.length === 0) return passed(what, 'only what is needed');
  const named = extraRights.map(({ right, action }) => `${right} (${action})`).join(', ');
  return warning(
    what,
    `more than needed: write class ${named}`,
    'Anyone who obtains AMI_SECRET can use them. Set write = reporting in manager.conf, then run: manager reload.',
  );
}

function callClass({ events, channelsBefore, channelsAfter }: Inspection, listenedMs: number): Finding {
  const what = 'call events (read class call)';
  if (events.length > 0) return passed(what, `${count(events.length, 'event')} received`);
  const before = new Set(channelsBefore);
  const changed = channelsAfter.length !== before.size || channelsAfter.some((id) => !before.has(id));
  if (changed) {
    const { todo = '' }: Message = messages['ami.no-call-class'];
    return failed(what, 'calls came or went without an event: read class call is missing', todo);
  }
  return listenedMs > 0
    ? warning(what, `no call within ${duration(listenedMs)}`, 'Make a test call while the check waits.')
    : passed(what, 'no call right now; to test with a call, run pbx-bridge check --call');
}

function clock({ clockAheadMs }: Inspection): Finding | undefined {
  if (clockAheadMs === undefined) return undefined;
  const what = 'clocks of the PBX and of this machine';
  if (Math.abs(clockAheadMs) <= clockOffMs) return passed(what, 'agree');
  const off = `the clock of the PBX is ${duration(Math.abs(clockAheadMs))} ${clockAheadMs > 0 ? 'ahead' : 'behind'}`;
  return warning(what, off, 'Synchronise both clocks (NTP). Calls are reported nevertheless.');
}

/** Whether the bridge would report the calls that came during the check, and why. */
function callsHeard({ events }: Inspection, rules: Rules): Finding[] {
  return events.flatMap((input): Finding[] => {
    if (input.type !== 'channel-created' || input.uniqueid !== input.linkedid) return [];
    const { inbound, rule } = classifyChannel(rules, input);
    const why = channelRuleText({ ...input, rule });
    const what = `call on ${endpointOf(input.channel)} in context ${input.context}`;
    if (inbound) {
      const decided = numberDecided(input.callerNumber, rules.notationOf(input.channel), rules);
      const number = `its number ${input.callerNumber}: ${numberResult(decided)}`;
      const facts = { called: input.exten, channel: input.channel };
      return [passed(what, `${ruleResult(rules, decided, facts, why)}; ${maskNumbers(number)}`)];
    }
    const todo = `If this was a call from outside, add ${input.context} to INBOUND_CONTEXTS.`;
    return [warning(what, `not reported: ${why}`, todo)];
  });
}

/** Whether the rules report a call from outside, and which one says so. */
function ruleResult(rules: Rules, decided: NumberToReport, facts: CallFacts, why: string): string {
  if (rules.reportRules.length === 0) return `reported: ${why}`;
  const rule = decidingRule(rules, { ...facts, caller: 'from' in decided ? decided.from : undefined });
  const text = maskNumbers(rule?.text ?? '');
  if (rule?.action === 'ignore') return `ignored by REPORT_RULES: ${text} (${why})`;
  return `reported: ${why}; ${rule === undefined ? 'no rule of REPORT_RULES matches' : `REPORT_RULES: ${text}`}`;
}

/**
 * Checks that Asterisk's call records (CDR_SOURCE) can be read and used. `idWidth`: how many characters of a uniqueid they
 * have room for.
 */
export async function cdrFinding(options: SourceOptions): Promise<{ finding: Finding; idWidth: number }> {
  const source = await openSource(options);
  const what = `Asterisk's call records in ${source.name}`;
  try {
    const finding = passed(what, await source.probe());
    return { finding, idWidth: source.idWidth() };
  } catch (error) {
    const finding =
      error instanceof RecordsRefused
        ? (error.mayCome ? warning : failed)(what, error.message, error.todo)
        : failed(
            what,
            String(error),
            'Correct CDR_SOURCE, or give the user of the bridge permission to read it.',
          );
    return { finding, idWidth: source.idWidth() };
  } finally {
    await source.close();
  }
}

/**
 * What is reported for a caller whom a trunk presents with this text: on the trunks of each rule, and on any other.
 */
export function numberFindings(text: string, settings: CallSettings): Finding[] {
  const { trunkNumbers } = settings;
  const other = { glob: trunkNumbers.length > 0 ? 'any other trunk' : 'any trunk', notation: autoNotation };
  return [...trunkNumbers, other].map(({ glob, notation }) => {
    const decided = numberDecided(text, notation, settings);
    const why = 'from' in decided && whyIgnored(rulesByCaller(settings), { caller: decided.from });
    const ignored = why ? `; its calls are ignored by ${why}` : '';
    return passed(`number ${text} on ${glob}`, `${numberResult(decided)}${ignored}`);
  });
}

function numberDecided(text: string, notation: Notation, settings: CallSettings): NumberToReport {
  return numberToReport(
    settings,
    isWithheld(text)
      ? { lacks: 'withheld', seen: 'withheld by its caller' }
      : presentedIn(text) === undefined
        ? { lacks: 'missing', seen: 'no number' }
        : { text, notation },
  );
}

/** The number that is reported, and the rule that made it; or why none is. */
function numberResult(decided: NumberToReport): string {
  return 'from' in decided ? `reported as ${decided.from} (${decided.how})` : `not reported: ${decided.why}`;
}
