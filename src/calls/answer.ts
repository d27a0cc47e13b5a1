import { normaliseNumber } from '../phone-number/normalise-number.ts';
import { reportWhatIsDue, saveCall } from './call.ts';
import { type Bridge, type Channel, extensionOf, UP } from './channel.ts';
import type { OpenCall } from './open-call.ts';
import { partiesOf } from './topology.ts';
import { type TrackerState, writeObserved } from './tracker-state.ts';
import { isTrunkEnd } from './trunk-learning.ts';

/**
 * The bridge has changed: a caller who is in it with a person's end, and was not answered before, now is. Not by an end
 * that only rings, and not by another outside caller: both may wait in a conference for somebody of the house.
 */
export function answerCallsIn(state: TrackerState, bridge: Bridge): void {
  const parties = partiesOf(state, bridge);
  let outside: Channel | undefined;
  let ofHouse: Channel | undefined;
  for (const party of parties) {
    if (party.state !== UP || state.calls.has(party.uniqueid)) continue;
    if (isTrunkEnd(state, party)) outside ??= party;
    else ofHouse ??= party;
  }
  const person = ofHouse ?? outside;
  if (person === undefined) return;
  for (const caller of parties) {
    const call = state.calls.get(caller.uniqueid);
    if (call === undefined) continue;
    const { answer } = call;
    if (!isAmong(parties, caller.talksWith)) {
      caller.talksWith = person.uniqueid;
      if (answer !== undefined)
        writeObserved(state, call, `${person.name} takes over: it is in a bridge with the caller`);
    }
    const first = ofHouse && answer && parties.find(({ uniqueid }) => uniqueid === answer.by);
    const joins = first !== undefined && isTrunkEnd(state, first);
    if (answer !== undefined && !joins) continue;
    call.answer = { by: person.uniqueid, callerId: callerIdOf(state, call, person) };
    if (joins) writeObserved(state, call, `${person.name} joins: the end names ${call.answer.callerId}`);
    reportWhatIsDue(state, call, 'answered');
    saveCall(state, call);
  }
}

function isAmong(parties: readonly Channel[], uniqueid: string): boolean {
  return parties.some((party) => party.uniqueid === uniqueid);
}

/**
 * Who answered. The endpoint, since the CallerIDNum of a group's or queue's leg is often the number dialled, not who
 * picked up. Behind a trunk there is no endpoint of ours, but a mobile, say: then its number, which is what was
 * dialled. The CallerIDNum of such a leg can be our own number that the caller called: if the dialled
 * number was not observed, the trunk's name says more.
 */
function callerIdOf(state: TrackerState, call: OpenCall, person: Channel): string {
  const { rules } = state;
  const extension = extensionOf(person.name);
  if (rules.answeredBy === 'callerid') return person.number || extension;
  if (!isTrunkEnd(state, person)) return extension;
  const number = normaliseNumber(person.dialled || person.number, rules.defaultCountry);
  const ours = person.dialled === '' && number === normaliseNumber(call.called, rules.defaultCountry);
  return ours || number === '' ? extension : number;
}
