import { answerCallsIn } from './answer.ts';
import { afterGap, beginCall, endCall, replacingOverdue, reviewNumber, saveCall } from './call.ts';
import {
  type Channel,
  createChannel,
  isCaller,
  isInbound,
  legRole,
  presentedIn,
  RING,
  type Role,
  UP,
} from './channel.ts';
import { channelKind, endpointOf } from './channel-name.ts';
import type { Snapshot, SnapshotChannel } from './input.ts';
import type { OpenCall } from './open-call.ts';
import { classifyChannel, isLegOf } from './rules.ts';
import { addChannel, enterBridge, firstRole } from './topology.ts';
import { decide, type TrackerState } from './tracker-state.ts';
import { isTrunk } from './trunk-learning.ts';
import { awaitRinging, legChanged, ringsGone, talksWith, tellAgain } from './who.ts';

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
  for (const channel of state.channels.values()) {
    pickUp(state, channel);
    if (channel.role.type === 'leg') awaitRinging(state, channel);
    legChanged(state, channel);
  }
  for (const call of state.calls.values()) whoLeft(state, call);
  for (const bridge of state.bridges.values()) answerCallsIn(state, bridge);
  if (state.snapshots === 0) tellAgain(state);
  state.snapshots += 1;
}

/** Who rang or talked before the gap, and does no more. */
function whoLeft(state: TrackerState, call: OpenCall): void {
  ringsGone(state, call);
  if (state.channels.get(call.uniqueid)?.bridge === undefined) talksWith(state, call, []);
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

/**
 * Begins the call of an inbound caller's channel that is found in progress. If that is in doubt, the PBX is asked first which
 * number was dialled to reach it.
 */
export function pickUp(state: TrackerState, channel: Channel): void {
  if (channel.state !== RING && channel.state !== UP) return;
  if (channel.isInDoubt)
    state.effects.push({ type: 'ask', uniqueid: channel.uniqueid, channel: channel.name });
  if (!isInbound(channel) || state.calls.has(channel.uniqueid)) return;
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
 * the endpoint's context, by the present one. A leg that was dialled out over the same trunk runs no dialplan. Once it was
 * handed on, it does; and a caller has the Linkedid of an older channel, once the two were joined: `isInDoubt`. A channel
 * that was not reported before a restart is not reported after it.
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
  const isUnreported = state.unreported.has(seen.uniqueid) && !state.calls.has(seen.uniqueid);
  const mayComeIn = trunk && kind === 'real' && !isUnreported && !wasDialled(seen);
  const inbound = mayComeIn && !isLegOf(seen);
  const channel = createChannel(seen, {
    fromStart: false,
    trunk,
    seenAt: state.at,
    role:
      pbxLeg(state, seen, trunk) ??
      ringingLeg(state, seen) ??
      firstRole(state, seen, inbound ? 'caller' : 'other'),
  });
  // Without an application it took the place of another far end, of a call that may be no caller's (see `farEndReplaced`).
  channel.isInDoubt =
    mayComeIn && channel.role.type === 'other' && seen.application !== '' && saysDialledNumber(endpoint);
  const isDialledByPbx = channel.role.type === 'leg' && channel.role.isDialledByPbx;
  if (isDialledByPbx || !wasDialled(seen)) channel.context = seen.context;
  return channel;
}

/** True for a leg that was dialled and runs no dialplan: Asterisk names that "Outgoing Line". */
function wasDialled({ application }: SnapshotChannel): boolean {
  return /^App(?:Dial|Queue)/.test(application);
}

/**
 * True for drivers that have a dialled number for callers, and none for legs that they dial: of those of a PRI line, DAHDI has
 * one, too.
 * @see sip_new in Asterisk's channels/chan_sip.c, sig_pri_extract_called_num_subaddr in channels/sig_pri.c
 */
function saysDialledNumber(endpoint: string): boolean {
  return /^(?:PJSIP|SIP|IAX2)\//.test(endpoint);
}

/** The role of a leg that nobody has picked up yet: it may ring. Only its Linkedid says for whom. */
function ringingLeg(state: TrackerState, seen: SnapshotChannel): Role | undefined {
  const isUnanswered = wasDialled(seen) && seen.state !== RING && seen.state < UP;
  if (!isUnanswered || !isLegOf(seen) || state.calls.has(seen.uniqueid)) return undefined;
  return legRole({ type: 'other' }, { dialledFor: seen.linkedid, isBegun: true });
}

/** The role of a leg that the PBX itself has dialled for a call, as Page() does; undefined for others. */
function pbxLeg(state: TrackerState, seen: SnapshotChannel, trunk: boolean): Role | undefined {
  const isPaged = seen.application === 'ConfBridge' && !trunk && isWhereItBegan(state, seen);
  if (!isLegOf(seen) || state.calls.has(seen.uniqueid) || !(isPaged || seen.application === 'AppDial2'))
    return undefined;
  return legRole(
    { type: 'other' },
    { dialledFor: seen.linkedid, isBegun: true, isDialledByPbx: true, isPaged },
  );
}

/**
 * True for a dialled leg that no dialplan has led away: Page() sends it into its conference from there. Dial() leaves a leg
 * without an extension.
 */
function isWhereItBegan({ contexts }: TrackerState, { channel, context, exten }: SnapshotChannel): boolean {
  if (channelKind(channel) === 'local')
    return channel.startsWith(`Local/${exten}@${context}-`) && channel.endsWith(';1');
  return exten === 's' && (contexts.get(endpointOf(channel)) ?? context) === context;
}
