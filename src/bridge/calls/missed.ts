import {
  type CallExtras,
  longestCallSeconds,
  type Missed,
  shortText,
} from '../../shared/api/contract/call-extras.ts';
import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import { numberIn } from '../../shared/phone-number/number-text.ts';
import {
  type Caller,
  type CallerChannel,
  type CallerEnd,
  type Channel,
  callerOf,
  dialledTo,
  isCaller,
  isInbound,
  UP,
} from './channel.ts';
import { extensionOf } from './channel-name.ts';
import type { HangupRequested, VariableAnswered } from './input.ts';
import { answererOf, type OpenCall } from './open-call.ts';
import {
  closedBy,
  type DialplanLine,
  isSendingAway,
  type MissedPlace,
  mailboxIn,
  missedPlaceAt,
  missedPlaceIn,
  missedText,
  named,
  type Place,
  variablesAt,
  writtenWhere,
} from './place.ts';
import { legsOf } from './topology.ts';
import { type TrackerState, waitFor } from './tracker-state.ts';
import { isTrunkEnd } from './trunk-learning.ts';

/**
 * If a phone stopped ringing at most this long before the end of a call, ms, the call ended because nobody answered
 * there.
 */
const RANG_OUT_MS = 1_000;

/** How long a call's end waits for what the dialplan does at its place, ms: only how it is described depends on it. */
export const APPLICATION_WAIT_MS = 1_000;

/** Remembers where a caller whom nobody has answered is in the dialplan, or a Local channel that runs in place of a phone. */
export function seenAt(state: TrackerState, channel: Channel | undefined, place: Partial<Place>): void {
  const { context = '', exten = '', priority = '' } = place;
  const caller = callerBehind(state, channel);
  const call = state.calls.get(caller?.uniqueid ?? '');
  if (channel === undefined || caller === undefined || !call || call.answer !== undefined || context === '')
    return;
  const here = missedPlaceAt({ context, exten });
  if (caller === channel) {
    caller.role.place = { context, exten, priority };
    if (here.where !== undefined && here.where !== 'terminated' && here.where !== 'voicemail')
      caller.role.was = here;
  } else if (channel.kind === 'local' && channel.state === UP && here.where !== 'ringing')
    caller.role.redirected = { context, exten, priority };
  else return;
  const variable = variablesAt.find(([pattern]) => pattern.test(context))?.[1];
  const { uniqueid, name } = channel;
  if (variable !== undefined) state.effects.push({ type: 'ask-variable', uniqueid, channel: name, variable });
}

/** The caller of this channel: its own, or the one that it was dialled for. */
function callerBehind({ channels }: TrackerState, channel: Channel | undefined): CallerChannel | undefined {
  if (channel === undefined || isInbound(channel)) return channel;
  const caller = channels.get(callerOf(channel) ?? '');
  return isCaller(caller) ? caller : undefined;
}

/** What the PBX says of a variable that names a place. */
export function variableAnswered(state: TrackerState, { uniqueid, variable, value }: VariableAnswered): void {
  const { role: caller } = callerBehind(state, state.channels.get(uniqueid)) ?? {};
  if (caller === undefined || value === '') return;
  if (variable === 'MEXTEN') caller.mailbox = value;
  else if (caller.was?.where === 'ringing') caller.was = named('ringing', value);
}

/** The far end of a channel hangs up: a caller gives up, if it is one. */
export function hangupRequested(
  state: TrackerState,
  { uniqueid, context, exten, priority }: HangupRequested,
): void {
  const place = { context, exten, priority };
  const channel = state.channels.get(uniqueid);
  if (channel === undefined) return;
  state.requesting.add(technologyOf(channel));
  const call = state.calls.get(uniqueid);
  if (call !== undefined && isCaller(channel)) beginEnd(state, call, channel, place, true);
}

/** Saves what shows only before the legs of an unanswered call are gone. */
export function beginEnd(
  state: TrackerState,
  { answer }: OpenCall,
  { uniqueid, role }: CallerChannel,
  place: Place,
  isRequested = false,
): void {
  if (answer !== undefined || role.end !== undefined) return;
  role.end = { at: state.at, place, isRequested };
  for (const leg of legsOf(state, uniqueid)) rang(state, leg);
}

/** A leg stops ringing, or the caller is not there any more to hear it. */
export function rang(state: TrackerState, leg: Channel): void {
  const caller = state.channels.get(callerOf(leg) ?? '');
  if (!isCaller(caller) || leg.kind !== 'real' || (leg.role.type === 'leg' && leg.role.wasPaged)) return;
  const { role } = caller;
  const { at: until } = state;
  const device = dialledTo(leg) ?? extensionOf(leg.name);
  const name = isTrunkEnd(state, leg) ? undefined : state.rules.extension(device, leg.name);
  const others = role.rang !== undefined && until - role.rang.until < RANG_OUT_MS ? role.rang.name : name;
  role.rang = { until, name: others === name ? name : undefined };
}

