import { freeCall, saveCall } from './call.ts';
import type { Channel } from './channel.ts';
import { leaveBridge } from './topology.ts';
import { type TrackerState, writeJournal, writeObserved } from './tracker-state.ts';

/**
 * Continues a caller's call with the inbound channel that takes the caller's place in the bridge. After a transfer at the far
 * end, its PBX or provider replaces the call (INVITE with Replaces, RFC 3891), and Asterisk hangs the caller's channel up
 * while the conversation goes on. Only BridgeEnter says so: if the new channel was reported before as a call, it stays one.
 */
export function callerReplaced(state: TrackerState, channel: Channel, replaced: string): void {
  const caller = state.channels.get(replaced);
  const call = state.calls.get(replaced);
  const own = state.calls.get(channel.uniqueid);
  if (!channel.inbound || caller === undefined || call === undefined || own?.reported !== undefined) return;
  if (own !== undefined) freeCall(state, own);
  const text = `${channel.name} takes the place of ${caller.name}: the far end has changed, and call ${call.id} goes on`;
  const entry = { at: state.at, uniqueid: channel.uniqueid, text };
  writeJournal(state, { ...entry, kind: 'not-reported' });
  writeObserved(state, call, text);
  leaveBridge(state, caller);
  // Its hang-up is nobody's end.
  caller.inbound = false;
  channel.talksWith = caller.talksWith;
  state.calls.delete(replaced);
  state.waitingForNumber.delete(replaced);
  call.uniqueid = channel.uniqueid;
  saveCall(state, call);
}
