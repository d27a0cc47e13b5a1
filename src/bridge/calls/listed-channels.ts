import { answerCallsIn } from './answer.ts';
import { type Channel, callerOf, UP } from './channel.ts';
import type { ChannelsListed, SnapshotChannel } from './input.ts';
import { callVanished, channelOf, isHolding, pickUp } from './snapshot.ts';
import { addChannel, enterBridge, legsOf, removeChannel, setRole } from './topology.ts';
import { type TrackerState, takeOverdue, waitFor, writeObserved } from './tracker-state.ts';
import { legChanged } from './who.ts';

/** How long after both have picked up a BridgeEnter may come, ms: Asterisk sends it at once. */
const CONNECT_MS = 2_000;

/**
 * A caller or a phone has picked up. If nothing connects them, the PBX is asked: its manager may keep BridgeEnter back. It may
 * be right, too: who is asked to press 1 first is not connected yet.
 */
export function pickedUp(state: TrackerState, channel: Channel): void {
  const caller = state.channels.get(callerOf(channel) ?? channel.uniqueid);
  if (caller === undefined || !isUnconnected(state, caller)) return;
  waitFor(state, state.connecting, caller.uniqueid, CONNECT_MS);
}

/** True for an unanswered caller who has picked up, as a phone has that was dialled for the call, and is in no bridge. */
function isUnconnected(state: TrackerState, caller: Channel): boolean {
  const call = state.calls.get(caller.uniqueid);
  if (call === undefined || call.answer !== undefined || caller.state !== UP || caller.bridge !== undefined)
    return false;
  for (const { kind, state: legState } of legsOf(state, caller.uniqueid))
    if (kind === 'real' && legState === UP) return true;
  return false;
}

export function connectionsOverdue(state: TrackerState): void {
  const isAsked = takeOverdue(state, state.connecting, CONNECT_MS).some((uniqueid) => {
    const caller = state.channels.get(uniqueid);
    return caller !== undefined && isUnconnected(state, caller);
  });
  if (isAsked) state.effects.push({ type: 'ask-channels' });
}

/** Makes up for events that never came: Hangup, BridgeEnter, Newchannel and Newstate. */
export function applyList(state: TrackerState, list: ChannelsListed): void {
  const listed = new Map(list.channels.map((row) => [row.uniqueid, row]));
  for (const channel of state.channels.values()) {
    // One that came up after the question need not be in the answer.
    if (channel.goneAt !== undefined || channel.seenAt >= list.askedAt) continue;
    const isMissing = !listed.has(channel.uniqueid);
    if (isMissing && channel.isMissing) hangupLost(state, channel);
    channel.isMissing = isMissing;
    if (listed.get(channel.uniqueid)?.state === UP) upUnseen(state, channel);
  }
  const unheard = new Set<string>();
  for (const row of listed.values()) {
    const known = state.channels.get(row.uniqueid);
    if (known !== undefined && known.role.type !== 'unknown') continue;
    unheard.add(row.uniqueid);
    // The Newchannel may be on the way.
    if (state.unheard.has(row.uniqueid)) newchannelLost(state, row, known);
  }
  state.unheard = unheard;
  connect(state, list);
}

/** The Newstate of a channel that has picked up may have been kept back, as in a bridge of ARI. */
function upUnseen(state: TrackerState, channel: Channel): void {
  if (channel.state === UP) return;
  channel.state = UP;
  legChanged(state, channel);
  if (channel.bridge !== undefined) answerCallsIn(state, channel.bridge);
}

/** @param known what a BridgeEnter has said of the channel. */
function newchannelLost(state: TrackerState, row: SnapshotChannel, known: Channel | undefined): void {
  const found = channelOf(state, row, undefined);
  if (known === undefined) addChannel(state, found);
  else {
    const { trunk, number, context, exten, isInDoubt, state: now } = found;
    Object.assign(known, { trunk, number, context, exten, isInDoubt, state: now });
    setRole(state, known, found.role);
  }
  const channel = known ?? found;
  pickUp(state, channel);
  if (channel.bridge !== undefined) answerCallsIn(state, channel.bridge);
}

function hangupLost(state: TrackerState, channel: Channel): void {
  const call = state.calls.get(channel.uniqueid);
  if (call !== undefined) writeObserved(state, call, { code: 'hangup-lost', channel: channel.name });
  channel.goneAt = state.at;
  legChanged(state, channel);
  removeChannel(state, channel);
  if (call !== undefined) callVanished(state, call, channel);
}

/** Puts channels into the bridges that the list has them in, if no event has said that they are in any. */
function connect(state: TrackerState, { channels, bridges }: ChannelsListed): void {
  const technologies = new Map(bridges.map(({ bridge, technology }) => [bridge, technology]));
  const changed = channels.flatMap((row) => {
    const channel = state.channels.get(row.uniqueid);
    if (row.bridge === '' || channel === undefined || channel.bridge !== undefined) return [];
    if (channel.goneAt !== undefined) return [];
    channel.state = row.state;
    state.effects.push({ type: 'bridge-unseen', channel: channel.name });
    return enterBridge(state, channel, row.bridge, isHolding(technologies.get(row.bridge) ?? ''));
  });
  for (const bridge of new Set(changed)) answerCallsIn(state, bridge);
}