/** Asks the PBX which application the caller was in, and whose or by which time condition, if the place does not show it. */
export function askApplication(state: TrackerState, call: OpenCall, { uniqueid, role }: CallerChannel): void {
  const { end, mailbox, was } = role;
  if (call.answer !== undefined || call.partlyObserved || !end || end.application !== undefined) return;
  const place = placeAtEnd(role, end);
  const here = missedPlaceAt(place);
  const asksPlace = here.where === undefined && place.context !== '' && place.exten !== 'h';
  const found = here.where === 'terminated' ? (was ?? here) : here;
  const others = mailbox === undefined ? writtenWhere(found, was) : [];
  if (!asksPlace && others.length === 0) return;
  end.application = 'asked';
  waitFor(state, state.waitingForApplication, uniqueid, APPLICATION_WAIT_MS);
  state.effects.push({
    type: 'ask-application',
    uniqueid,
    ...(asksPlace && { place }),
    ...(others.length > 0 && { others }),
  });
}

/** True if the caller talks with somebody until now: the dialplan does not say where the call ends then. */
export function isTalking({ at }: TrackerState, { bridge, role }: CallerChannel): boolean {
  const { talkedUntil = 0, talksWith } = role;
  return talksWith !== undefined && (at - talkedUntil < RANG_OUT_MS || bridge?.holding === false);
}

/**
 * Where a caller was at the end: by the last sight before it, if only the extension `h` is left to see, or the Local channel
 * that had answered in place of a phone.
 */
export function placeAtEnd(
  caller: Caller,
  { place, isRequested }: Pick<CallerEnd, 'place' | 'isRequested'>,
): Place {
  const own = place.exten === 'h' && !isRequested ? (caller.place ?? place) : place;
  const { where = 'ringing' } = missedPlaceAt(own);
  return where === 'ringing' ? (caller.redirected ?? own) : own;
}

/** Who ended an unanswered call; undefined if the channel's technology may not say that its far end hangs up. */
export function endedBy(state: TrackerState, channel: CallerChannel): Missed['by'] {
  const { isRequested, application } = channel.role.end ?? {};
  // Asterisk writes the end of a caller whom the dialplan sends away (302, REFER) like that of one who hangs up.
  if (typeof application === 'object' && isSendingAway(application.name)) return 'pbx';
  if (isRequested) return 'caller';
  return state.requesting.has(technologyOf(channel)) ? 'pbx' : undefined;
}

/** How an unanswered call ended, as far as the PBX shows it. */
export function missedOf(state: TrackerState, call: OpenCall, channel: Channel | undefined): Missed {
  if (!isCaller(channel) || channel.role.end === undefined) return {};
  const { role } = channel;
  const { end } = channel.role;
  const by = endedBy(state, channel);
  const after = Math.max(Math.floor((end.at - (call.began ?? Number.NaN)) / 1_000), 0);
  return {
    ...placeOf(role, end),
    ...(by !== undefined && { by }),
    // The clock may have been set during the call.
    ...(after <= longestCallSeconds && { after }),
  };
}

function placeOf(caller: Caller, end: CallerEnd): MissedPlace {
  const { rang, was, mailbox } = caller;
  const { at, isRequested, application, others = [] } = end;
  const isRinging = rang !== undefined && at - rang.until < RANG_OUT_MS;
  const here = missedPlaceAt(placeAtEnd(caller, end));
  const running = typeof application === 'object' ? missedPlaceIn(application.name, application.data) : {};
  let found = here.where === undefined ? running : here;
  // The dialplan ended the call after all that the caller met.
  const isOver = found.where === 'terminated' || (found.where === undefined && !isRequested);
  const isNameless = found.where === 'ringing' && found.name === undefined && was?.where === 'ringing';
  if ((isOver || isNameless) && was !== undefined) found = was;
  if (found.where === 'voicemail' && found.name === undefined) {
    // An extension has no other mailbox than its own; a group leads to one.
    const own = was?.where === 'ringing' && others.length === 0 ? (was.name ?? rang?.name) : undefined;
    return named('voicemail', mailbox ?? mailboxIn(others) ?? own ?? '');
  }
  if (found.where === 'announcement' || found.where === 'terminated') return closed(found, others);
  if (found.where !== undefined && (found.where !== 'ringing' || found.name !== undefined)) return found;
  if (found.where === undefined && !isRinging) return {};
  return named('ringing', (isRinging ? rang.name : undefined) ?? '');
}

/** `announcement 1 (time condition 12)` */
function closed(found: MissedPlace, lines: readonly DialplanLine[]): MissedPlace {
  const condition = closedBy(lines, found);
  if (condition === undefined) return found;
  const by = `time condition ${condition}`;
  return { where: found.where, name: found.name === undefined ? by : `${found.name} (${by})` };
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
  { at, missed, rang, talked }: Pick<CallExtras, 'missed' | 'rang' | 'talked'> & { at?: number | undefined },
): CallExtras {
  const number = shortText(did, 64);
  const happened = status === 'ringing' ? began : at;
  return {
    ...(numberIn(number) !== '' && { number_called: number }),
    ...(line !== undefined && line !== '' && { line: shortText(line, 100) }),
    ...(happened !== undefined && { at: new Date(happened).toISOString() }),
    ...(missed !== undefined && { missed }),
    ...(rang !== undefined && { rang }),
    ...(talked !== undefined && talked.length > 0 && { talked }),
  };
}

/** How a call went, for people. */
export function outcomeOf(
  { answer }: { readonly answer?: { readonly callerId?: string | undefined } | undefined },
  missed: Missed | undefined,
): string {
  if (answer !== undefined) return `was answered ${answererOf(answer.callerId)}`;
  return missed === undefined ? 'no answer was observed' : missedText(missed);
}
