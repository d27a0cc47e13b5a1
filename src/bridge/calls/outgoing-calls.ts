import { longestCallSeconds, longestPerson, shortText } from '../../shared/api/contract/call-extras.ts';
import { outgoingNumber } from '../../shared/phone-number/outgoing-number.ts';
import { type Channel, callerOf, dialledTo, isCaller, UP } from './channel.ts';
import { dialledNumber, extensionOf, otherHalf } from './channel-name.ts';
import { channelMatcher } from './glob.ts';
import type { Dialled, Input } from './input.ts';
import { partiesOf } from './topology.ts';
import type { TrackerState } from './tracker-state.ts';
import { isGuest, isTrunkEnd } from './trunk-learning.ts';
import { isPerson } from './who.ts';

/** A call from here to a number, which is over. */
export type OutgoingCall = {
  /** The Uniqueid of the channel that was dialled first. */
  readonly uniqueid: string;
  /** E.164. */
  readonly number: string;
  /** How long people here talked to the far end, ms; undefined if nobody was reached. */
  readonly talkedMs: number | undefined;
  /** The extension that called; undefined if that is unknown. */
  readonly by: string | undefined;
};

/** A phone here. `device`: as ANSWERED_BY=endpoint names it, which nobody at the phone can choose. */
type Phone = { readonly by: string; readonly device: string };

type Followed = {
  readonly uniqueid: string;
  readonly number: string;
  /** The Uniqueid of the channel that dials; undefined if the PBX itself does. */
  readonly dialler: string | undefined;
  /** The Uniqueids of the channels that were dialled: of several trunks, one after the other. */
  readonly legs: string[];
  phone: Phone | undefined;
  /** The Uniqueids of the phones here that have talked. */
  readonly phones: Set<string>;
  /** Whether the far end has picked up, or a machine of its network. */
  isAnswered: boolean;
  /** Unix ms. */
  talkingSince: number | undefined;
  talkedMs: number | undefined;
};

/** Most calls that are followed at a time. All are looked at with each input that may change one. */
const MOST = 100;

const looked: ReadonlySet<Input['type']> = new Set([
  'channel-state',
  'bridge-entered',
  'bridge-left',
  'bridge-destroyed',
  'channel-renamed',
  'hung-up',
  'channels-listed',
]);

/**
 * Follows the calls from here to numbers that are wanted, and no others. Give it each input after the tracker, whose `state` it reads.
 * A gap ends that: a call that was not seen as a whole is forgotten.
 * @param extensions globs of those whose calls count: another firm's phones may be on the same PBX.
 */
export function createOutgoingCalls(
  state: Readonly<TrackerState>,
  isWanted: (number: string) => boolean,
  extensions: 'all' | readonly string[] = 'all',
) {
  const calls = new Map<string, Followed>();
  const isNamed = extensions === 'all' ? undefined : channelMatcher(extensions);

  function begin({ uniqueid, dialString, by }: Dialled): void {
    const leg = state.channels.get(uniqueid);
    if (leg === undefined || leg.kind !== 'real') return;
    const { defaultCountry, notationOf } = state.rules;
    const number = outgoingNumber(dialledNumber(dialString), defaultCountry, notationOf(leg.name));
    if (number === undefined || !isWanted(number) || isForCaller(state, leg, by)) return;
    const key = `${by ?? uniqueid} ${number}`;
    const known = calls.get(key);
    if (known === undefined && calls.size === MOST) return;
    const call: Followed = known ?? {
      ...{ uniqueid, number, dialler: by, legs: [], phones: new Set(), isAnswered: false },
      ...{ talkingSince: undefined, talkedMs: undefined },
      phone: whoDials(state, leg, by),
    };
    call.legs.push(uniqueid);
    calls.set(key, call);
  }

  /** Whether the call is over. */
  function look(call: Followed): boolean {
    const legs = call.legs.flatMap((uniqueid) => present(state, uniqueid) ?? []);
    call.isAnswered ||= legs.some((leg) => leg.state === UP);
    const people = legs.flatMap((leg) => peopleWith(state, leg));
    const phones = people.filter((person) => !isTrunkEnd(state, person));
    for (const { uniqueid } of phones) call.phones.add(uniqueid);
    // Somebody who is reached over a trunk may be from here, unless a phone here has handed the call on.
    const isWithUs = phones.length > 0 || (people.length > 0 && call.phones.size === 0);
    if (isWithUs) {
      call.talkingSince ??= state.at;
      call.phone ??= people.flatMap((person) => phoneHere(state, person) ?? [])[0];
    } else if (call.talkingSince !== undefined) {
      call.talkedMs = (call.talkedMs ?? 0) + Math.max(0, state.at - call.talkingSince);
      call.talkingSince = undefined;
    }
    const isGone = [...call.phones].every((uniqueid) => present(state, uniqueid) === undefined);
    if (people.length > 0 && !isWithUs && isGone) return true;
    if (legs.length > 0) return false;
    // The dialplan may try another trunk.
    return call.talkedMs !== undefined || present(state, call.dialler ?? '') === undefined;
  }

  return {
    /** Applies an input, and returns the calls that are over by it. */
    apply(input: Input): OutgoingCall[] {
      if (input.type === 'snapshot') calls.clear();
      if (input.type === 'dialled') begin(input);
      if (calls.size === 0 || !looked.has(input.type)) return [];
      const over: OutgoingCall[] = [];
      for (const [key, call] of calls) {
        if (!look(call)) continue;
        calls.delete(key);
        const { uniqueid, number, talkedMs, phone, isAnswered } = call;
        // A program has reached the person, without anybody from here: an appointment reminder, say.
        if (phone === undefined && talkedMs === undefined && isAnswered) continue;
        if (isNamed !== undefined && (phone === undefined || !isNamed(phone.device))) continue;
        over.push({
          ...{ uniqueid, number, by: phone?.by },
          talkedMs: talkedMs && Math.min(talkedMs, longestCallSeconds * 1_000),
        });
      }
      return over;
    },
    /** How many are followed. */
    count: () => calls.size,
  };
}

