import { type Channel, otherHalf } from './channel.ts';
import type { TrackerState } from './tracker-state.ts';

/**
 * Who hears whom. The real channels that are connected through `bridge`, nearest first: its members, and those of
 * every bridge at the other end of a Local pair, however long the chain. A bridge that only holds its channels
 * (parking, agents who wait) connects none of them.
 */
export function partiesOf(state: TrackerState, bridge: string): Channel[] {
  const parties: Channel[] = [];
  const seen = [bridge];
  for (const each of seen) {
    const { members, holding } = state.bridges.get(each) ?? { members: [], holding: true };
    if (holding) continue;
    for (const channel of members) {
      if (channel.kind === 'real') parties.push(channel);
      if (channel.kind !== 'local') continue;
      const beyond = state.locals.get(otherHalf(channel.name))?.bridge ?? '';
      if (beyond !== '' && !seen.includes(beyond)) seen.push(beyond);
    }
  }
  return parties;
}

/** Puts the channel into a bridge, out of the one where it was: it is in one bridge at a time. */
export function enterBridge(state: TrackerState, channel: Channel, id: string, holding: boolean): void {
  if (channel.bridge !== id) leaveBridge(state, channel);
  channel.bridge = id;
  const bridge = state.bridges.get(id);
  if (bridge === undefined) state.bridges.set(id, { members: new Set([channel]), holding });
  else {
    bridge.members.add(channel);
    bridge.holding = holding;
  }
}

/** Takes the channel out of its bridge, which is forgotten with its last member. */
export function leaveBridge(state: TrackerState, channel: Channel): void {
  const bridge = state.bridges.get(channel.bridge);
  bridge?.members.delete(channel);
  if (bridge?.members.size === 0) state.bridges.delete(channel.bridge);
  channel.bridge = '';
}

export function addChannel(state: TrackerState, channel: Channel): void {
  state.channels.set(channel.uniqueid, channel);
  if (channel.kind === 'local') state.locals.set(channel.name, channel);
}

/** Forgets the channel, and takes it out of its bridge. */
export function removeChannel(state: TrackerState, channel: Channel): void {
  leaveBridge(state, channel);
  state.channels.delete(channel.uniqueid);
  if (state.locals.get(channel.name) === channel) state.locals.delete(channel.name);
}
