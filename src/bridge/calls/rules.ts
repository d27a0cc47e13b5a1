import { readNumber } from '../../shared/phone-number/normalise-number.ts';
import { autoNotation, type Notation, type TrunkNotation } from '../../shared/phone-number/trunk-notation.ts';
import { channelKind, endpointOf } from './channel-name.ts';
import { type DeviceName, deviceExtension } from './device-name.ts';
import { channelMatcher, globMatcher } from './glob.ts';
import type { NumberToReport } from './input.ts';
import { type CallFacts, type ReportRule, whyIgnored } from './report-rules.ts';

/** The settings that decide which calls are reported, and how. Their meaning and defaults: the configuration's `calls` section. */
export type CallSettings = {
  readonly pbxId: string;
  readonly inboundContexts: readonly string[];
  readonly inboundChannels: readonly string[];
  readonly defaultCountry?: string | undefined;
  /** How trunks write numbers; the first entry that matches a channel's name counts. */
  readonly trunkNumbers: readonly TrunkNotation[];
  /** Whose number is reported: as the trunk presented it, or as the dialplan has made it. */
  readonly reportedNumber: 'trunk' | 'dialplan';
  readonly withheldNumber?: string | undefined;
  /** For callers who have no number; `withheldNumber` when absent. */
  readonly missingNumber?: string | undefined;
  /** Globs of channels that answer by themselves: bots, fax and voicemail servers, other PBXs. */
  readonly notAPerson: readonly string[];
  readonly answeredBy: 'endpoint' | 'callerid';
  /** The extensions of devices; the first entry that fits counts. */
  readonly deviceNames: readonly DeviceName[];
  /** Which calls are reported, and which are ignored; the first entry that matches decides. */
  readonly reportRules: readonly ReportRule[];
};

/** The same, ready to be asked. */
export type Rules = CallSettings & {
  /** A call that is gone when we connect stays open until an `ended-unseen` input says how it ended. */
  readonly hasGapFiller: boolean;
  readonly contextIsInbound: (context: string) => boolean;
  readonly nameIsInbound: (channel: string) => boolean;
  /** True for a channel that NOT_A_PERSON lists, by its name or endpoint. */
  readonly isMachine: (channel: string) => boolean;
  /** The extension of a device of the house: what it would be called otherwise, and the name of its channel. */
  readonly extension: (name: string, channel: string) => string;
  /** How the trunk of a channel writes numbers, by the channel's name. */
  readonly notationOf: (channel: string) => Notation;
};

export function createRules(settings: CallSettings, { hasGapFiller = false } = {}): Rules {
  const trunkNumbers = settings.trunkNumbers.map(({ glob, notation }) => ({
    matches: channelMatcher([glob]),
    notation,
  }));
  const isListed = channelMatcher(settings.notAPerson);
  return {
    ...settings,
    hasGapFiller,
    contextIsInbound: globMatcher(settings.inboundContexts),
    nameIsInbound: channelMatcher(settings.inboundChannels),
    isMachine: (channel) => isListed(channel) || isListed(endpointOf(channel)),
    extension: (name, channel) => deviceExtension(settings.deviceNames, name, endpointOf(channel)),
    notationOf: (channel) => trunkNumbers.find(({ matches }) => matches(channel))?.notation ?? autoNotation,
  };
}

/** What is known of a caller's number. */
type CallerNumber =
  /** As the trunk has presented it, or the dialplan has made it; and how that writes numbers. */
  | { readonly text: string; readonly notation: Notation }
  /** There is none to report: what was seen, in words. */
  | { readonly lacks: 'withheld' | 'missing'; readonly seen: string };

/** Decides by a caller's number what is reported: live, from call records, and for `check`. */
export function numberToReport(settings: CallSettings, caller: CallerNumber): NumberToReport {
  if ('text' in caller) {
    const { number, how } = readNumber(caller.text, settings.defaultCountry, caller.notation);
    return { from: number, how };
  }
  const { withheldNumber, missingNumber = withheldNumber } = settings;
  const isWithheld = caller.lacks === 'withheld';
  const from = isWithheld ? withheldNumber : missingNumber;
  if (from !== undefined) return { from, how: caller.seen };
  const unset = isWithheld
    ? 'WITHHELD_NUMBER is not set'
    : 'neither MISSING_NUMBER nor WITHHELD_NUMBER is set';
  return { reason: 'no-number', why: `${caller.seen}, and ${unset}` };
}

/** The same by REPORT_RULES, of a call of which nothing was reported. */
export function numberByRules(
  settings: CallSettings,
  decided: NumberToReport,
  facts: Omit<CallFacts, 'caller'>,
): NumberToReport {
  if (!('from' in decided)) return decided;
  const why = whyIgnored(settings, { ...facts, caller: decided.from });
  return why === undefined ? decided : { reason: 'ignored', why, number: decided.from };
}

/** True for a channel that was made for another. Without a Linkedid, as from Asterisk 12, nothing is known. */
export function isLegOf({
  uniqueid,
  linkedid,
}: {
  readonly uniqueid: string;
  readonly linkedid: string;
}): boolean {
  return linkedid !== '' && uniqueid !== linkedid;
}

/** What a new channel is, by the rules. */
type ChannelClass = {
  /** True if it is a trunk's by its context or name, whichever way the call goes: the legs that we dial have its context. */
  readonly trunk: boolean;
  /**
   * True for a trunk's channel that no other channel made. A call begins only when it reaches Ring: calls that we dial
   * out over a trunk pass here too, but go Down, Ringing, Up.
   */
  readonly inbound: boolean;
  readonly rule: ChannelRule;
};

/**
 * By which rule a channel is what it is. `unmatched`: its context is none of INBOUND_CONTEXTS, and INBOUND_CHANNELS is not set;
 * `unmatched-name`: nor does its name match that.
 */
export type ChannelRule =
  | 'local'
  | 'helper'
  | 'leg'
  | 'inbound-context'
  | 'inbound-name'
  | 'unmatched'
  | 'unmatched-name';

export function classifyChannel(
  rules: Rules,
  seen: { channel: string; context: string; uniqueid: string; linkedid: string },
): ChannelClass {
  const kind = channelKind(seen.channel);
  if (kind === 'local') return { trunk: false, inbound: false, rule: 'local' };
  if (kind === 'pseudo') return { trunk: false, inbound: false, rule: 'helper' };
  const byContext = rules.contextIsInbound(seen.context);
  const trunk = byContext || rules.nameIsInbound(seen.channel);
  if (isLegOf(seen)) return { trunk, inbound: false, rule: 'leg' };
  if (trunk) return { trunk, inbound: true, rule: byContext ? 'inbound-context' : 'inbound-name' };
  return { trunk, inbound: false, rule: rules.inboundChannels.length === 0 ? 'unmatched' : 'unmatched-name' };
}
