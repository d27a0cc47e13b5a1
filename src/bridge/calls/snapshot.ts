import { answerCallsIn } from './answer.ts';
import { afterGap, beginCall, endCall, replacingOverdue, reviewNumber, saveCall } from './call.ts';
import { type Channel, createChannel, isCaller, isInbound, presentedIn, RING, UP } from './channel.ts';
import { channelKind, endpointOf } from './channel-name.ts';
import type { Snapshot, SnapshotChannel } from './input.ts';
import type { OpenCall } from './open-call.ts';
import { classifyChannel, isLegOf } from './rules.ts';
import { addChannel, enterBridge, firstRole } from './topology.ts';
import { decide, type TrackerState } from './tracker-state.ts';
import { isTrunk } from './trunk-learning.ts';

/** Bridges that hold channels without letting them hear each other: parking lots, agents who wait for a call. */
export function isHolding(technology: string): boolean {
  return technology === 'holding_bridge';
}

/**
 * Applies a snapshot after a (re)connect: ends open calls that are gone, picks up calls in progress that are unknown,
 * and answers calls that were answered meanwhile.
 */
export function applySnapshot(state: TrackerState, snapshot: Snapshot): void {
  const before = replaceChannels(state, snapshot);
  for (const call of state.calls.values()) {
    if (!state.channels.has(call.uniqueid)) callVanished(state, call, before.get(call.uniqueid));
  }
  for (const call of state.calls.values()) reviewNumber(state, call);
  replacingOverdue(state);
  for (const channel of state.channels.values()) pickUp(state, channel);
  for (const bridge of state.bridges.values()) answerCallsIn(state, bridge);
  state.snapshots += 1;
}

/** The channel of an open call is gone: its end was not seen. With a gap filler its record says how it ended. */
export function callVanished(state: TrackerState, call: OpenCall, channel: Channel | undefined): void {
  afterGap(call, undefined);
  if (state.rules.hasGapFiller) {
    saveCall(state, call);
    return;
  }
  if (call.reported !== undefined)
    decide(state, call.id, 'vanished', 'its channel is gone, and its end was not seen');
  endCall(state, call, channel);
}

/** Begins the call of an inbound caller's channel that is found in progress. */
export function pickUp(state: TrackerState, channel: Channel): void {
  if (!isInbound(channel) || state.calls.has(channel.uniqueid)) return;
  if (channel.state !== RING && channel.state !== UP) return;
  const call = beginCall(state, channel, true);
  decide(state, call.id, 'picked-up', 'is in progress, and its beginning was not observed');
}

/** Replaces all channels and bridges by those of the snapshot, and returns the channels that were known. */
function replaceChannels(state: TrackerState, snapshot: Snapshot): Map<string, Channel> {
  const before = new Map(state.channels);
  for (const table of [state.channels, state.locals, state.bridges, state.emptied, state.legs]) table.clear();
  state.waitingForApplication.clear();
  state.unheard = new Set();
  const technologies = new Map(snapshot.bridges.map(({ bridge, technology }) => [bridge, technology]));
  for (const seen of snapshot.channels) {
    const channel = channelOf(state, seen, before.get(seen.uniqueid));
    addChannel(state, channel);
    if (seen.bridge !== '')
      enterBridge(state, channel, seen.bridge, isHolding(technologies.get(seen.bridge) ?? ''));
  }
  return before;
}

/**
 * Makes the channel of a snapshot's row. If its Newchannel was seen, the result of that stays. Else its present context
 * may mislead: it has moved on with the dialplan, perhaps to that of the trunks, where a phone calls its own company.
 * So an inbound caller is recognised by the channel's name, by an endpoint that is a trunk, or, if the PBX does not say
 * the endpoint's context, by the present one. A leg that was dialled out over the same trunk runs no dialplan: Asterisk
 * names its application AppDial or AppDial2 ("Outgoing Line"). A channel that was not reported before a restart is not
 * reported after it.
 */
export function channelOf(state: TrackerState, seen: SnapshotChannel, known: Channel | undefined): Channel {
  const kind = channelKind(seen.channel);
  const endpoint = endpointOf(seen.channel);
  if (known !== undefined && known.role.type !== 'unknown') {
    if (isCaller(known)) {
      known.role.presented ??= presentedIn(seen.callerNumber);
      known.role.isAsked = false;
    }
    return Object.assign(known, {
      name: seen.channel,
      kind,
      endpoint,
      state: seen.state,
      number: seen.callerNumber || undefined,
      bridge: undefined,
      goneAt: undefined,
      isMissing: false,
    });
  }
  const context = state.contexts.get(endpoint) ?? seen.context;
  const trunk = isTrunk(state, endpoint) || classifyChannel(state.rules, { ...seen, context }).trunk;
  const comesIn = trunk && kind === 'real' && !isLegOf(seen);
  const isUnreported = state.unreported.has(seen.uniqueid) && !state.calls.has(seen.uniqueid);
  const inbound = comesIn && !isUnreported && !seen.application.startsWith('AppDial');
  return createChannel(seen, {
    fromStart: false,
    trunk,
    seenAt: state.at,
    role: firstRole(state, seen, inbound ? 'caller' : 'other'),
  });
}
