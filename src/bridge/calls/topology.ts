import { addTo, removeFrom } from '../../shared/process/multimap.ts';
import {
  type Bridge,
  type Channel,
  callerOf,
  createCaller,
  isPaged,
  presentedIn,
  type Role,
} from './channel.ts';
import { otherHalf } from './channel-name.ts';
import type { ChannelSeen } from './input.ts';
import type { TrackerState } from './tracker-state.ts';

/** BridgeDestroy follows at once, unless the manager keeps it back. */
const MOST_EMPTIED = 1_000;

/**
 * The real channels that are connected through `bridge`, nearest first: its members, and those of every bridge at the
 * other end of a Local pair, however long the chain. A bridge that only holds its channels (parking, waiting agents)
 * connects none of them, and a phone that was paged hears only.
 */
export function partiesOf(state: TrackerState, bridge: Bridge): Channel[] {
  const parties: Channel[] = [];
  const seen = new Set([bridge]);
  for (const { members, holding } of seen) {
    if (holding) continue;
    for (const channel of members) {
      if (isPaged(channel)) continue;
      if (channel.kind === 'real') parties.push(channel);
      const half = state.locals.get(otherHalf(channel.name));
      if (half?.bridge !== undefined && !isPaged(half)) seen.add(half.bridge);
    }
  }
  return parties;
}

/** Puts the channel into a bridge, out of the one where it was: it is in one bridge at a time. */
export function enterBridge(state: TrackerState, channel: Channel, id: string, holding: boolean): Bridge {
  if (channel.bridge?.id !== id) leaveBridge(state, channel);
  let bridge = state.bridges.get(id);
  if (bridge === undefined) {
    bridge = { id, members: new Set(), holding, isSecond: state.emptied.has(id) };
    state.bridges.set(id, bridge);
  }
  bridge.members.add(channel);
  bridge.holding = holding;
  channel.bridge = bridge;
  return bridge;
}

/** Takes the channel out of its bridge, which is forgotten with its last member. */
export function leaveBridge(state: TrackerState, channel: Channel): void {
  const { bridge } = channel;
  if (bridge === undefined) return;
  channel.bridge = undefined;
  bridge.members.delete(channel);
  state.parted.push({ channel, bridge });
  if (bridge.members.size > 0) return;
  state.bridges.delete(bridge.id);
  state.emptied.add(bridge.id);
  const [oldest = ''] = state.emptied;
  if (state.emptied.size > MOST_EMPTIED) state.emptied.delete(oldest);
}

/**
 * A bridge is gone, and whoever was in it has left, unless its id was given to another one in the meantime: ARI lets programs
 * choose it, and events of two bridges come in any order.
 */
export function destroyBridge(state: TrackerState, id: string): void {
  state.emptied.delete(id);
  const bridge = state.bridges.get(id);
  if (bridge === undefined) return;
  if (!bridge.isSecond) for (const channel of bridge.members) leaveBridge(state, channel);
  bridge.isSecond = false;
}

export function addChannel(state: TrackerState, channel: Channel): void {
  state.channels.set(channel.uniqueid, channel);
  if (channel.kind === 'local') state.locals.set(channel.name, channel);
  const caller = callerOf(channel);
  if (caller !== undefined) addTo(state.legs, caller, channel);
}

/** The role of a channel that is seen for the first time, or again after a gap: the channel of an open call is a caller's. */
export function firstRole(
  { calls }: TrackerState,
  { uniqueid, callerNumber }: Pick<ChannelSeen, 'uniqueid' | 'callerNumber'>,
  type: 'caller' | 'other' | 'unknown',
): Role {
  if (type === 'caller') return createCaller({ isInbound: true, presented: presentedIn(callerNumber) });
  return calls.has(uniqueid) ? createCaller({ isInbound: false, presented: undefined }) : { type };
}

/** Moves a channel from one role to another; nothing else does. A caller stays one until the call is over. */
export function setRole(state: TrackerState, channel: Channel, role: Role): void {
  const { role: before } = channel;
  if (before.type === 'caller' && role.type !== 'caller' && state.calls.has(channel.uniqueid)) {
    before.isInbound = false;
    return;
  }
  const callerBefore = callerOf(channel);
  if (callerBefore !== undefined) removeFrom(state.legs, callerBefore, channel);
  const changed: { role: Role } = channel;
  changed.role = role;
  const caller = callerOf(channel);
  if (caller !== undefined) addTo(state.legs, caller, channel);
}

/**
 * The Uniqueid of the open call's caller for whom this channel dials: its own, or of whom it is or was with, or was dialled for.
 * Its Linkedid does not say that: it is the oldest channel's of all that were ever connected.
 */
export function callerDialling(state: TrackerState, dialler: Channel): string | undefined {
  const half = dialler.kind === 'local' ? state.locals.get(otherHalf(dialler.name)) : undefined;
  const connected = half?.bridge === undefined ? [] : partiesOf(state, half.bridge);
  const last = state.channels.get(dialler.withCaller ?? '');
  // Somebody else may have that caller now.
  const hasLast = last?.role.type === 'caller' && last.role.talksWith === dialler.uniqueid;
  return [
    dialler.uniqueid,
    ...connected.map(({ uniqueid }) => uniqueid),
    hasLast ? last.uniqueid : undefined,
    callerOf(dialler),
  ].find((uniqueid) => uniqueid !== undefined && state.calls.has(uniqueid));
}

/** The channels that were dialled for this caller and have not hung up. */
export function legsOf(state: TrackerState, caller: string): Iterable<Channel> {
  return state.legs.get(caller) ?? [];
}

/** Forgets the channel, and takes it out of its bridge. */
export function removeChannel(state: TrackerState, channel: Channel): void {
  leaveBridge(state, channel);
  state.channels.delete(channel.uniqueid);
  if (state.locals.get(channel.name) === channel) state.locals.delete(channel.name);
  const caller = callerOf(channel);
  if (caller !== undefined) removeFrom(state.legs, caller, channel);
}
