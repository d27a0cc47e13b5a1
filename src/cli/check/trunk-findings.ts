import type { Inspection } from '../../bridge/ami/inspection.ts';
import { channelKind, isGuestEndpoint } from '../../bridge/calls/channel-name.ts';
import type { Rules } from '../../bridge/calls/rules.ts';
import type { Trunk } from '../../bridge/calls/trunk.ts';
import { count } from '../text/format-text.ts';
import { callsText, channelOf, classifyTrunk } from '../text/trunk-text.ts';
import { type Finding, failed, passed, warning } from './finding.ts';

export type TrunkCheckOptions = {
  readonly rules: Rules;
  /** What the bridge knows, from its state directory. */
  readonly known: readonly Trunk[];
  /** How many characters of a uniqueid the call records have room for; absent if none are read. */
  readonly recordIdWidth?: number | undefined;
};

type Endpoint = Inspection['endpoints'][number];

/** Usual names of contexts for calls from outside. */
const likelyInbound = /trunk|pstn|did|incoming|inbound|extern|provider|-in$|public|default/i;

/** Findings about the trunks first, then about the contexts and what comes in outside of the trunks. */
export function trunkFindings(inspection: Inspection, options: TrunkCheckOptions): Finding[] {
  const { rules } = options;
  const lines = linesOf(inspection);
  const matched = lines.filter((line) => isInbound(line, rules));
  const trunks = [...matched.map((line) => trunkFinding(line, options)), ...knownFindings(lines, options)];
  const unmatched = matched.length > 0 ? unmatchedTrunks(lines, rules).map(unmatchedFinding) : [];
  return [
    ...trunks,
    ...unmatched,
    identityFinding(matched),
    ...choiceFindings(matched, inspection, rules),
    contextFinding(inspection, rules),
    channelFinding(inspection, rules),
    guestFinding(inspection, rules),
    recordFinding(inspection, options, trunks.length),
    withheldRecordFinding(options),
  ].filter((it) => it !== undefined);
}

/** The phones and trunks of the PBX; guests are no trunk. */
export function linesOf({ endpoints = [] }: Pick<Inspection, 'endpoints'>): Endpoint[] {
  return endpoints.filter(
    ({ name }) => channelKind(name) === 'real' && /^\w+\/[\w.-]+$/.test(name) && !isGuestEndpoint(name),
  );
}

function isInbound({ name, context }: Endpoint, rules: Rules): boolean {
  return rules.nameIsInbound(channelOf(name)) || rules.contextIsInbound(context);
}

/** Endpoints that look like trunks: they have names, and another context than most phones, which have numbers. */
function unmatchedTrunks(lines: readonly Endpoint[], rules: Rules): Endpoint[] {
  const isPhone = ({ name }: Endpoint) => /\/\d+$/.test(name);
  const ofPhones = new Set(lines.filter(isPhone).map(({ context }) => context));
  return lines.filter(
    (line) => !isPhone(line) && line.context !== '' && !ofPhones.has(line.context) && !isInbound(line, rules),
  );
}

function trunkFinding({ name, context }: Endpoint, { rules, known }: TrunkCheckOptions): Finding {
  const trunk = known.find(({ endpoint }) => endpoint === name);
  const { why } = classifyTrunk({ source: 'configured', context, endpoint: name }, rules);
  return passed(`trunk ${name}`, [why, ...callsText(name, trunk, rules)].join('; '));
}

/** Trunks that the configuration of the PBX does not show: analogue lines, and those that an operator added. */
function knownFindings(lines: readonly Endpoint[], { rules, known }: TrunkCheckOptions): Finding[] {
  return known
    .filter(({ endpoint }) => !lines.some(({ name }) => name === endpoint))
    .map((trunk) => ({ trunk, ...classifyTrunk(trunk, rules) }))
    .filter(({ isTrunk }) => isTrunk)
    .map(({ trunk, why }) =>
      passed(`trunk ${trunk.endpoint}`, [why, ...callsText(trunk.endpoint, trunk, rules)].join('; ')),
    );
}

