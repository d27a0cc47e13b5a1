import { readNumber } from '../../shared/phone-number/normalise-number.ts';
import { placeholderIn } from '../../shared/phone-number/number-text.ts';
import { autoNotation } from '../../shared/phone-number/trunk-notation.ts';
import { awaitsPresentation, isNumberOpen } from '../calls/caller-number.ts';
import { type Channel, isInbound, presentedBy, presentedIn } from '../calls/channel.ts';
import type { OpenCall } from '../calls/open-call.ts';
import { rulesByCaller, whyIgnored } from '../calls/report-rules.ts';
import type { TrackerState } from '../calls/tracker-state.ts';
import type { LookupRequest, NumberToLookUp } from './agi.ts';
import { type CallersByNumber, numbersOf, tellingDigits } from './callers-by-number.ts';

export type LookupState = Pick<TrackerState, 'calls' | 'channels' | 'rules'>;

/** `ignored`: by REPORT_RULES. `unknown`: no call that the bridge knows says it. */
export type Permission = 'granted' | 'withheld' | 'ignored' | 'pending' | 'unknown';

/** `decider`: the channel that decides, as `deciderOf` finds it. */
export type Ruling = { readonly decider: string | undefined; readonly permission: Permission };

/** Rules on a lookup by what the tracker knows now. */
export function rulingOn(state: LookupState, callers: CallersByNumber, request: LookupRequest): Ruling {
  const decider = deciderOf(state, callers, request);
  return { decider, permission: permissionBy(state, decider, request.number) };
}

/** Whether the permission is final: nothing that the PBX says later changes it. */
export function isSettled({ permission }: Ruling): boolean {
  return permission === 'granted' || permission === 'withheld' || permission === 'ignored';
}

export function permissionBy(state: LookupState, decider: string | undefined, number: string): Permission {
  if (decider === undefined) return 'granted';
  const call = state.calls.get(decider);
  const channel = state.channels.get(decider);
  if (call !== undefined) return permissionOf(call, channel, number);
  return isInbound(channel) ? 'pending' : 'unknown';
}

export function permissionOf(call: OpenCall, channel: Channel | undefined, number: string): Permission {
  if (call.ignored !== undefined) return 'ignored';
  if (call.number === 'withheld' || channel?.presentation === 'prohibited') return 'withheld';
  if (!isNumberOpen(call)) return 'granted';
  // After a restart, before the link is up.
  if (channel === undefined) return 'unknown';
  // The trunk has presented no number. One that the dialplan has set waits for the PBX's answer; without one there is
  // nothing to wait for.
  if (presentedBy(channel) === undefined) return presentedIn(number) === undefined ? 'granted' : 'pending';
  return awaitsPresentation(call, channel) ? 'pending' : 'granted';
}

/** The number that is looked up as the ruling says, or why none is. */
export function numberToLookUp(
  state: LookupState,
  request: LookupRequest,
  { decider, permission }: Ruling,
): NumberToLookUp {
  if (permission === 'ignored') return { ignored: state.calls.get(decider ?? '')?.ignored ?? '' };
  if (permission !== 'granted') return permission === 'withheld' ? 'withheld' : 'pending';
  const number = reportedNumber(state, request, decider ?? '');
  const ignored = whyLookupIgnored(state, request, { decider, number });
  return ignored === undefined ? { number } : { ignored };
}

/**
 * Why REPORT_RULES ignores the call that asks, or that the number is of. Of a number without a call, as in an outgoing call, only
 * the rules by caller decide.
 */
function whyLookupIgnored(
  { calls, channels, rules }: LookupState,
  { uniqueid, isOwn, channel, called }: LookupRequest,
  { decider, number }: { readonly decider: string | undefined; readonly number: string },
): string | undefined {
  const call = calls.get(decider ?? uniqueid);
  if (call?.ignored !== undefined) return call.ignored;
  if (number === '') return undefined;
  if (call !== undefined && decider !== undefined) {
    if (call.reported !== undefined) return undefined;
    return whyIgnored(rules, { caller: number, called: call.did, channel: channels.get(decider)?.name });
  }
  // The bridge has no link to the PBX, and so knows no call.
  const isUnseen = isOwn && !channels.has(uniqueid);
  return isUnseen
    ? whyIgnored(rules, { caller: number, called, channel })
    : whyIgnored(rulesByCaller(rules), { caller: number });
}

/**
 * The channel that decides whether the number may be sent: a caller's, or the one that asks. Undefined if a caller's
 * dialplan asks about a number that is not the caller's; '' while the caller's number is unknown, and may be this one.
 */
function deciderOf(
  { calls, channels }: LookupState,
  callers: CallersByNumber,
  { uniqueid, number, isOwn }: LookupRequest,
): string | undefined {
  if (isOwn && (calls.has(uniqueid) || isInbound(channels.get(uniqueid)))) return uniqueid;
  const own = channels.get(uniqueid);
  const isCaller = calls.has(uniqueid) && own !== undefined;
  const digits = tellingDigits(number);
  if (isCaller && numbersOf(own).some((its) => tellingDigits(its) === digits)) return uniqueid;
  for (const caller of callers.unsettled(number)) {
    const call = calls.get(caller);
    if (call && permissionOf(call, channels.get(caller), number) !== 'granted') return caller;
  }
  // A channel without events so far may withhold the number that another call shows.
  const sameNumber = own && callers.withText(number);
  if (sameNumber !== undefined) return sameNumber;
  if (isOwn) return uniqueid;
  return isCaller && presentedBy(own) !== undefined ? undefined : '';
}

function reportedNumber(
  { calls, channels, rules }: LookupState,
  { number, isOwn, channel: name }: LookupRequest,
  decider: string,
): string {
  const call = calls.get(decider);
  if (call?.number === 'known' && rules.reportedNumber !== 'dialplan') return call.from;
  if (placeholderIn(number) !== undefined) return '';
  const channel = channels.get(decider);
  const isPresented = isInbound(channel) ? (channel.role.presented ?? '') === number : isOwn;
  const notation = isPresented ? rules.notationOf(channel?.name ?? name) : autoNotation;
  return readNumber(number, rules.defaultCountry, notation).number;
}
