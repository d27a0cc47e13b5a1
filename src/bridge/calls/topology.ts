import { addTo, removeFrom } from '../../shared/process/multimap.ts';
import { type Bridge, type Channel, otherHalf } from './channel.ts';
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
      if (channel.isPaged) continue;
      if (channel.kind === 'real') parties.push(channel);
      const half = state.locals.get(otherHalf(channel.name));
      if (half?.bridge !== undefined && !half.isPaged) seen.add(half.bridge);
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
  if (channel.dialledFor !== '') addLeg(state, channel, channel.dialledFor);
}

/** The channel was dialled for this caller. */
export function addLeg(state: TrackerState, channel: Channel, caller: string): void {
  channel.dialledFor = caller;
  addTo(state.legs, caller, channel);
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
  removeFrom(state.legs, channel.dialledFor, channel);
}