function unmatchedFinding({ name, context }: Endpoint): Finding {
  return warning(
    `trunk ${name}`,
    `its context ${context} matches no INBOUND_CONTEXTS: calls from outside on it are not reported`,
    `If calls from outside come in on it, add ${context} to INBOUND_CONTEXTS.`,
  );
}

/** Without the provider's identity header the PBX takes withheld numbers for allowed ones, or has none. */
function identityFinding(trunks: readonly Endpoint[]): Finding | undefined {
  const blind = trunks.filter(({ trustsIdentity }) => trustsIdentity === false);
  return blind.length === 0
    ? undefined
    : warning(
        'withheld numbers',
        `the header in which the provider says that a number is withheld is ignored on ${some(blind.map(({ name }) => name))}`,
        'Set trust_id_inbound=yes for the trunk (FreePBX: trunk, pjsip Settings, Advanced, Trust RPID/PAI).',
      );
}

/** Who can choose what REPORT_RULES look at, besides the caller's number. */
function choiceFindings(
  trunks: readonly Endpoint[],
  { guestContext }: Inspection,
  { reportRules, contextIsInbound }: Rules,
): Finding[] {
  if (!reportRules.some(({ subject }) => subject !== '*' && subject !== 'caller')) return [];
  const found = trunks.filter(({ isFoundByName }) => isFoundByName === true);
  const chooses = (who: string, todo: string) =>
    warning('rules by channel or number called', `${who} chooses both`, todo);
  return [
    ...(found.length === 0
      ? []
      : [
          chooses(
            `whoever writes the name of ${some(found.map(({ name }) => name))} into From`,
            'Set identify_by=ip in the endpoint of the trunk, or let a firewall admit only the provider.',
          ),
        ]),
    ...(guestContext !== '' && contextIsInbound(guestContext)
      ? [
          chooses(
            'a guest of chan_sip (allowguest)',
            'Set allowguest=no in sip.conf, or let a firewall admit only the provider.',
          ),
        ]
      : []),
  ];
}

function contextFinding(inspection: Inspection, rules: Rules): Finding | undefined {
  const { contexts: all = [] } = inspection;
  if (all.length === 0) return undefined;
  const what = 'contexts that INBOUND_CONTEXTS matches';
  const matched = all.filter(rules.contextIsInbound);
  const lines = linesOf(inspection);
  if (matched.length > 0) {
    const used = matched.filter((context) => lines.some((line) => line.context === context));
    const others =
      used.length === 0 || used.length === matched.length
        ? ''
        : ` and ${matched.length - used.length} that no trunk uses`;
    return passed(what, `${some(used.length > 0 ? used : matched)}${others}; ${all.length} in the dialplan`);
  }
  const byContext = Map.groupBy(unmatchedTrunks(lines, rules), ({ context }) => context);
  const trunks = [...byContext].map(
    ([context, its]) => `${context} (of ${some(its.map(({ name }) => name))})`,
  );
  const likely = all.filter((context) => likelyInbound.test(context));
  const named =
    trunks.length > 0
      ? `: ${some(trunks)}`
      : ` (context= in pjsip.conf or sip.conf)${likely.length > 0 ? `, such as ${some(likely)}` : `: ${some(all)}`}`;
  const came = `none of the ${count(all.length, 'context')} in the dialplan`;
  const todo = `Set INBOUND_CONTEXTS to the context of your trunk${named}.`;
  return lines.some(({ name }) => rules.nameIsInbound(channelOf(name)))
    ? warning(what, came, `${todo} INBOUND_CHANNELS matches a trunk, which may be enough.`)
    : failed(what, came, todo);
}