function present(state: Readonly<TrackerState>, uniqueid: string): Channel | undefined {
  const channel = state.channels.get(uniqueid);
  return channel?.goneAt === undefined ? channel : undefined;
}

/** True for a leg that is dialled for somebody who calls in, also as a guest: a mobile that rings for the office, say. */
function isForCaller(state: Readonly<TrackerState>, leg: Channel, by: string | undefined): boolean {
  return [leg.uniqueid, callerOf(leg), by].some((uniqueid) => {
    if (uniqueid === undefined) return false;
    const channel = state.channels.get(uniqueid);
    const isOfGuest = channel !== undefined && channel !== leg && isGuest(state, channel);
    return state.calls.has(uniqueid) || isCaller(channel) || isOfGuest;
  });
}

/** The people that the leg is connected with. */
function peopleWith(state: Readonly<TrackerState>, leg: Channel): Channel[] {
  if (leg.state !== UP || leg.bridge === undefined) return [];
  return partiesOf(state, leg.bridge).filter((party) => party !== leg && isPerson(state, party));
}

/** The phone that has the leg dialled, by its channel, by the first one of all that belong together, or behind a Local channel. */
function whoDials(state: Readonly<TrackerState>, leg: Channel, by: string | undefined): Phone | undefined {
  const dialler = state.channels.get(by ?? '');
  const first = state.channels.get(callerOf(leg) ?? '');
  const behind = dialler?.kind === 'local' ? state.locals.get(otherHalf(dialler.name))?.bridge : undefined;
  const candidates = [dialler, first, ...(behind ? partiesOf(state, behind) : [])];
  return candidates.flatMap((one) => (one && one !== leg ? (phoneHere(state, one) ?? []) : []))[0];
}

/**
 * Undefined for a channel that is no phone of the house. With ANSWERED_BY=callerid a phone that has dialled has the number that it began
 * with: the dialplan sets that of the company later, and a phone that a program rings shows what the program says.
 */
function phoneHere(state: Readonly<TrackerState>, channel: Channel): Phone | undefined {
  const { rules } = state;
  const { kind, name, role, firstNumber } = channel;
  if (kind !== 'real' || isTrunkEnd(state, channel) || isGuest(state, channel)) return undefined;
  const own = dialledTo(channel) ?? extensionOf(name);
  const shown = rules.answeredBy === 'callerid' && role.type !== 'leg' ? firstNumber : undefined;
  const [by, device] = [shown ?? own, own].map((one) =>
    shortText(rules.extension(one, name), longestPerson),
  ) as [string, string];
  return by === '' || device === '' ? undefined : { by, device };
}
