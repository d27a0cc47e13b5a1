import { type CallExtras, longestCallSeconds, type Missed } from '../../shared/api/contract/call-extras.ts';
import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import { numberIn } from '../../shared/phone-number/number-text.ts';
import { type Channel, extensionOf } from './channel.ts';
import type { HangupRequested } from './input.ts';
import type { OpenCall } from './open-call.ts';
import { type MissedPlace, missedPlaceAt, missedPlaceIn, missedText, named, type Place } from './place.ts';
import type { TrackerState } from './tracker-state.ts';
import { isTrunkEnd } from './trunk-learning.ts';

/**
 * If a phone stopped ringing at most this long before the end of a call, ms, the call ended because nobody answered
 * there.
 */
const RANG_OUT_MS = 1_000;

/** The far end of a channel hangs up: a caller gives up, if it is one. */
export function hangupRequested(state: TrackerState, { uniqueid, at, ...place }: HangupRequested): void {
  const channel = state.channels.get(uniqueid);
  if (channel === undefined) return;
  state.requesting.add(technologyOf(channel));
  const call = state.calls.get(uniqueid);
  if (call !== undefined) beginEnd(state, call, channel, place, true);
}

/** Saves what shows only before the legs of an unanswered call are gone. */
export function beginEnd(
  state: TrackerState,
  { answer }: OpenCall,
  channel: Channel,
  place: Place,
  isRequested = false,
): void {
  if (answer !== undefined || channel.end !== undefined) return;
  channel.end = { at: state.at, place, isRequested };
  for (const leg of state.channels.values()) if (leg.dialledFor === channel.uniqueid) rang(state, leg);
}

/** A leg stops ringing, or the caller is not there any more to hear it. */
export function rang(state: TrackerState, leg: Channel): void {
  const caller = state.channels.get(leg.dialledFor);
  if (caller === undefined || leg.kind !== 'real') return;
  const { at: until } = state;
  const name = isTrunkEnd(state, leg) ? '' : extensionOf(leg.name);
  const others =
    caller.rang !== undefined && until - caller.rang.until < RANG_OUT_MS ? caller.rang.name : name;
  caller.rang = { until, name: others === name ? name : '' };
}

/** Asks the PBX which application the caller was in, if that is wanted and the place does not show it. */
export function askApplication(state: TrackerState, call: OpenCall, channel: Channel): void {
  const { end, uniqueid } = channel;
  if (!state.rules.asksApplications || call.answer !== undefined || call.partlyObserved || !end) return;
  const { place, application } = end;
  const isKnown = application !== undefined || missedPlaceAt(place).where !== undefined;
  if (isKnown || place.context === '' || place.exten === 'h') return;
  end.application = 'asked';
  state.effects.push({ type: 'ask-application', uniqueid, place });
}

/** How an unanswered call ended, as far as the PBX shows it. */
export function missedOf(state: TrackerState, call: OpenCall, channel: Channel | undefined): Missed {
  const { end } = channel ?? {};
  if (channel === undefined || end === undefined) return {};
  const by = end.isRequested ? 'caller' : state.requesting.has(technologyOf(channel)) ? 'pbx' : undefined;
  const after = Math.max(Math.floor((end.at - (call.began ?? Number.NaN)) / 1_000), 0);
  return {
    ...placeOf(channel, end),
    ...(by !== undefined && { by }),
    // The clock may have been set during the call.
    ...(after <= longestCallSeconds && { after }),
  };
}

function placeOf({ rang }: Channel, { at, place, application }: NonNullable<Channel['end']>): MissedPlace {
  const known = missedPlaceAt(place);
  const running = typeof application === 'object' ? missedPlaceIn(application.name, application.data) : {};
  const found = known.where === undefined ? running : known;
  if (found.where !== undefined && (found.where !== 'ringing' || found.name !== undefined)) return found;
  const isRinging = rang !== undefined && at - rang.until < RANG_OUT_MS;
  if (found.where === undefined && !isRinging) return {};
  return named('ringing', isRinging ? rang.name : '');
}

function technologyOf({ name }: Channel): string {
  return name.slice(0, name.indexOf('/'));
}

/**
 * The `extras` of a call event, for an API that takes them. `at` is Unix ms; undefined if the time of the event is
 * unknown.
 */
export function extrasOf(
  { did = '', line, began }: Pick<OpenCall, 'did' | 'line' | 'began'>,
  status: CallStatus,
  { at, missed }: { at?: number | undefined; missed?: Missed | undefined },
): CallExtras {
  const number = clean(did, 64);
  const happened = status === 'ringing' ? began : at;
  return {
    ...(numberIn(number) !== '' && { number_called: number }),
    ...(line !== undefined && line !== '' && { line: clean(line, 100) }),
    ...(happened !== undefined && { at: new Date(happened).toISOString() }),
    ...(missed !== undefined && { missed }),
  };
}

/** How a call went, for people. */
export function outcomeOf({ answer }: OpenCall, missed: Missed | undefined): string {
  if (answer !== undefined) return `was answered by ${answer.callerId || '?'}`;
  return missed === undefined ? 'no answer was observed' : missedText(missed);
}

function clean(text: string, max: number): string {
  return text.replace(/\p{Cc}/gu, '').slice(0, max);
}
