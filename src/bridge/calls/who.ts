import type { Talked } from '../../shared/api/contract/call-extras.ts';
import {
  longestCallSeconds,
  longestPerson,
  mostPeople,
  shortText,
} from '../../shared/api/contract/call-extras.ts';
import { callerIdOf } from './caller-id.ts';
import { type Channel, callerOf, isPaged, type Leg, RINGING, UP } from './channel.ts';
import { otherHalf } from './channel-name.ts';
import { beganAt, type OpenCall } from './open-call.ts';
import { legsOf, partiesOf, setRole } from './topology.ts';
import { isOverdue, type TrackerState, takeOverdue, waitFor } from './tracker-state.ts';
import { isGuest, isTrunkEnd } from './trunk-learning.ts';
import { createWho, type Who } from './who-state.ts';

/** Somebody who is back in the bridge so soon, ms, has not left: Asterisk moves channels from bridge to bridge. */
const MOVING_MS = 1_000;

/**
 * A dialled phone that has said nothing for so long rings, ms: some say 183 (Session Progress) in place of 180, or nothing, and
 * Asterisk has no state for either. Who is busy or cannot be reached is gone by then.
 */
const SILENT_MS = 1_000;

/** Who rang and talked until `at`, Unix ms: undefined if that is unknown. */
export function whoUntil(state: TrackerState, call: OpenCall, at: number | undefined) {
  const who = state.who.get(call.uniqueid) ?? createWho();
  const { talked, talking } = who;
  const now = at === undefined ? undefined : sinceBegin(call, at);
  return {
    rang: rangUntil(who, now),
    talked: talked.map((one, nth) => {
      const isLast = nth === talked.findLastIndex(({ by }) => by === one.by);
      const isTalking = isLast && one.to === undefined && talking.includes(one.by);
      return isTalking && now !== undefined ? { ...one, to: Math.max(one.from, now) } : one;
    }),
  };
}

const rangUntil = ({ rang, ringing }: Who, now = 0) =>
  rang.map((one) => ({
    ...one,
    for: one.for + Math.max(0, now - (ringing.get(one.by) ?? Number.POSITIVE_INFINITY)),
  }));

/** The same as it is saved: who talks on has no end. */
function savedWho(state: TrackerState, call: OpenCall): Pick<OpenCall, 'rang' | 'talked'> {
  const known = state.who.get(call.uniqueid);
  if (known === undefined) return {};
  const rang = rangUntil(known, sinceBegin(call, state.at));
  const talked = [...known.talked];
  return { ...(rang.length > 0 && { rang }), ...(talked.length > 0 && { talked }) };
}

/** Saves the call as it is, with who rang and talked. */
export function saveWho(state: TrackerState, call: OpenCall): void {
  Object.assign(call, savedWho(state, call));
  state.effects.push({ type: 'save', call: { ...call } });
}

/** After a restart: what was told before it may not be true any more. */
export function tellAgain(state: TrackerState): void {
  for (const uniqueid of state.who.keys()) state.whoChanged.add(uniqueid);
}

/** A leg may have begun or ceased to ring. */
export function legChanged(state: TrackerState, leg: Channel): void {
  const caller = callerOf(leg);
  const call = caller === undefined ? undefined : state.calls.get(caller);
  if (call === undefined) return;
  const by = isRinging(state, leg) ? personOf(state, call, leg) : undefined;
  const before = leg.ringsAs;
  if (by === before) return;
  leg.ringsAs = by;
  const who = whoOf(state, call);
  if (before !== undefined) ceaseUnlessRung(state, call, who, before);
  if (before !== undefined && isRefused(state, leg)) hasNotRung(state, call, leg);
  if (by !== undefined) beginToRing(state, call, who, by);
}

/** A leg is dialled, and says later that it rings, or never. */
export function awaitRinging(state: TrackerState, { kind, state: is, uniqueid }: Channel): void {
  if (kind === 'real' && is < RINGING) waitFor(state, state.dialling, uniqueid, SILENT_MS);
}

/** True for a leg that is gone, and said nothing: busy, or a trunk that is down. A mobile has rung since it was dialled. */
function isRefused(state: TrackerState, { goneAt, state: is, uniqueid }: Channel): boolean {
  const by = state.dialling.get(uniqueid);
  return goneAt !== undefined && is < RINGING && by !== undefined && !isOverdue(by, state.at, SILENT_MS);
}

export function silentLegs(state: TrackerState): void {
  for (const uniqueid of takeOverdue(state, state.dialling, SILENT_MS)) {
    const leg = state.channels.get(uniqueid);
    if (leg?.role.type !== 'leg') continue;
    leg.role.isSilent = true;
    legChanged(state, leg);
  }
}

