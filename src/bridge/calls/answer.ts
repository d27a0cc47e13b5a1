import { reportWhatIsDue, saveCall } from './call.ts';
import { callerIdOf } from './caller-id.ts';
import { type Bridge, type Channel, isCaller, UP } from './channel.ts';
import { partiesOf } from './topology.ts';
import { type TrackerState, writeObserved } from './tracker-state.ts';
import { isTrunkEnd } from './trunk-learning.ts';
import { isPerson, talksWith } from './who.ts';

/**
 * The members of the bridge have changed: an unanswered caller in it is answered if a person's channel is there. A
 * channel that only rings does not answer, nor does another outside caller or a guest (both may wait in a conference for an
 * employee), nor a machine that NOT_A_PERSON lists.
 */
export function answerCallsIn(state: TrackerState, bridge: Bridge): void {
  const parties = partiesOf(state, bridge);
  const people = parties.filter((party) => isPerson(state, party));
  const ofHouse = people.find((person) => !isTrunkEnd(state, person));
  const person = ofHouse ?? people[0];
  if (person === undefined) {
    callersAlone(state, parties);
    return;
  }
  const there = new Set(parties.map(({ uniqueid }) => uniqueid));
  for (const caller of parties) {
    const call = state.calls.get(caller.uniqueid);
    if (call === undefined || !isCaller(caller)) continue;
    const { answer } = call;
    const isNew = talksWith(state, call, people);
    if (!there.has(caller.role.talksWith ?? '')) {
      caller.role.talksWith = person.uniqueid;
      person.withCaller = caller.uniqueid;
      if (answer !== undefined)
        writeObserved(state, call, { code: 'takes-over', by: callerIdOf(state, call, person) });
    }
    const first = ofHouse && answer && there.has(answer.by) ? state.channels.get(answer.by) : undefined;
    const joins = first !== undefined && isTrunkEnd(state, first);
    if (answer !== undefined && !joins) {
      if (isNew) saveCall(state, call);
      continue;
    }
    const callerId = callerIdOf(state, call, person);
    call.answer = { by: person.uniqueid, callerId };
    if (joins) writeObserved(state, call, { code: 'joins', by: callerId });
    reportWhatIsDue(state, call, 'answered');
    saveCall(state, call);
  }
}

/** No person is there. Notes for `explain` why a caller who is connected with a machine has not been answered: once for each. */
function callersAlone(state: TrackerState, parties: readonly Channel[]): void {
  const machine = parties.find(
    (party) => party.state === UP && !state.calls.has(party.uniqueid) && state.rules.isMachine(party.name),
  );
  for (const caller of parties) {
    const call = state.calls.get(caller.uniqueid);
    if (call === undefined) continue;
    talksWith(state, call, []);
    if (machine === undefined || call.answer !== undefined || !isCaller(caller)) continue;
    if (caller.role.machine === machine.uniqueid) continue;
    caller.role.machine = machine.uniqueid;
    writeObserved(state, call, { code: 'machine', channel: machine.name });
  }
}
