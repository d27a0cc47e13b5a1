import {
  answerCallsIn,
  awaitsPresentation,
  beginCall,
  dropCall,
  endCall,
  isTrunkEnd,
  learnDiscreet,
  note,
  numberIsOverdue,
  presumed,
  reviewNumber,
  type Step,
} from './call.ts';
import { type Channel, channelKind, dialledNumber, endpointOf, RING, UP } from './channel.ts';
import type { Effect } from './effect.ts';
import type {
  BridgeDestroyed,
  BridgeEntered,
  BridgeLeft,
  CallerNumberChanged,
  ChannelCreated,
  ChannelHungUp,
  ChannelRenamed,
  ChannelStateChanged,
  Dialled,
  EndedUnseen,
  Input,
  PresentationTold,
} from './input.ts';
import { comesIn, isTrunk, type Rules } from './rules.ts';
import { applySnapshot, isHolding } from './snapshot.ts';
import type { OpenCall, State } from './state.ts';
import { dropChannel, enterBridge, leaveBridge, putChannel } from './topology.ts';

export type Transition = { readonly state: State; readonly effects: readonly Effect[] };

/**
 * The tracker: what the PBX said, to what is told. Pure: the same state, input and rules give the same answer; time
 * is `input.at` and nothing else. Input about channels that are not known is not an error: after a connect in the
 * middle of things there is always some.
 */
export function reduce(rules: Rules, state: State, input: Input): Transition {
  const step: Step = { rules, at: input.at, state, effects: [] };
  switch (input.type) {
    case 'channel-created':
      channelCreated(step, input);
      break;
    case 'channel-state':
      channelState(step, input);
      break;
    case 'caller-number':
      callerNumber(step, input);
      break;
    case 'presentation':
      presentationTold(step, input);
      break;
    case 'dialled':
      dialled(step, input);
      break;
    case 'channel-renamed':
      channelRenamed(step, input);
      break;
    case 'bridge-entered':
      bridgeEntered(step, input);
      break;
    case 'bridge-left':
      bridgeLeft(step, input);
      break;
    case 'bridge-destroyed':
      bridgeDestroyed(step, input);
      break;
    case 'hung-up':
      hungUp(step, input);
      break;
    case 'snapshot':
      applySnapshot(step, input);
      break;
    case 'ended-unseen':
      endedUnseen(step, input);
      break;
    case 'tick':
      numbersOverdue(step);
      break;
  }
  return { state: step.state, effects: step.effects };
}

function channelCreated(step: Step, seen: ChannelCreated): void {
  const trunk = isTrunk(step.rules, seen);
  const inbound = comesIn(seen, trunk);
  const known = step.state.channels.get(seen.uniqueid);
  // Known already: the snapshot was quicker than this event. It knows the state better, the event the context.
  const channel: Channel = known
    ? {
        ...known,
        presented: seen.callerNumber || known.presented,
        heard: true,
        exten: seen.exten,
        inbound: inbound && known.dialled === '',
        trunk,
      }
    : {
        uniqueid: seen.uniqueid,
        name: seen.channel,
        kind: channelKind(seen.channel),
        endpoint: endpointOf(seen.channel),
        state: seen.state,
        number: seen.callerNumber,
        presented: seen.callerNumber,
        dialled: '',
        presentation: 'unknown',
        heard: true,
        exten: seen.exten,
        inbound,
        trunk,
        bridge: '',
      };
  step.state = putChannel(step.state, channel);
  if (!inbound) return;
  if (seen.state === RING || channel.state === RING) ring(step, channel);
}

function channelState(step: Step, { uniqueid, state, callerNumber }: ChannelStateChanged): void {
  const known = step.state.channels.get(uniqueid);
  // Only a caller's state decides anything; for the legs of all others, spare the copy.
  if (known === undefined || !known.inbound) return;
  const channel = {
    ...known,
    state,
    number: callerNumber || known.number,
    presented: known.presented || callerNumber,
  };
  step.state = putChannel(step.state, channel);
  if (state === RING) ring(step, channel);
  newsOfCaller(step, channel);
}

function callerNumber(step: Step, input: CallerNumberChanged): void {
  const known = step.state.channels.get(input.uniqueid);
  if (known === undefined) return;
  // Only the answer to `ask` says that a number may be shown: dialplans (FreePBX's) allow what the caller prohibited.
  const presentation = input.presentation === 'prohibited' ? 'prohibited' : known.presentation;
  const presented = known.presented || input.callerNumber;
  const channel = { ...known, number: input.callerNumber, presented, presentation };
  step.state = putChannel(step.state, channel);
  if (!channel.inbound) return;
  learnDiscreet(step, channel);
  newsOfCaller(step, channel);
}

