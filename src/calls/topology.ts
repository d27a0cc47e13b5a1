import { type Channel, otherHalf } from './channel.ts';
import type { State } from './state.ts';

/**
 * Who hears whom. The real channels that are connected through `bridge`, nearest first: its members, and those of
 * every bridge at the other end of a Local pair, however long the chain. A bridge that only holds its channels
 * (parking, agents who wait) connects nobody.
 */
export function partiesOf(state: State, bridge: string): Channel[] {
  const parties: Channel[] = [];
  const seen = [bridge];
  for (let next = 0; next < seen.length; next += 1) {
    const { members, holding } = state.bridges.get(seen[next] as string) ?? { members: [], holding: true };
    if (holding) continue;
    for (const uniqueid of members) {
      const channel = state.channels.get(uniqueid);
      if (channel?.kind === 'real') parties.push(channel);
      if (channel?.kind !== 'local') continue;
      const beyond = state.channels.get(state.locals.get(otherHalf(channel.name)) ?? '')?.bridge ?? '';
      if (beyond !== '' && !seen.includes(beyond)) seen.push(beyond);
    }
  }
  return parties;
}

/** The channel put into a bridge, out of the one where it was: it is in one bridge at a time. */
export function enterBridge(state: State, channel: Channel, bridge: string, holding: boolean): State {
  const left = channel.bridge === bridge ? state.bridges : withoutMember(state.bridges, channel);
  const members = left.get(bridge)?.members ?? [];
  return {
    ...state,
    channels: state.channels.set(channel.uniqueid, { ...channel, bridge }),
    bridges: left.set(bridge, {
      members: members.includes(channel.uniqueid) ? members : [...members, channel.uniqueid],
      holding,
    }),
  };
}

/** The channel taken out of its bridge. */
export function leaveBridge(state: State, channel: Channel): State {
  return {
    ...state,
    channels: state.channels.set(channel.uniqueid, { ...channel, bridge: '' }),
    bridges: withoutMember(state.bridges, channel),
  };
}

/** The bridges when a channel is no longer in its own, which is forgotten with its last member. */
function withoutMember(bridges: State['bridges'], { uniqueid, bridge }: Channel): State['bridges'] {
  const left = bridge === '' ? undefined : bridges.get(bridge);
  if (left === undefined) return bridges;
  const members = left.members.filter((member) => member !== uniqueid);
  return members.length === 0 ? bridges.delete(bridge) : bridges.set(bridge, { ...left, members });
}

/** The channel as it now is; a Local half can be found by its name. */
export function putChannel(state: State, channel: Channel): State {
  const before = state.channels.get(channel.uniqueid);
  const channels = state.channels.set(channel.uniqueid, channel);
  if (before?.name === channel.name || (before?.kind !== 'local' && channel.kind !== 'local'))
    return { ...state, channels };
  const locals = before?.kind === 'local' ? state.locals.delete(before.name) : state.locals;
  return {
    ...state,
    channels,
    locals: channel.kind === 'local' ? locals.set(channel.name, channel.uniqueid) : locals,
  };
}

/** The channel gone, from its bridge too. */
export function dropChannel(state: State, channel: Channel): State {
  return {
    ...state,
    channels: state.channels.delete(channel.uniqueid),
    locals: channel.kind === 'local' ? state.locals.delete(channel.name) : state.locals,
    bridges: withoutMember(state.bridges, channel),
  };
}
