import { freeCall, reportWhatIsDue, saveCall } from './call.ts';
import { decideNumber, presumePresentation } from './caller-number.ts';
import {
  type CallerChannel,
  type Channel,
  callerOf,
  dialledTo,
  isCaller,
  isInbound,
  legRole,
} from './channel.ts';
import type { JournalEvent } from './effect.ts';
import { leaveBridge, legsOf, setRole } from './topology.ts';
import { type TrackerState, writeJournal, writeObserved } from './tracker-state.ts';
import { isTrunkEnd } from './trunk-learning.ts';

/**
 * Continues with the inbound channel that takes another one's place in a bridge: a caller's, or a leg's that the PBX has dialled
 * over a trunk. After a transfer at the far end, its PBX or provider replaces the call (INVITE with Replaces, RFC 3891), and
 * Asterisk hangs the replaced channel up while the conversation goes on. Only BridgeEnter says so: if the new channel was
 * reported or answered before as a call, it stays one.
 */
export function farEndReplaced(state: TrackerState, channel: Channel, replaced: string): void {
  const before = state.channels.get(replaced);
  const call = state.calls.get(replaced);
  const own = state.calls.get(channel.uniqueid);
  if (!isInbound(channel) || before === undefined || own?.reported !== undefined || own?.answer !== undefined)
    return;
  if (call === undefined && (isInbound(before) || !isTrunkEnd(state, before))) return;
  if (own !== undefined) freeCall(state, own);
  const names = { channel: channel.name, replaced: before.name };
  const event: JournalEvent = { code: 'far-end-replaced', ...names, continued: call?.id };
  writeJournal(state, { at: state.at, uniqueid: channel.uniqueid, kind: 'not-reported', event });
  leaveBridge(state, before);
  if (call === undefined) {
    legGoesOn(state, channel, before, event);
    return;
  }
  writeObserved(state, call, event);
  // Its channel goes, and what the PBX may still say is of another's number.
  presumePresentation(state, before);
  decideNumber(state, call, before, 'over');
  // Its hang-up is nobody's end.
  setRole(state, before, { type: 'other' });
  if (isCaller(before)) channel.role.talksWith = before.role.talksWith;
  const person = state.channels.get(channel.role.talksWith ?? '');
  if (person !== undefined) person.withCaller = channel.uniqueid;
  state.calls.delete(replaced);
  const who = state.who.get(replaced);
  if (who !== undefined) state.who.set(channel.uniqueid, who);
  state.who.delete(replaced);
  for (const leg of [...legsOf(state, replaced)])
    setRole(state, leg, legRole(leg.role, { dialledFor: channel.uniqueid }));
  state.waitingForNumber.delete(replaced);
  state.replacing.delete(replaced);
  call.uniqueid = channel.uniqueid;
  reportWhatIsDue(state, call);
  // A number that comes now is not the caller's who had none.
  if (call.number === 'absent') call.number = 'known';
  saveCall(state, call);
}

/** The channel is what the leg was: whom the PBX has dialled, for a caller perhaps, who talks on. */
function legGoesOn(state: TrackerState, channel: CallerChannel, leg: Channel, event: JournalEvent): void {
  const caller = state.channels.get(callerOf(leg) ?? '');
  channel.trunk = true;
  setRole(state, channel, legRole(channel.role, { dialledFor: caller?.uniqueid, dialled: dialledTo(leg) }));
  if (caller === undefined) return;
  const call = state.calls.get(caller.uniqueid);
  if (isCaller(caller) && caller.role.talksWith === leg.uniqueid) caller.role.talksWith = channel.uniqueid;
  if (call === undefined) return;
  writeObserved(state, call, event);
  if (call.answer?.by !== leg.uniqueid) return;
  call.answer = { ...call.answer, by: channel.uniqueid };
  saveCall(state, call);
}
