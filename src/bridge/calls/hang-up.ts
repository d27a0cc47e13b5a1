import { beginCall, endCall } from './call.ts';
import { awaitsPresentation, isNumberOpen, takeNumber } from './caller-number.ts';
import { type CallerChannel, type Channel, isCaller, isInbound, PRERING, UP } from './channel.ts';
import type { ApplicationAnswered, ChannelHungUp, EndedUnseen } from './input.ts';
import {
  APPLICATION_WAIT_MS,
  askApplication,
  beginEnd,
  endedBy,
  isTalking,
  placeAtEnd,
  rang,
} from './missed.ts';
import type { OpenCall } from './open-call.ts';
import { placeText } from './place.ts';
import { leaveBridge, removeChannel } from './topology.ts';
import { decide, type TrackerState, takeOverdue, writeJournal } from './tracker-state.ts';

/**
 * Handles a hang-up. The channel is kept while the PBX still has to answer a question about it: its presentation, or
 * its application.
 */
export function hungUp(
  state: TrackerState,
  { uniqueid, cause, context = '', exten = '', priority = '' }: ChannelHungUp,
): void {
  const channel = state.channels.get(uniqueid);
  const call = state.calls.get(uniqueid) ?? beginLate(state, channel);
  if (channel?.kind === 'real') {
    const end = `${channel.name} hung up, ${hangupCause(cause)}`;
    if (call !== undefined && isCaller(channel)) {
      const { role } = channel;
      const at = placeAtEnd(role, role.end ?? { place: { context, exten, priority }, isRequested: false });
      const place = isTalking(state, channel) ? '' : placeText(at.context, at.exten);
      const text = `the caller's channel ${end}${place && `, in ${place}`}`;
      const entry = { at: state.at, uniqueid, call: call.id, kind: 'observed', text } as const;
      writeJournal(state, place === '' ? entry : { ...entry, place: at });
    } else if (!isInbound(channel))
      writeJournal(state, { at: state.at, uniqueid, kind: 'observed', text: end });
    else {
      const how = channel.state === UP ? 'it was dialled out over the trunk' : 'it never got as far';
      const text = `${end}; it never rang at us: ${how}`;
      writeJournal(state, { at: state.at, uniqueid, kind: 'not-reported', text });
    }
  }
  if (channel === undefined) {
    // The snapshot was made without it. A number or an answer that is not known yet comes with its record.
    const isLeft = state.rules.hasGapFiller && (call?.answer === undefined || isNumberOpen(call));
    if (call && !isLeft) endCall(state, call, undefined);
    return;
  }
  rang(state, channel);
  if (call !== undefined && isCaller(channel)) {
    beginEnd(state, call, channel, { context, exten, priority });
    if (cause === ANSWERED_ELSEWHERE && isWithdrawn(state, channel)) call.answer ??= { by: '' };
    askApplication(state, call, channel);
  }
  // The PBX still answers a question that was asked before the hang-up.
  leaveBridge(state, channel);
  channel.goneAt = state.at;
  forgetGone(state, channel);
}

/** The call of somebody who gave up before an analogue line had the number, and so before it said that it rings. */
function beginLate(state: TrackerState, channel: Channel | undefined): OpenCall | undefined {
  if (!isInbound(channel) || channel.state !== PRERING || channel.goneAt !== undefined) return undefined;
  return beginCall(state, channel);
}

/** Forgets a channel that has hung up, and ends its call, unless the PBX has still to answer a question about it. */
export function forgetGone(state: TrackerState, channel: Channel): void {
  const call = state.calls.get(channel.uniqueid);
  const isAskedEnd = isCaller(channel) && channel.role.end?.application === 'asked';
  const isAsked = call && (awaitsPresentation(call, channel) || isAskedEnd);
  if (channel.goneAt === undefined || isAsked) return;
  removeChannel(state, channel);
  if (call !== undefined) endCall(state, call, channel);
}

/** What the PBX says its dialplan does at the place where a caller has hung up. */
export function applicationAnswered(
  state: TrackerState,
  { uniqueid, application, data, others = [] }: Omit<ApplicationAnswered, 'type' | 'at'>,
): void {
  state.waitingForApplication.delete(uniqueid);
  const channel = state.channels.get(uniqueid);
  if (!isCaller(channel) || channel.role.end === undefined) return;
  const { end } = channel.role;
  end.application = {
    name: application,
    data: data.replace(/\$\{EXTEN\}/g, placeAtEnd(channel.role, end).exten),
  };
  end.others = others;
  forgetGone(state, channel);
}

/** Ends the calls for which the PBX has not said in time what its dialplan does. */
export function applicationsOverdue(state: TrackerState): void {
  for (const uniqueid of takeOverdue(state, state.waitingForApplication, APPLICATION_WAIT_MS))
    applicationAnswered(state, { uniqueid, application: '', data: '' });
}

/** A call that was gone after a gap, and what its record says of it. */
export function endedUnseen(state: TrackerState, { uniqueid, number, callerId, missed }: EndedUnseen): void {
  const call = state.calls.get(uniqueid);
  if (call === undefined) return;
  if (call.reported !== undefined)
    decide(state, call.id, 'vanished', 'its channel is gone, and its end was not seen');
  if (isNumberOpen(call) && number !== undefined) {
    call.number = 'known';
    takeNumber(state, call, number);
  }
  if (callerId !== undefined && call.answer === undefined) {
    call.answer = { by: '', callerId };
    // The record knows of the whole call, whatever was observed of it.
    delete call.partlyObserved;
  }
  endCall(state, call, undefined, missed);
}

/**
 * The provider ends the call since it was answered at another line that it rings, too: a mobile, or a line of the same ISDN
 * number. SIP says so in the header Reason of the CANCEL (RFC 3326), which callers can write as well.
 */
const ANSWERED_ELSEWHERE = 26;

/**
 * True if the far end has taken the call back while it rang: only then can it be answered elsewhere. Once a menu, a queue or a
 * mailbox has answered, the provider rings no other line for it (RFC 3261, 16.7).
 */
function isWithdrawn(state: TrackerState, channel: CallerChannel): boolean {
  return channel.state !== UP && endedBy(state, channel) !== 'pbx';
}

/** Causes that technicians meet. Source: docs.asterisk.org, "Hangup Cause Mappings" (Q.850). */
const causes: Readonly<Record<number, string>> = {
  0: 'no cause',
  1: 'number not assigned',
  16: 'normal',
  17: 'busy',
  18: 'no response of the phone',
  19: 'no answer',
  20: 'phone not registered',
  21: 'rejected',
  [ANSWERED_ELSEWHERE]: 'answered elsewhere',
  27: 'destination out of order',
  28: 'number incomplete',
  31: 'normal, unspecified',
  34: 'no free line',
  38: 'network out of order',
  41: 'temporary failure',
  44: 'line not available',
  58: 'codec not available',
  102: 'timer expired',
  111: 'protocol error',
  127: 'interworking',
};

/** `cause 17 (busy)` */
function hangupCause(cause: number): string {
  const words = causes[cause];
  return words === undefined ? `cause ${cause}` : `cause ${cause} (${words})`;
}
