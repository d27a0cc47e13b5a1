import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import { reportWhatIsDue, saveCall } from './call.ts';
import { type Bridge, type Channel, dialledTo, isCaller, UP } from './channel.ts';
import { extensionOf } from './channel-name.ts';
import type { OpenCall } from './open-call.ts';
import { partiesOf } from './topology.ts';
import { type TrackerState, writeObserved } from './tracker-state.ts';
import { isGuest, isTrunkEnd } from './trunk-learning.ts';

/**
 * The members of the bridge have changed: an unanswered caller in it is answered if a person's channel is there. A
 * channel that only rings does not answer, nor does another outside caller or a guest (both may wait in a conference for an
 * employee), nor a machine that NOT_A_PERSON lists.
 */
export function answerCallsIn(state: TrackerState, bridge: Bridge): void {
  const parties = partiesOf(state, bridge);
  let outside: Channel | undefined;
  let ofHouse: Channel | undefined;
  let machine: Channel | undefined;
  for (const party of parties) {
    if (party.state !== UP || state.calls.has(party.uniqueid) || isGuest(state, party)) continue;
    if (state.rules.isMachine(party.name)) machine ??= party;
    else if (isTrunkEnd(state, party)) outside ??= party;
    else ofHouse ??= party;
  }
  const person = ofHouse ?? outside;
  if (person === undefined) {
    if (machine !== undefined) writeMachine(state, parties, machine);
    return;
  }
  const there = new Set(parties.map(({ uniqueid }) => uniqueid));
  for (const caller of parties) {
    const call = state.calls.get(caller.uniqueid);
    if (call === undefined || !isCaller(caller)) continue;
    const { answer } = call;
    if (!there.has(caller.role.talksWith ?? '')) {
      caller.role.talksWith = person.uniqueid;
      if (answer !== undefined)
        writeObserved(state, call, { code: 'takes-over', by: callerIdOf(state, call, person) });
    }
    const first = ofHouse && answer && there.has(answer.by) ? state.channels.get(answer.by) : undefined;
    const joins = first !== undefined && isTrunkEnd(state, first);
    if (answer !== undefined && !joins) continue;
    const callerId = callerIdOf(state, call, person);
    call.answer = { by: person.uniqueid, callerId };
    if (joins) writeObserved(state, call, { code: 'joins', by: callerId });
    reportWhatIsDue(state, call, 'answered');
    saveCall(state, call);
  }
}

/** Notes for `explain` why a caller who is connected with this channel has not been answered: once for each machine. */
function writeMachine(state: TrackerState, parties: readonly Channel[], machine: Channel): void {
  for (const caller of parties) {
    const call = state.calls.get(caller.uniqueid);
    if (call === undefined || call.answer !== undefined || !isCaller(caller)) continue;
    if (caller.role.machine === machine.uniqueid) continue;
    caller.role.machine = machine.uniqueid;
    writeObserved(state, call, { code: 'machine', channel: machine.name });
  }
}

/**
 * Who answered: the channel's endpoint, since the CallerIDNum of a leg of a group or queue is often the number dialled; of
 * an endpoint with a name, the phone's number if its address has it.
 * A leg over a trunk has no endpoint of ours. It is a mobile, say, and named by the dialled number. If that was not
 * observed, it is named by the trunk: its CallerIDNum can be our own number that the caller called. That holds with
 * ANSWERED_BY=callerid too, which is about phones.
 */
function callerIdOf(state: TrackerState, call: OpenCall, person: Channel): string {
  const { rules } = state;
  const extension = extensionOf(person.name);
  if (!isTrunkEnd(state, person)) {
    const own = dialledTo(person) ?? extension;
    return rules.answeredBy === 'callerid' ? (person.number ?? own) : own;
  }
  const dialled = dialledTo(person);
  const number = normaliseNumber(dialled ?? person.number ?? '', rules.defaultCountry);
  const ours = dialled === undefined && number === normaliseNumber(call.called, rules.defaultCountry);
  return ours || number === '' ? extension : number;
}
