import { describeFailure } from '../../ami/failure.ts';
import type { Inspection, InspectionResult } from '../../ami/inspection.ts';
import { failureCodes } from '../../ami/link-log.ts';
import { channelKind, endpointOf } from '../../calls/channel.ts';
import { type CallSettings, createRules, judgeChannel, type Rules } from '../../calls/rules.ts';
import { duration } from '../../delivery/report.ts';
import { type Message, messages } from '../../log/messages.ts';
import { count } from '../format-text.ts';
import { bad, type Finding, warn, well } from './finding.ts';

type Circumstances = {
  readonly address: string;
  readonly username: string;
  readonly tls: boolean;
  readonly calls: CallSettings;
  /** How long it was listened for a call, ms; 0: it was not asked for. */
  readonly listenedMs: number;
};

/** A clock that is this far off shows in reports, ms. */
const clockOffMs = 5_000;

/** What a look at the PBX says, in the order in which a technician would go through it. */
export function pbxFindings(result: InspectionResult, of: Circumstances): Finding[] {
  const what = `Asterisk at ${of.address}, as ${of.username}${of.tls ? ', over TLS' : ''}`;
  if (!result.ok) {
    const { todo = 'Look at the log of Asterisk.' }: Message = messages[failureCodes[result.failure.kind]];
    return [bad(what, describeFailure(result.failure), todo)];
  }
  const { inspection } = result;
  const rules = createRules(of.calls);
  return [
    well(what, `let in${inspection.version ? `; Asterisk ${inspection.version}` : ''}`),
    well(
      'list channels (write class reporting)',
      `${count(inspection.channelsBefore.length, 'channel')} now`,
    ),
    rights(inspection),
    callClass(inspection, of.listenedMs),
    clock(inspection),
    contexts(inspection, rules),
    trunks(inspection, rules),
    ...(of.listenedMs > 0 ? callsHeard(inspection, rules) : []),
  ].filter((it) => it !== undefined);
}

function rights({ extraRights }: Inspection): Finding | undefined {
  const what = 'rights of the manager user';
  if (extraRights === undefined) return undefined;
  if (extraRights.length === 0) return well(what, 'no more than needed');
  const named = extraRights.map(({ right, action }) => `${right} (${action})`).join(', ');
  return warn(
    what,
    `more than needed: write class ${named}`,
    'Whoever gets at AMI_SECRET can use them. Set write = reporting in manager.conf, then: manager reload.',
  );
}

function callClass({ heard, channelsBefore, channelsAfter }: Inspection, listenedMs: number): Finding {
  const what = 'call events (read class call)';
  if (heard.length > 0) return well(what, `${count(heard.length, 'event')} came`);
  const before = new Set(channelsBefore);
  const changed = channelsAfter.length !== before.size || channelsAfter.some((id) => !before.has(id));
  if (changed) {
    const { todo = '' }: Message = messages['ami.no-call-class'];
    return bad(what, 'calls came or went, and no event told of it: read class call is missing', todo);
  }
  return listenedMs > 0
    ? warn(what, `no call came or went within ${duration(listenedMs)}`, 'Make a test call meanwhile.')
    : well(what, 'quiet just now; pbx-bridge check --call shows whether they come');
}

function clock({ clockAheadMs }: Inspection): Finding | undefined {
  if (clockAheadMs === undefined) return undefined;
  const what = 'clock of the PBX and of this machine';
  if (Math.abs(clockAheadMs) <= clockOffMs) return well(what, 'the same');
  const off = `that of the PBX is ${duration(Math.abs(clockAheadMs))} ${clockAheadMs > 0 ? 'ahead' : 'behind'}`;
  return warn(what, off, 'Let both take their time from the network (NTP). Calls are told all the same.');
}

/** What people call the contexts in which calls from outside arrive. */
const fromOutside = /trunk|pstn|did|incoming|inbound|extern|provider|-in$|public|default/i;

function contexts(inspection: Inspection, rules: Rules): Finding | undefined {
  const { contexts: all = [] } = inspection;
  if (all.length === 0) return undefined;
  const what = 'contexts that INBOUND_CONTEXTS matches';
  const matched = all.filter(rules.contextIsInbound);
  if (matched.length > 0) return well(what, `${some(matched)}; ${all.length} in the dialplan`);
  const likely = all.filter((context) => fromOutside.test(context));
  const named = likely.length > 0 ? `, such as ${some(likely)}` : `: ${some(all)}`;
  const came = `none of the ${count(all.length, 'context')} in the dialplan`;
  const todo = `Set INBOUND_CONTEXTS to the context of your trunk (context= in pjsip.conf or sip.conf)${named}.`;
  return matchedTrunks(inspection, rules).length > 0
    ? warn(what, came, `${todo} INBOUND_CHANNELS matches a trunk, and may be enough.`)
    : bad(what, came, todo);
}

/** The phones and trunks that the PBX knows. */
function linesOf({ devices = [] }: Inspection): string[] {
  return devices.filter((device) => channelKind(device) === 'real' && /^\w+\/[\w.-]+$/.test(device));
}

/** A device is the beginning of its channels' names, as endpointOf says. */
function matchedTrunks(inspection: Inspection, rules: Rules): string[] {
  return linesOf(inspection).filter((device) => rules.nameIsInbound(`${device}-00000000`));
}

function trunks(inspection: Inspection, rules: Rules): Finding | undefined {
  const lines = linesOf(inspection);
  if (rules.inboundChannels.length === 0 || lines.length === 0) return undefined;
  const what = 'trunks that INBOUND_CHANNELS matches';
  const matched = matchedTrunks(inspection, rules);
  if (matched.length > 0) return well(what, some(matched));
  const others = lines.filter((device) => !/\/\d+$/.test(device));
  const hint = others.length > 0 ? ` This PBX has ${some(others)}.` : '';
  const todo = `Name the trunk as its channels are named, such as PJSIP/my-trunk-*.${hint}`;
  const came = 'none of the phones and trunks that the PBX knows';
  const byContext = inspection.contexts?.some(rules.contextIsInbound) ?? rules.inboundContexts.length > 0;
  return byContext ? warn(what, came, todo) : bad(what, came, todo);
}

/** What the calls that came meanwhile would be told as, and why. */
function callsHeard({ heard }: Inspection, rules: Rules): Finding[] {
  return heard.flatMap((input): Finding[] => {
    if (input.type !== 'channel-created' || input.uniqueid !== input.linkedid) return [];
    const { inbound, why } = judgeChannel(rules, input);
    const what = `a channel of ${endpointOf(input.channel)} came, in context ${input.context}`;
    if (inbound) return [well(what, `told: ${why}`)];
    const todo = `If this was a call from outside: add ${input.context} to INBOUND_CONTEXTS.`;
    return [warn(what, `not told: ${why}`, todo)];
  });
}

function some(names: readonly string[]): string {
  const shown = names.slice(0, 8).join(', ');
  return names.length > 8 ? `${shown} and ${names.length - 8} more` : shown;
}