/** Gives a leg its role, for another caller perhaps: then it rings no more for the one before. */
export function setLeg(state: TrackerState, leg: Channel, role: Leg): void {
  const before = state.calls.get(callerOf(leg) ?? '');
  setRole(state, leg, role);
  const { ringsAs } = leg;
  if (before !== undefined && ringsAs !== undefined && before.uniqueid !== callerOf(leg)) {
    leg.ringsAs = undefined;
    ceaseUnlessRung(state, before, whoOf(state, before), ringsAs);
  }
  legChanged(state, leg);
}

/** After a gap: whose legs are gone rings no more. */
export function ringsGone(state: TrackerState, call: OpenCall): void {
  const who = state.who.get(call.uniqueid);
  if (who) for (const by of [...who.ringing.keys()]) ceaseUnlessRung(state, call, who, by);
}

function beginToRing(state: TrackerState, call: OpenCall, { rang, ringing }: Who, by: string): void {
  if (ringing.has(by) || by === '') return;
  const now = sinceBegin(call, state.at);
  if (!rang.some((one) => one.by === by)) {
    if (rang.length === mostPeople) return;
    rang.push({ by, from: now, for: 0 });
    // Once for each: a restart would forget who rang.
    saveWho(state, call);
  }
  ringing.set(by, now);
  state.whoChanged.add(call.uniqueid);
}

/** A leg has turned out to be one that Page() has dialled: it answers by itself, and what rang was for nobody. */
export function legIsPaged(state: TrackerState, call: OpenCall, paged: Channel): void {
  for (const leg of legsOf(state, call.uniqueid))
    if (leg.kind === 'real' && leg.role.type === 'leg' && dialPath(state, leg).has(paged)) {
      leg.role.wasPaged = true;
      hasNotRung(state, call, leg);
    }
}

function hasNotRung(state: TrackerState, call: OpenCall, leg: Channel): void {
  legChanged(state, leg);
  const by = personOf(state, call, leg);
  const { rang, ringing } = whoOf(state, call);
  if (ringing.has(by)) return;
  // What has rung for the caller before was another leg of that person.
  const nth = rang.findIndex((one) => one.by === by && one.from >= sinceBegin(call, beganAt(leg)));
  if (nth < 0) return;
  rang.splice(nth, 1);
  state.whoChanged.add(call.uniqueid);
  saveWho(state, call);
}

/** The leg, and the Local channels over which it was dialled, nearest first. */
function dialPath(state: TrackerState, leg: Channel): Set<Channel> {
  const path = new Set([leg]);
  for (const { role } of path) {
    const dialler = role.type === 'leg' ? state.channels.get(role.dialledBy ?? '') : undefined;
    const half = dialler?.kind === 'local' ? state.locals.get(otherHalf(dialler.name)) : undefined;
    if (half !== undefined) path.add(half);
  }
  return path;
}

/** One person may have several phones. */
function ceaseUnlessRung(state: TrackerState, call: OpenCall, { rang, ringing }: Who, by: string): void {
  const since = ringing.get(by);
  if (since === undefined) return;
  for (const { ringsAs } of legsOf(state, call.uniqueid)) if (ringsAs === by) return;
  ringing.delete(by);
  state.whoChanged.add(call.uniqueid);
  const nth = rang.findIndex((one) => one.by === by);
  const one = rang[nth];
  if (one) rang[nth] = { ...one, for: one.for + Math.max(0, sinceBegin(call, state.at) - since) };
}

/** A mobile's provider need not say that it rings. Asterisk may say that a leg rings before it says what was dialled. */
function isRinging(state: TrackerState, leg: Channel): boolean {
  const { kind, goneAt, role, state: is, name } = leg;
  if (kind !== 'real' || goneAt !== undefined || role.type !== 'leg' || !role.isBegun) return false;
  if ([...dialPath(state, leg)].some(isPaged)) return false;
  const isTrunk = isTrunkEnd(state, leg);
  const isDialling = is < UP && (isTrunk ? role.dialled !== undefined : role.isSilent);
  if (!isDialling && (isTrunk || is !== RINGING)) return false;
  return !state.rules.isMachine(name);
}

/**
 * The people of those who are connected: who has picked up. Another outside caller is none, nor is a guest (both may wait in a
 * conference for an employee), nor a machine that NOT_A_PERSON lists.
 */
export const isPerson = (state: TrackerState, party: Channel): boolean =>
  party.state === UP &&
  !state.calls.has(party.uniqueid) &&
  !isGuest(state, party) &&
  !state.rules.isMachine(party.name);

const nobody: readonly string[] = [];

/**
 * The names of the people in a bridge, and who of them has come since `before`: worked out once for all callers who are with them,
 * since callers come and go in a conference as they like.
 */