function channelFinding(inspection: Inspection, rules: Rules): Finding | undefined {
  const lines = linesOf(inspection).map(({ name }) => name);
  const isMatched = lines.some((name) => rules.nameIsInbound(channelOf(name)));
  if (rules.inboundChannels.length === 0 || lines.length === 0 || isMatched) return undefined;
  const others = lines.filter((name) => !/\/\d+$/.test(name));
  const hint = others.length > 0 ? ` This PBX has ${some(others)}.` : '';
  const todo = `Set INBOUND_CHANNELS to the names of the trunk's channels, such as PJSIP/my-trunk-*.${hint}`;
  const came = 'none of the phones and trunks of the PBX';
  const byContext = inspection.contexts?.some(rules.contextIsInbound) ?? rules.inboundContexts.length > 0;
  const what = 'trunks that INBOUND_CHANNELS matches';
  return byContext ? warning(what, came, todo) : failed(what, came, todo);
}

/** Callers without an account, whom the PBX lets in: at some sites the provider's calls are among them. */
function guestFinding({ endpoints = [], guestContext }: Inspection, rules: Rules): Finding | undefined {
  const context = endpoints.find(({ name }) => isGuestEndpoint(name))?.context || guestContext;
  if (!context) return undefined;
  const what = `calls of guests, in context ${context}`;
  return rules.contextIsInbound(context)
    ? passed(what, 'reported: it matches INBOUND_CONTEXTS')
    : warning(
        what,
        'let in by the PBX, and not reported: it matches no INBOUND_CONTEXTS',
        `If your provider's calls come in so, add ${context} to INBOUND_CONTEXTS. Otherwise let no guests in.`,
      );
}

function recordFinding(
  { holdsRecords, uniqueidLength }: Inspection,
  { recordIdWidth }: TrunkCheckOptions,
  trunks: number,
): Finding | undefined {
  if (recordIdWidth === undefined) return undefined;
  const what = 'calls from call records (CDR_SOURCE)';
  if (recordIdWidth < uniqueidLength)
    return failed(
      what,
      `uniqueids of this PBX have up to ${uniqueidLength} characters, with its systemname; their column has room for ${recordIdWidth}`,
      "As the database's administrator: ALTER TABLE cdr MODIFY uniqueid varchar(150) NOT NULL DEFAULT '', MODIFY linkedid varchar(150) NOT NULL DEFAULT ''; until then the database refuses records or cuts uniqueids off, and calls of a gap are lost.",
    );
  if (holdsRecords)
    return warning(
      what,
      'Asterisk holds its records back: batch=yes in cdr.conf',
      'Set batch=no in [general] of cdr.conf, then: asterisk -rx "module reload cdr". Until then calls of a gap are reported minutes later.',
    );
  return trunks > 0
    ? undefined
    : warning(
        what,
        'no trunk is known: calls that were transferred in a gap are not recognised',
        'Set INBOUND_CONTEXTS or INBOUND_CHANNELS, or add your trunk: pbx-bridge trunks add PJSIP/my-trunk',
      );
}

/** A record does not say whose number is withheld, so one withheld number on a trunk decides about all its calls of a gap. */
function withheldRecordFinding({ rules, known, recordIdWidth }: TrunkCheckOptions): Finding | undefined {
  const revealing = known.filter(({ reveals }) => reveals).map(({ endpoint }) => endpoint);
  if (recordIdWidth === undefined || rules.withheldNumber !== undefined || revealing.length === 0)
    return undefined;
  return warning(
    'withheld numbers in call records',
    `calls of a gap on ${some(revealing)} are not reported: withheld numbers have come in on it, so each number in its records counts as withheld, and WITHHELD_NUMBER is not set`,
    'Set WITHHELD_NUMBER, such as 000: calls of a gap are then reported with it, without the number of their caller.',
  );
}

function some(names: readonly string[]): string {
  const shown = names.slice(0, 8).join(', ');
  return names.length > 8 ? `${shown} and ${names.length - 8} more` : shown;
}
