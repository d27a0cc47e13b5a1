import type { CallStatus } from '../api/contract/call-event.ts';
import { isForward } from '../api/contract/call-event.ts';
import { isWithheld, normaliseNumber } from '../phone-number/normalise-number.ts';
import { type Channel, extensionOf, RING } from './channel.ts';
import type { Effect, Note } from './effect.ts';
import type { Rules } from './rules.ts';
import type { OpenCall, State } from './state.ts';
import { partiesOf } from './topology.ts';

/** One step of the tracker while it is made: the state so far, the effects so far. Never outlives `reduce`. */
export type Step = { readonly rules: Rules; readonly at: number; state: State; readonly effects: Effect[] };

/** How long a caller's number that is not there at the first ring is waited for, ms: some trunks send it late. */
export const NUMBER_WAIT_MS = 1_000;

/** An inbound caller's channel rings (or was found ringing or talking when we connected): its call begins. */
export function beginCall(step: Step, channel: Channel, adopted = false): void {
  const { rules, at } = step;
  // One that INBOUND_CHANNELS names is known by that setting, and no longer than it: a wrong one teaches nothing.
  if (!rules.nameIsInbound(channel.name) && !step.state.trunks.has(channel.endpoint)) {
    step.state = { ...step.state, trunks: new Set([...step.state.trunks, channel.endpoint]) };
    step.effects.push({ type: 'trunk', endpoint: channel.endpoint });
  }
  const call: OpenCall = {
    id: `${rules.pbxId}-${channel.uniqueid}`,
    uniqueid: channel.uniqueid,
    called: channel.exten,
    number: 'awaited',
    numberBy: at + NUMBER_WAIT_MS,
    from: '',
  };
  const decided = decideNumber(step, adopted ? afterGap(call, channel) : call, channel, 'left');
  expectLookup(step, call, decided, channel);
  if (decided.number === 'awaited') step.effects.push({ type: 'wake', at: decided.numberBy });
  keep(step, tellWhatIsDue(step, decided, false));
}

/** Time has passed, or the number may have come, for a call that could not be told yet for want of one. */
export function reviewNumber(step: Step, call: OpenCall): void {
  const channel = step.state.channels.get(call.uniqueid);
  const decided = decideNumber(step, call, channel, numberIsOverdue(call, step.at) ? 'up' : 'left');
  expectLookup(step, call, decided, channel);
  if (decided !== call) keep(step, tellWhatIsDue(step, decided, false));
  else if (call.number === 'awaited') step.effects.push({ type: 'wake', at: call.numberBy });
}

/** A number that has just become known may be looked up ahead, if the dialplan is still at its beginning. */
function expectLookup(step: Step, before: OpenCall, now: OpenCall, channel: Channel | undefined): void {
  if (now.number === 'known' && before.number !== 'known' && channel?.heard && !channel.gone)
    step.effects.push({ type: 'expect', number: channel.presented });
}

/** True if the number of a call was waited for long enough. */
export function numberIsOverdue({ numberBy }: OpenCall, at: number): boolean {
  const left = numberBy - at;
  // A clock that was set back must not make a call wait for an hour.
  return left <= 0 || left > NUMBER_WAIT_MS;
}

/** The bridge has changed: whoever calls in, is in it with a person's end, and was not answered before, now is. */
export function answerCallsIn(step: Step, bridge: string): void {
  const parties = partiesOf(step.state, bridge);
  if (parties.length < 2) return;
  for (const caller of parties) {
    const call = step.state.calls.get(caller.uniqueid);
    if (call === undefined || call.answer !== undefined) continue;
    const others = parties.filter((party) => party !== caller);
    const person = others.find((party) => !isTrunkEnd(step.state, party)) ?? (others[0] as Channel);
    const answer = { by: person.uniqueid, callerId: callerIdOf(step, call, person) };
    keep(step, tellWhatIsDue(step, { ...call, answer }, false));
  }
}

/**
 * The caller's channel is gone: the call is over, and freed. If the PBX was not quick enough to say whether the number
 * may be shown, it is shown, unless this trunk is known to pass on numbers that are withheld.
 */
export function endCall(step: Step, call: OpenCall, channel: Channel | undefined): void {
  const last = channel && { ...channel, presentation: presumed(step.state, channel) };
  tellWhatIsDue(step, decideNumber(step, call, last, 'over'), true);
  freeCall(step, call);
}

/** What a caller of whom nothing is known any more will have wanted. */
export function presumed(state: State, { presentation, endpoint }: Channel): Channel['presentation'] {
  return presentation === 'unknown' && state.discreet.has(endpoint) ? 'prohibited' : presentation;
}

/** A trunk that shows us a number which its caller withholds will do so again. */
export function learnDiscreet(step: Step, { presentation, presented, endpoint }: Channel): void {
  if (presentation !== 'prohibited' || presented === '' || isWithheld(presented)) return;
  if (!step.state.discreet.has(endpoint))
    step.state = { ...step.state, discreet: new Set([...step.state.discreet, endpoint]) };
}

/** True while the PBX is asked whether this caller's number may be shown, and nothing is told before it answers. */
export function awaitsPresentation(call: OpenCall, { presented, presentation }: Channel): boolean {
  return call.from === '' && call.number !== 'withheld' && presented !== '' && presentation === 'unknown';
}

/** What was taken for a call is none: nothing was told of it, and nothing will be. */
export function dropCall(step: Step, call: OpenCall): void {
  note(step, call.id, 'not-inbound', 'nobody dialled a number to reach the PBX: it made this call itself');
  freeCall(step, call);
}

