import type { Missed } from '../../shared/api/contract/call-extras.ts';
import { type CallStatus, isForward } from '../../shared/api/contract/call-status.ts';
import { decideNumber, presumePresentation, sourceOf } from './caller-number.ts';
import { type CallerChannel, type Channel, isCaller, PRERING, RING } from './channel.ts';
import { isAnalogue } from './channel-name.ts';
import type { JournalEvent, Report } from './effect.ts';
import { extrasOf, missedOf, outcomeOf } from './missed.ts';
import { callIdOf, type OpenCall } from './open-call.ts';
import { decide, isOverdue, type TrackerState, takeOverdue, waitFor, writeJournal } from './tracker-state.ts';
import { saveWho, whoUntil } from './who.ts';

/**
 * How long to wait for a number that is missing at the first ring, ms: some trunks send it late, some dialplans are
 * slow.
 */
export const NUMBER_WAIT_MS = 1_000;

/** The same for analogue lines, whose number comes between the first two rings. */
const ANALOGUE_WAIT_MS = 4_000;

/** How long a new call may be the changed far end of a conversation, ms: Asterisk needs about two from Newchannel to BridgeEnter. */
const REPLACING_MS = 100;

/** An inbound caller's channel rings (or was found ringing or talking when we connected): its call begins. */
export function beginCall(state: TrackerState, channel: CallerChannel, isPickedUp = false): OpenCall {
  const { rules, at } = state;
  const call: OpenCall = {
    id: callIdOf(rules.pbxId, channel.uniqueid),
    uniqueid: channel.uniqueid,
    called: channel.exten ?? '',
    ...(channel.fromStart && { did: channel.exten ?? '' }),
    line: channel.endpoint,
    ...(!isPickedUp && { began: channel.state === PRERING ? channel.seenAt : at }),
    number: 'awaited',
    numberBy: at + (isAnalogue(channel.name) ? ANALOGUE_WAIT_MS : NUMBER_WAIT_MS),
    from: '',
  };
  if (isPickedUp) afterGap(call, channel);
  decideNumber(state, call, channel, 'left');
  wakeIfWaiting(state, call, channel);
  reportWhatIsDue(state, call);
  saveCall(state, call);
  return call;
}

/** Called for a call without a known number, when time has passed or the number may have come. */
export function reviewNumber(state: TrackerState, call: OpenCall): void {
  const channel = state.channels.get(call.uniqueid);
  // Its record will say the number.
  if (channel === undefined && state.rules.hasGapFiller) return;
  if (decideNumber(state, call, channel, numberIsOverdue(call, state.at) ? 'up' : 'left')) {
    reportWhatIsDue(state, call);
    saveCall(state, call);
  } else wakeIfWaiting(state, call, channel);
}

/**
 * The PBX dials somebody for this caller, or connects the caller. By now the dialplan has set the number that it wants,
 * and a trunk that has presented none will soon do so or never.
 */
export function callGoesOn(state: TrackerState, uniqueid: string): void {
  if (!state.waitingForNumber.has(uniqueid)) return;
  const call = state.calls.get(uniqueid);
  const channel = state.channels.get(uniqueid);
  if (call === undefined || !isCaller(channel)) return;
  channel.role.dialplanNumber ??= channel.number;
  call.numberBy = Math.min(
    call.numberBy,
    state.at + (channel.role.presented === undefined ? NUMBER_WAIT_MS : 0),
  );
  reviewNumber(state, call);
}

/** The PBX's answer, or the next snapshot, ends the wait for a presentation; only time ends the wait for a number. */
function wakeIfWaiting(state: TrackerState, { number, numberBy }: OpenCall, channel?: Channel): void {
  const isAsked =
    isCaller(channel) && channel.role.presented !== undefined && channel.presentation === 'unknown';
  if (number === 'awaited' && !isAsked) state.effects.push({ type: 'wake', at: numberBy });
}

/** True if the number of a call was waited for long enough. */
const numberIsOverdue = ({ numberBy }: OpenCall, at: number): boolean =>
  isOverdue(numberBy, at, ANALOGUE_WAIT_MS);

/**
 * Ends a call whose channel is gone. If the PBX can no longer say whether the number may be shown, it counts as shown,
 * unless this trunk is known to pass on withheld numbers.
 */
export function endCall(
  state: TrackerState,
  call: OpenCall,
  channel: Channel | undefined,
  recorded?: Missed | undefined,
): void {
  if (channel !== undefined) presumePresentation(state, channel);
  decideNumber(state, call, channel, 'over');
  const missed = recorded ?? (call.partlyObserved ? undefined : missedOf(state, call, channel));
  const { goneAt } = channel ?? {};
  const end = {
    missed: call.answer === undefined ? missed : undefined,
    ...(goneAt !== undefined && { at: goneAt }),
  };
  reportWhatIsDue(state, call, 'completed', end);
  freeCall(state, call);
}

/** Drops an open call that is no inbound call after all. None of its events was reported. */
export function dropCall(state: TrackerState, call: OpenCall): void {
  decide(state, call.id, 'not-inbound', 'no number was dialled to reach the PBX: it made this call itself');
  freeCall(state, call);
}