type Naming = {
  readonly now: readonly string[];
  readonly changes: Map<readonly string[], { readonly gone: string[]; readonly come: string[] }>;
};
type Namings = { readonly overTrunk: boolean; readonly byCalled: Map<string, Naming> };
const namings = new WeakMap<readonly Channel[], Namings>();

function namingOf(state: TrackerState, call: OpenCall, people: readonly Channel[]): Naming {
  const overTrunk = () => people.some((person) => isTrunkEnd(state, person));
  const known: Namings = namings.get(people) ?? { overTrunk: overTrunk(), byCalled: new Map() };
  namings.set(people, known);
  // The number that a caller called matters for the names of those who are reached over a trunk.
  const called = known.overTrunk ? (call.called ?? '') : '';
  const naming = known.byCalled.get(called);
  if (naming !== undefined) return naming;
  const named = new Set(people.map((person) => personOf(state, call, person)).filter(Boolean));
  const made: Naming = { now: [...named].slice(0, mostPeople), changes: new Map() };
  known.byCalled.set(called, made);
  return made;
}

function changeSince(before: readonly string[], { now, changes }: Naming) {
  const known = changes.get(before);
  if (known !== undefined) return known;
  const [was, is] = [new Set(before), new Set(now)];
  const change = { gone: before.filter((by) => !is.has(by)), come: now.filter((by) => !was.has(by)) };
  changes.set(before, change);
  return change;
}

/** The caller is with these people now, and no others. True if somebody is new. */
export function talksWith(state: TrackerState, call: OpenCall, people: readonly Channel[]): boolean {
  const known = state.who.get(call.uniqueid);
  const naming = namingOf(state, call, people);
  const { now } = naming;
  const { gone, come } = changeSince(known?.talking ?? nobody, naming);
  if (known === undefined && come.length === 0) return false;
  const who = known ?? whoOf(state, call);
  // One list for all who are with them, to compare it once the next time.
  who.talking = now;
  if (gone.length + come.length === 0) return false;
  state.whoChanged.add(call.uniqueid);
  const at = sinceBegin(call, state.at);
  for (const by of gone) {
    const nth = who.talked.findLastIndex((one) => one.by === by && one.to === undefined);
    const one = who.talked[nth];
    // Without an event it is not known when.
    if (one && state.isLiveInput) who.talked[nth] = { ...one, to: Math.max(one.from, at) };
  }
  for (const by of come) begin(who.talked, by, at);
  return come.length > 0;
}

function begin(talked: Talked[], by: string, at: number): void {
  const nth = talked.findLastIndex((one) => one.by === by);
  const last = talked[nth];
  if (last?.to !== undefined && at - last.to < MOVING_MS) talked[nth] = { by, from: last.from };
  else if (talked.length < mostPeople) talked.push({ by, from: at });
}

/** Follows those who have left a bridge since the last call, and those whom they left there. */
export function peopleParted(state: TrackerState): void {
  for (const { channel, bridge } of state.parted.splice(0)) {
    const call = state.calls.get(channel.uniqueid);
    if (call !== undefined && channel.bridge === undefined) talksWith(state, call, []);
    const behind = channel.kind === 'local' ? state.locals.get(otherHalf(channel.name))?.bridge : undefined;
    for (const left of behind === undefined ? [bridge] : [bridge, behind]) {
      const parties = partiesOf(state, left);
      const people = parties.filter((party) => isPerson(state, party));
      for (const { uniqueid } of parties) {
        const one = state.calls.get(uniqueid);
        if (one !== undefined) talksWith(state, one, people);
      }
    }
  }
}

/** Tells who rings and talks now in the calls where that has changed, and that are reported. */
export function tellWho(state: TrackerState): void {
  for (const uniqueid of state.whoChanged) {
    const call = state.calls.get(uniqueid);
    const who = state.who.get(uniqueid);
    if (call?.reported === undefined || who === undefined) continue;
    state.effects.push({ type: 'who', id: call.id, rings: [...who.ringing.keys()], talks: who.talking });
  }
  state.whoChanged.clear();
}

function whoOf(state: TrackerState, { uniqueid }: OpenCall): Who {
  const known = state.who.get(uniqueid) ?? createWho();
  state.who.set(uniqueid, known);
  return known;
}

const personOf = (state: TrackerState, call: OpenCall, person: Channel): string =>
  shortText(callerIdOf(state, call, person), longestPerson);

/** The clock may have been set during the call. */
const sinceBegin = (call: OpenCall, at: number): number =>
  Math.min(Math.max(0, at - (call.began ?? beganAt(call))), longestCallSeconds * 1_000) || 0;