function freeCall(step: Step, call: OpenCall): void {
  step.state = {
    ...step.state,
    calls: step.state.calls.delete(call.uniqueid),
    awaiting: step.state.awaiting.delete(call.uniqueid),
  };
  step.effects.push({ type: 'free', id: call.id });
}

export function note(step: Step, id: string, decision: Note['decision'], why: string): void {
  step.effects.push({ type: 'note', at: step.at, id, decision, why });
}

/**
 * Who is calling: the number that the trunk presented, not what the dialplan made of it. It is known as soon as there is
 * one that may be shown, also after the time to wait for it is up: late is better than never. Unless it was kept back:
 * that is for the caller to say, and stays so.
 */
function decideNumber(
  step: Step,
  call: OpenCall,
  channel: Channel | undefined,
  time: 'left' | 'up' | 'over',
): OpenCall {
  if (call.from !== '' || call.number === 'withheld') return call;
  const { rules } = step;
  const raw = channel?.presented ?? '';
  const presentation = channel?.presentation ?? 'unknown';
  const withheld = presentation === 'prohibited' || (raw !== '' && isWithheld(raw));
  // A number that came too late is asked about like any other, and nothing is due any more.
  const isLate = call.number === 'absent';
  if (raw !== '' && !withheld) {
    if (presentation !== 'unknown' || time === 'over' || (time === 'up' && !isLate)) {
      if (isLate) note(step, call.id, 'told-late', 'the number came after all');
      return { ...call, number: 'known', from: normaliseNumber(raw, rules.defaultCountry) };
    }
    askPresentation(step, channel);
    return call;
  }
  const number = withheld ? 'withheld' : time === 'left' ? call.number : 'absent';
  if (number === call.number) return call;
  if (rules.withheldNumber !== undefined) return { ...call, number, from: rules.withheldNumber };
  const why = withheld ? 'the caller withholds the number' : 'no number came';
  note(step, call.id, 'not-told', `${why}, and WITHHELD_NUMBER is not set`);
  return { ...call, number };
}

function askPresentation(step: Step, channel: Channel | undefined): void {
  if (channel !== undefined)
    step.effects.push({ type: 'ask', uniqueid: channel.uniqueid, channel: channel.name });
}

/** Tells, in order, each state that the call has reached and that was not told yet. */
function tellWhatIsDue(step: Step, call: OpenCall, over: boolean): OpenCall {
  if (call.from === '') return call;
  const reached: CallStatus[] = ['ringing'];
  if (call.answer !== undefined) reached.push('answered');
  if (over) reached.push('completed');
  let told = call.told;
  for (const status of reached) {
    if (!isForward(told, status)) continue;
    told = status;
    step.effects.push({
      type: 'tell',
      at: step.at,
      id: call.id,
      status,
      from: call.from,
      ...answererIn(call, status),
      ...(status === 'completed' && { outcome: outcomeOf(call) }),
    });
  }
  return told === undefined || told === call.told ? call : { ...call, told };
}

/**
 * Who answered, as an event says it. The end of a call does too, unless somebody else may have answered before we
 * listened: another bridge on this PBX has told of that one perhaps, and the far side keeps what it was told last.
 */
function answererIn(call: OpenCall, status: CallStatus): { callerId?: string } {
  const told = status === 'answered' || (status === 'completed' && !call.unheard);
  return call.answer !== undefined && told ? { callerId: call.answer.callerId } : {};
}

function outcomeOf({ answer, unheard }: OpenCall): string {
  if (answer !== undefined) return `was answered by ${answer.callerId || '?'}`;
  return unheard ? 'nobody was heard to answer' : 'missed';
}

/**
 * A call of which a part was not heard: its end, or its beginning if it is found in state `now`. Who answered first is
 * not known then, unless it was known before, or nobody has answered yet. One that was open before a gap and goes on
 * after it counts as heard: that somebody answered it and gave it away again meanwhile is too rare to keep silent for.
 */
export function afterGap(call: OpenCall, now: Channel | undefined): OpenCall {
  return call.answer !== undefined || now?.state === RING ? call : { ...call, unheard: true };
}

export function keep(step: Step, call: OpenCall): void {
  const { state } = step;
  step.state = {
    ...state,
    calls: state.calls.set(call.uniqueid, call),
    awaiting:
      call.number === 'awaited'
        ? state.awaiting.set(call.uniqueid, true)
        : state.awaiting.delete(call.uniqueid),
  };
  step.effects.push({ type: 'save', call });
}

export function isTrunkEnd(state: State, channel: Channel): boolean {
  return channel.trunk || state.trunks.has(channel.endpoint);
}

/**
 * Who answered. The endpoint, since the CallerIDNum of a group's or queue's leg is often the number dialled, not who
 * picked up. Behind a trunk there is no endpoint of ours, but a mobile, say: then its number, which is what was
 * dialled. The CallerIDNum of such a leg can be our own number that the caller called: where what was dialled was
 * not heard, the trunk's name says more than that.
 */
function callerIdOf({ rules, state }: Step, call: OpenCall, person: Channel): string {
  const extension = extensionOf(person.name);
  if (rules.answeredBy === 'callerid') return person.number || extension;
  if (!isTrunkEnd(state, person)) return extension;
  const number = normaliseNumber(person.dialled || person.number, rules.defaultCountry);
  const ours = person.dialled === '' && number === normaliseNumber(call.called, rules.defaultCountry);
  return ours || number === '' ? extension : number;
}