/** Forgets a call that has ended, or was none. */
export function freeCall(state: TrackerState, call: OpenCall): void {
  state.calls.delete(call.uniqueid);
  state.who.delete(call.uniqueid);
  state.waitingForNumber.delete(call.uniqueid);
  state.replacing.delete(call.uniqueid);
  state.effects.push({ type: 'free', id: call.id, uniqueid: call.uniqueid });
}

/**
 * Reports, in order, each status that the call has reached and that was not reported yet. `now` is what it reaches now; `end`
 * says when (Unix ms) and how it ended, if that was observed before.
 */
export function reportWhatIsDue(
  state: TrackerState,
  call: OpenCall,
  now?: 'answered' | 'completed',
  end: { readonly missed?: Missed | undefined; readonly at?: number } = {},
): void {
  if (call.from === '' || (now === undefined && mayReplace(state, call))) return;
  report(state, call, 'ringing');
  const happened = state.isLiveInput ? state.at : undefined;
  if (call.answer !== undefined)
    report(state, call, 'answered', { at: now === 'answered' ? happened : undefined });
  if (now === 'completed') report(state, call, 'completed', { at: happened, ...end });
}

/**
 * True while a new call may turn out to continue a conversation (see `farEndReplaced`). Nothing is reported of it until then:
 * its `ringing` could not be taken back.
 */
function mayReplace(state: TrackerState, { uniqueid, reported, answer, began }: OpenCall): boolean {
  const { bridges, channels, at, replacing } = state;
  if (reported !== undefined || answer !== undefined || began === undefined) return false;
  if (bridges.size === 0 || channels.get(uniqueid)?.bridge !== undefined) return false;
  const until = began + REPLACING_MS;
  if (isOverdue(until, at, REPLACING_MS)) return false;
  if (!replacing.has(uniqueid)) waitFor(state, replacing, uniqueid, until - at);
  return true;
}

/** Reports the calls that replace no other. */
export function replacingOverdue(state: TrackerState): void {
  for (const uniqueid of takeOverdue(state, state.replacing, REPLACING_MS)) {
    const call = state.calls.get(uniqueid);
    if (call === undefined) continue;
    reportWhatIsDue(state, call);
    saveCall(state, call);
  }
}

function report(
  state: TrackerState,
  call: OpenCall,
  status: CallStatus,
  more: Parameters<typeof extrasOf>[2] = {},
): void {
  if (!isForward(call.reported, status)) return;
  call.reported = status;
  if (status === 'ringing' && state.who.has(call.uniqueid)) state.whoChanged.add(call.uniqueid);
  const { at } = state;
  const { id, from, answer, partlyObserved } = call;
  // The end names the answerer too, unless a part of the call was not observed. Then another bridge of this PBX may
  // have reported an earlier one, and the API would replace it.
  const namesAnswerer = status === 'answered' || (status === 'completed' && !partlyObserved);
  const event: Report = {
    type: 'report',
    at,
    id,
    status,
    from,
    ...(answer?.callerId !== undefined && namesAnswerer && { callerId: answer.callerId }),
    ...(status === 'completed' && { outcome: outcomeOf(call, more.missed) }),
    extras: extrasOf(call, status, { ...more, ...whoAt(state, call, status, more.at) }),
  };
  state.effects.push(event);
  writeJournal(state, {
    at: state.at,
    uniqueid: call.uniqueid,
    call: id,
    number: from,
    kind: 'reported',
    event: reportedEvent(state, call, status, more.missed),
  });
}

/** Whose phones rang, and at the end who talked. Of a call that was not observed as a whole, another bridge may know more. */
function whoAt(state: TrackerState, call: OpenCall, status: CallStatus, at: number | undefined) {
  if (call.began === undefined || call.partlyObserved) return {};
  const { rang, talked } = whoUntil(state, call, status === 'completed' ? at : (at ?? state.at));
  return { rang, ...(status === 'completed' && { talked }) };
}

function reportedEvent(
  state: TrackerState,
  call: OpenCall,
  status: CallStatus,
  missed: Missed | undefined,
): JournalEvent {
  const { answer, from, number } = call;
  if (status === 'ringing') return { code: 'ringing', from, number, source: sourceOf(state, call) };
  if (status === 'completed')
    return { code: 'completed', answer: answer && { callerId: answer.callerId }, missed };
  return { code: 'answered', by: answer?.callerId, channel: state.channels.get(answer?.by ?? '')?.name };
}

/**
 * A part of the call was not observed: its end, or its beginning if it is found in the state of `now`. Then the first
 * answerer is unknown, unless it was known before, or the call is not answered yet. A call that was open before a gap
 * and goes on after it counts as observed: an answer and a transfer within the gap are too rare to leave the answerer
 * out.
 */
export function afterGap(call: OpenCall, now: Channel | undefined): void {
  if (call.answer === undefined && now?.state !== RING) call.partlyObserved = true;
}

export function saveCall(state: TrackerState, call: OpenCall): void {
  state.calls.set(call.uniqueid, call);
  if (call.number === 'awaited') state.waitingForNumber.add(call.uniqueid);
  else state.waitingForNumber.delete(call.uniqueid);
  saveWho(state, call);
}
