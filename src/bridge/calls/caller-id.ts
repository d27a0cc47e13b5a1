import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import { type Channel, dialledTo } from './channel.ts';
import { extensionOf } from './channel-name.ts';
import type { OpenCall } from './open-call.ts';
import type { TrackerState } from './tracker-state.ts';
import { isTrunkEnd } from './trunk-learning.ts';

/**
 * Who answered, rings or talks: the channel's endpoint, since the CallerIDNum of a leg of a group or queue is often the number dialled; of
 * an endpoint with a name, the phone's number if its address has it.
 * A leg over a trunk has no endpoint of ours. It is a mobile, say, and named by the dialled number. If that was not
 * observed, it is named by the trunk: its CallerIDNum can be our own number that the caller called. That holds with
 * ANSWERED_BY=callerid too, which is about phones.
 */
export function callerIdOf(state: TrackerState, call: OpenCall, person: Channel): string {
  const { rules } = state;
  const extension = extensionOf(person.name);
  if (!isTrunkEnd(state, person)) {
    const own = dialledTo(person) ?? extension;
    const name = rules.answeredBy === 'callerid' ? (person.number ?? own) : own;
    return rules.extension(name, person.name);
  }
  const dialled = dialledTo(person);
  const number = normaliseNumber(dialled ?? person.number ?? '', rules.defaultCountry);
  const ours = dialled === undefined && number === normaliseNumber(call.called, rules.defaultCountry);
  return ours || number === '' ? extension : number;
}
