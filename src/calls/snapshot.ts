import { afterGap, answerCallsIn, beginCall, endCall, keep, note, reviewNumber, type Step } from './call.ts';
import { type Channel, channelKind, endpointOf, RING, UP } from './channel.ts';
import type { Snapshot, SnapshotChannel } from './input.ts';
import { persistentMap } from './persistent-map.ts';
import { comesIn, isTrunk } from './rules.ts';
import type { Bridge, State } from './state.ts';

/** Bridges that hold channels without letting them hear each other: parking lots, agents who wait for a call. */
export function isHolding(technology: string): boolean {
  return technology === 'holding_bridge';
}

/**
 * The PBX as it is now, after a (re)connect: calls that we hold open and that are gone are over; calls in progress
 * that we do not know are adopted; whoever was answered in the meantime, was.
 */
export function applySnapshot(step: Step, snapshot: Snapshot): void {
  const before = step.state;
  step.state = { ...before, ...topologyOf(step, snapshot) };

  for (const [, known] of before.calls.entries()) {
    if (step.state.channels.has(known.uniqueid)) continue;
    const call = afterGap(known, undefined);
    if (step.rules.holdsVanished) {
      keep(step, call);
      continue;
    }
    if (call.told !== undefined)
      note(step, call.id, 'vanished', 'its channel is gone, and its end was not seen');
    endCall(step, call, before.channels.get(call.uniqueid));
  }
  for (const [, call] of step.state.calls.entries()) if (call.from === '') reviewNumber(step, call);
  for (const [, channel] of step.state.channels.entries()) {
    if (!channel.inbound || step.state.calls.has(channel.uniqueid)) continue;
    if (channel.state !== RING && channel.state !== UP) continue;
    beginCall(step, channel, true);
    note(
      step,
      `${step.rules.pbxId}-${channel.uniqueid}`,
      'adopted',
      'is in progress, and its beginning was not heard',
    );
  }
  for (const [bridge] of step.state.bridges.entries()) answerCallsIn(step, bridge);
}

function topologyOf(step: Step, snapshot: Snapshot): Pick<State, 'channels' | 'locals' | 'bridges'> {
  const channels: [string, Channel][] = [];
  const locals: [string, string][] = [];
  const bridges = new Map<string, Bridge & { members: string[] }>();
  const technologies = new Map(snapshot.bridges.map(({ bridge, technology }) => [bridge, technology]));
  for (const seen of snapshot.channels) {
    const channel = channelOf(step, seen);
    channels.push([seen.uniqueid, channel]);
    if (channel.kind === 'local') locals.push([channel.name, seen.uniqueid]);
    if (seen.bridge === '') continue;
    const bridge = bridges.get(seen.bridge);
    if (bridge === undefined)
      bridges.set(seen.bridge, {
        members: [seen.uniqueid],
        holding: isHolding(technologies.get(seen.bridge) ?? ''),
      });
    else bridge.members.push(seen.uniqueid);
  }
  return {
    channels: persistentMap(channels),
    locals: persistentMap(locals),
    bridges: persistentMap(bridges),
  };
}

/**
 * A channel whose Newchannel was heard keeps what that said. One whose Newchannel nobody heard: its context has moved
 * on with the dialplan, so an inbound caller's is known by its name or by an endpoint that inbound calls come in on.
 * A leg that was dialled out over that same trunk runs no dialplan of its own: Asterisk names its application AppDial
 * or AppDial2 ("Outgoing Line").
 */
function channelOf({ rules, state }: Step, seen: SnapshotChannel): Channel {
  const heard = state.channels.get(seen.uniqueid);
  const endpoint = endpointOf(seen.channel);
  const trunk = heard?.trunk ?? (isTrunk(rules, seen) || state.trunks.has(endpoint));
  return {
    uniqueid: seen.uniqueid,
    name: seen.channel,
    kind: channelKind(seen.channel),
    endpoint,
    state: seen.state,
    number: seen.callerNumber,
    presented: heard?.presented || seen.callerNumber,
    dialled: heard?.dialled ?? '',
    presentation: heard?.presentation ?? 'unknown',
    heard: heard?.heard ?? false,
    exten: heard?.exten ?? seen.exten,
    inbound: heard?.inbound ?? (comesIn(seen, trunk) && !seen.application.startsWith('AppDial')),
    trunk,
    bridge: seen.bridge,
  };
}
