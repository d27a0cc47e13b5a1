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
import type { Place } from './place.ts';
import { numberByRules } from './rules.ts';
import { leaveBridge, removeChannel } from './topology.ts';
import { decide, type TrackerState, takeOverdue, writeJournal } from './tracker-state.ts';
import { legChanged } from './who.ts';

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
  if (channel?.kind === 'real')
    writeHangUp(state, channel, call, { cause, place: { context, exten, priority } });
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
  legChanged(state, channel);
  forgetGone(state, channel);
}

function writeHangUp(
  state: TrackerState,
  channel: Channel,
  call: OpenCall | undefined,
  { cause, place }: { readonly cause: number; readonly place: Place },
): void {
  const { at } = state;
  const { uniqueid, name } = channel;
  if (call !== undefined && isCaller(channel)) {
    const end = placeAtEnd(channel.role, channel.role.end ?? { place, isRequested: false });
    const isPlaced = end.context !== '' && !isTalking(state, channel);
    const event = { code: 'caller-hung-up', channel: name, cause } as const;
    writeJournal(state, {
      at,
      uniqueid,
      call: call.id,
      kind: 'observed',
      event,
      ...(isPlaced && { place: end }),
    });
  } else if (isInbound(channel)) {
    const event = { code: 'never-rang', channel: name, cause, isDialledOut: channel.state === UP } as const;
    writeJournal(state, { at, uniqueid, kind: 'not-reported', event });
  } else
    writeJournal(state, { at, uniqueid, kind: 'observed', event: { code: 'hung-up', channel: name, cause } });
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
export function endedUnseen(state: TrackerState, ended: EndedUnseen): void {
  const { uniqueid, number, facts, callerId, missed } = ended;
  const call = state.calls.get(uniqueid);
  if (call === undefined) return;
  if (call.reported !== undefined)
    decide(state, call.id, 'vanished', 'its channel is gone, and its end was not seen');
  // What a rule has ignored stays ignored: the record may lack the number called.
  if (isNumberOpen(call) && number !== undefined && call.ignored === undefined) {
    call.number = 'known';
    const known = { ...facts, ...(call.did && { called: call.did }) };
    const isReported = call.reported !== undefined;
    takeNumber(state, call, isReported ? number : numberByRules(state.rules, number, known));
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
