import { answerCallsIn } from './answer.ts';
import { dropCall, reviewNumber } from './call.ts';
import { awaitsPresentation, presumePresentation } from './caller-number.ts';
import { type Channel, createCaller, isCaller, isInbound, presentedIn } from './channel.ts';
import { forgetGone } from './hang-up.ts';
import type { CallerNumberChanged, PresentationAnswered } from './input.ts';
import { pickUp } from './snapshot.ts';
import { setRole } from './topology.ts';
import { type TrackerState, writeObserved } from './tracker-state.ts';
import { learnRevealingTrunk } from './trunk-learning.ts';

export function callerNumber(state: TrackerState, input: CallerNumberChanged): void {
  const channel = state.channels.get(input.uniqueid);
  if (channel === undefined) return;
  setNumber(channel, input.callerNumber);
  // Only the answer to `ask` counts as allowed: dialplans such as FreePBX's set `allowed` for callers who withhold the
  // number.
  if (input.presentation === 'prohibited') channel.presentation = 'prohibited';
  if (!isInbound(channel)) return;
  learnRevealingTrunk(state, channel);
  callerChanged(state, channel);
}

export function presentationAnswered(
  state: TrackerState,
  { uniqueid, presentation, dnid, presented = '' }: PresentationAnswered,
): void {
  const channel = state.channels.get(uniqueid);
  if (channel?.isInDoubt) decideDoubt(state, channel, dnid);
  if (!isCaller(channel)) return;
  const call = state.calls.get(uniqueid);
  if (call !== undefined) writeObserved(state, call, { code: 'presentation', presentation });
  // Found in a snapshot, so the dialplan may have changed the number. (On ISDN, the ANI is the number that is billed.)
  const isFoundLater = !channel.fromStart && !channel.endpoint.startsWith('DAHDI/');
  // chan_pjsip has a dialled number for every call that comes in, `s` if there is none: without it the PBX made this call
  // itself, by Originate over the trunk. Other drivers leave it out: chan_sip for `s`, IAX2 if the far end sends none.
  const isOurs = isFoundLater && channel.endpoint.startsWith('PJSIP/') && dnid === '';
  const { role } = channel;
  if (isFoundLater) role.presented = presentedIn(presented) ?? role.presented;
  if (call) call.did ??= (channel.fromStart ? channel.exten : dnid) ?? '';
  if (channel.presentation !== 'prohibited') {
    channel.presentation = presentation;
    // If the caller hung up first, the PBX has no answer. Its Hangup may come after that.
    presumePresentation(state, channel);
  }
  learnRevealingTrunk(state, channel);
  if (isOurs) setRole(state, channel, { type: 'other' });
  if (isOurs && call !== undefined && call.reported === undefined) dropCall(state, call);
  else callerChanged(state, channel);
  forgetGone(state, channel);
}

/** Begins the call of a channel that was found in progress, if a number was dialled to reach the PBX by it. */
function decideDoubt(state: TrackerState, channel: Channel, dnid: string | undefined): void {
  if (dnid === undefined) return;
  channel.isInDoubt = false;
  if (dnid === '' || channel.role.type !== 'other') return;
  const role = createCaller({ isInbound: true, presented: presentedIn(channel.number ?? '') });
  setRole(state, channel, { ...role, isAsked: true });
  pickUp(state, channel);
  if (channel.bridge !== undefined) answerCallsIn(state, channel.bridge);
}

export function numbersOverdue(state: TrackerState): void {
  for (const uniqueid of state.waitingForNumber) {
    const call = state.calls.get(uniqueid);
    const channel = state.channels.get(uniqueid);
    // The PBX was asked already.
    if (call && !(channel && awaitsPresentation(call, channel))) reviewNumber(state, call);
  }
}

export function callerChanged(state: TrackerState, channel: Channel): void {
  const call = state.calls.get(channel.uniqueid);
  if (call !== undefined) reviewNumber(state, call);
}

/** CallerIDNum as it is now; the first one is kept apart. */
export function setNumber(channel: Channel, number: string): void {
  channel.number = number || undefined;
  if (isInbound(channel)) channel.role.presented ??= presentedIn(number);
}