function presentationTold(step: Step, { uniqueid, presentation, dnid }: PresentationTold): void {
  const known = step.state.channels.get(uniqueid);
  if (known === undefined) return;
  // Found in a snapshot, and nobody dialled a number to reach us: Originate over the trunk. (Analogue lines have none.)
  const ours = !known.heard && dnid === '' && !known.endpoint.startsWith('DAHDI/');
  // A PBX that will not say is taken not to object: most trunks replace the number of a caller who withholds it.
  // Unless the caller was quicker than the question: then the PBX cannot say.
  const last = known.gone ? presumed(step.state, { ...known, presentation }) : presentation;
  const shown = known.presentation === 'prohibited' ? 'prohibited' : last === 'unknown' ? 'allowed' : last;
  const channel: Channel = { ...known, presentation: shown, inbound: known.inbound && !ours };
  step.state = putChannel(step.state, channel);
  learnDiscreet(step, channel);
  const call = step.state.calls.get(uniqueid);
  if (ours && call?.told === undefined && call !== undefined) dropCall(step, call);
  else newsOfCaller(step, channel);
  if (known.gone) leave(step, channel);
}

/** A leg that is dialled out, over a trunk perhaps, is nobody's call to us, whatever its context. */
function dialled(step: Step, { uniqueid, dialString }: Dialled): void {
  const known = step.state.channels.get(uniqueid);
  // Only of a leg over a trunk is it asked what was dialled; spare the others the copy.
  if (known === undefined || !isTrunkEnd(step.state, known)) return;
  step.state = putChannel(step.state, { ...known, inbound: false, dialled: dialledNumber(dialString) });
}

function channelRenamed(step: Step, { uniqueid, channel: name }: ChannelRenamed): void {
  const known = step.state.channels.get(uniqueid);
  if (known === undefined) return;
  step.state = putChannel(step.state, {
    ...known,
    name,
    kind: channelKind(name),
    endpoint: endpointOf(name),
    trunk: endpointOf(name) === known.endpoint ? known.trunk : step.rules.nameIsInbound(name),
  });
  if (known.bridge !== '') answerCallsIn(step, known.bridge);
}

function bridgeEntered(step: Step, input: BridgeEntered): void {
  const known = step.state.channels.get(input.uniqueid) ?? {
    uniqueid: input.uniqueid,
    name: input.channel,
    kind: channelKind(input.channel),
    endpoint: endpointOf(input.channel),
    state: UP,
    number: '',
    presented: '',
    dialled: '',
    presentation: 'unknown',
    heard: false,
    exten: '',
    inbound: false,
    trunk: step.rules.nameIsInbound(input.channel),
    bridge: '',
  };
  const news = input.callerNumber !== '' && input.callerNumber !== known.number;
  const channel = news
    ? { ...known, number: input.callerNumber, presented: known.presented || input.callerNumber }
    : known;
  step.state = enterBridge(step.state, channel, input.bridge, isHolding(input.technology));
  answerCallsIn(step, input.bridge);
}

function bridgeLeft(step: Step, { uniqueid, bridge }: BridgeLeft): void {
  const channel = step.state.channels.get(uniqueid);
  if (channel?.bridge === bridge) step.state = leaveBridge(step.state, channel);
}

function bridgeDestroyed(step: Step, { bridge }: BridgeDestroyed): void {
  for (const uniqueid of step.state.bridges.get(bridge)?.members ?? []) {
    const channel = step.state.channels.get(uniqueid);
    if (channel !== undefined) step.state = leaveBridge(step.state, channel);
  }
}

function hungUp(step: Step, { uniqueid }: ChannelHungUp): void {
  const channel = step.state.channels.get(uniqueid);
  const call = step.state.calls.get(uniqueid);
  // The answer may be under way: what the PBX was asked of a channel that was still there, it says.
  if (channel && call && awaitsPresentation(call, channel))
    step.state = putChannel(leaveBridge(step.state, channel), { ...channel, bridge: '', gone: true });
  else leave(step, channel, call);
}

/** The channel is forgotten, and its call is over. */
function leave(
  step: Step,
  channel: Channel | undefined,
  call = channel && step.state.calls.get(channel.uniqueid),
): void {
  if (channel !== undefined) step.state = dropChannel(step.state, channel);
  if (call !== undefined) endCall(step, call, channel);
}

function endedUnseen(step: Step, { uniqueid, from, callerId }: EndedUnseen): void {
  const call = step.state.calls.get(uniqueid);
  if (call === undefined) return;
  if (call.told !== undefined)
    note(step, call.id, 'vanished', 'its channel is gone, and its end was not seen');
  const known: OpenCall =
    call.from === '' && call.number !== 'withheld' && from ? { ...call, number: 'known', from } : call;
  // The record knows of the whole call, whatever was heard of it.
  const { unheard: _, ...whole } = known;
  const answered =
    callerId === undefined || known.answer ? known : { ...whole, answer: { by: '', callerId } };
  endCall(step, answered, undefined);
}

function numbersOverdue(step: Step): void {
  for (const [uniqueid] of step.state.awaiting.entries()) {
    const call = step.state.calls.get(uniqueid);
    const channel = step.state.channels.get(uniqueid);
    if (channel?.gone && call && numberIsOverdue(call, step.at)) leave(step, channel, call);
    else if (call !== undefined) reviewNumber(step, call);
  }
}

function ring(step: Step, channel: Channel): void {
  if (!step.state.calls.has(channel.uniqueid)) beginCall(step, channel);
}

function newsOfCaller(step: Step, channel: Channel): void {
  const call = step.state.calls.get(channel.uniqueid);
  if (call !== undefined && call.from === '') reviewNumber(step, call);
}
