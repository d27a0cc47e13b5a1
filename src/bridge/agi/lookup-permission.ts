import { readNumber } from '../../shared/phone-number/normalise-number.ts';
import { placeholderIn } from '../../shared/phone-number/number-text.ts';
import { autoNotation } from '../../shared/phone-number/trunk-notation.ts';
import { addTo, removeFrom } from '../../shared/process/multimap.ts';
import { awaitsPresentation, isNumberOpen } from '../calls/caller-number.ts';
import { type Channel, presentedIn } from '../calls/channel.ts';
import type { Effect } from '../calls/effect.ts';
import type { Input } from '../calls/input.ts';
import type { OpenCall } from '../calls/open-call.ts';
import type { TrackerState } from '../calls/tracker-state.ts';
import type { LookupRequest, NumberToLookUp, Permit } from './agi.ts';
import { createCallersByNumber, tellingDigits } from './callers-by-number.ts';

type LookupState = Pick<TrackerState, 'calls' | 'channels' | 'rules' | 'trunks'>;

type LookupPermissions = {
  /** The number that may be looked up, within `waitMs` (ms); `pending` if nobody has said by then that it may be sent. */
  readonly permit: Permit;
  /** From now on decides by the tracker's state; until then no call is known. */
  follow(state: LookupState): void;
  /** Call it whenever the tracker has taken an input, with what that led to. */
  review(input: Input, effects: readonly Effect[]): void;
};

/** Stands for the number of any lookup. */
const ANY_NUMBER = '1';

/** `unknown`: no call that the bridge knows says it. */
type Permission = 'granted' | 'withheld' | 'pending' | 'unknown';

/**
 * Decides whether a number that the dialplan asks about may be sent to the API: not while it is unknown whether its
 * caller withholds it, and not if the caller does. The call is found by the channel that asks, or by the number. A channel
 * that belongs to no such call, as while there is no link to the PBX, is asked itself over its AGI connection. The
 * API is asked with the number that is reported for the call, even if the dialplan has changed it.
 */
export function createLookupPermissions(
  rules: LookupState['rules'],
  setTimer: (callback: () => void, ms: number) => () => void,
): LookupPermissions {
  let state: LookupState = { calls: new Map(), channels: new Map(), trunks: new Map(), rules };
  const callers = createCallersByNumber(
    (call, channel) => permissionOf(call, channel, ANY_NUMBER) === 'granted',
  );
  /** Lookups that wait, by the channel that decides. */
  const waiting = new Map<string, Set<() => void>>();

  /**
   * The channel that decides whether the number may be sent: a caller's, or the one that asks. Undefined if a caller's
   * dialplan asks about a number that is not the caller's; '' if it may be, since the caller's is not known yet.
   */
  function deciderOf({ uniqueid, number, isOwn }: LookupRequest): string | undefined {
    const { calls, channels } = state;
    if (isOwn && (calls.has(uniqueid) || channels.get(uniqueid)?.inbound)) return uniqueid;
    const own = channels.get(uniqueid);
    const isCaller = calls.has(uniqueid) && own !== undefined;
    const digits = tellingDigits(number);
    if (isCaller && [own.presented, own.number].some((its) => tellingDigits(its) === digits)) return uniqueid;
    for (const caller of callers.unsettled(number)) {
      const call = calls.get(caller);
      if (call && permissionOf(call, channels.get(caller), number) !== 'granted') return caller;
    }
    // A channel that was not heard of may withhold the number that another call shows.
    const sameNumber = own && callers.withText(number);
    if (sameNumber !== undefined) return sameNumber;
    if (isOwn) return uniqueid;
    return isCaller && own.presented !== '' ? undefined : '';
  }

  function updateCaller(uniqueid: string): void {
    callers.update(uniqueid, state.calls.get(uniqueid), state.channels.get(uniqueid));
    for (const review of waiting.get(uniqueid) ?? []) review();
  }

  function updateAll(): void {
    callers.clear();
    for (const [uniqueid, call] of state.calls) callers.update(uniqueid, call, state.channels.get(uniqueid));
    for (const reviews of [...waiting.values()]) for (const review of reviews) review();
  }

  function permissionBy(decider: string | undefined, number: string): Permission {
    if (decider === undefined) return 'granted';
    const { calls, channels } = state;
    const call = calls.get(decider);
    const channel = channels.get(decider);
    if (call !== undefined) return permissionOf(call, channel, number);
    return channel?.inbound ? 'pending' : 'unknown';
  }

  function numberOf({ number, isOwn, channel: name }: LookupRequest, decider: string | undefined): string {
    const { calls, channels, rules } = state;
    const call = calls.get(decider ?? '');
    if (call?.number === 'known' && rules.reportedNumber !== 'dialplan') return call.from;
    if (placeholderIn(number) !== undefined) return '';
    const channel = channels.get(decider ?? '');
    const isPresented = channel?.inbound ? channel.presented === number : isOwn;
    const notation = isPresented ? rules.notationOf(channel?.name ?? name) : autoNotation;
    return readNumber(number, rules.defaultCountry, notation).number;
  }

  return {
    permit(request, waitMs, askCall) {
      let decider = deciderOf(request);
      let permission = permissionBy(decider, request.number);
      const ruling = (it: Permission): NumberToLookUp => {
        if (it === 'granted') return { number: numberOf(request, decider) };
        return it === 'withheld' ? 'withheld' : 'pending';
      };
      if (permission === 'granted' || permission === 'withheld') return ruling(permission);
      return new Promise((resolve) => {
        const end = (last: Permission) => {
          cancelLate();
          wait(undefined);
          resolve(ruling(last));
        };
        const decide = () => {
          decider = deciderOf(request);
          permission = permissionBy(decider, request.number);
          if (permission === 'granted' || permission === 'withheld') end(permission);
          else wait(decider);
        };
        const review = () => {
          if (permissionBy(decider, request.number) !== permission) decide();
        };
        let waitsFor: string | undefined;
        const wait = (next: string | undefined) => {
          if (waitsFor === next) return;
          if (waitsFor !== undefined) removeFrom(waiting, waitsFor, review);
          if (next !== undefined) addTo(waiting, next, review);
          waitsFor = next;
        };
        wait(decider);
        const cancelLate = setTimer(() => end('pending'), waitMs);
        if (permission !== 'unknown') return;
        void askCall().then((presentation) => {
          if (presentation === 'prohibited') return end('withheld');
          // If the call is known by now, it also says which number is reported of it.
          decide();
          if (permission === 'unknown') end(presentation === 'unknown' ? 'pending' : 'granted');
        });
      });
    },
    follow(tracked) {
      state = tracked;
      updateAll();
    },
    review(input, effects) {
      if (input.type === 'snapshot') return updateAll();
      const changed = new Set('uniqueid' in input ? [input.uniqueid] : []);
      for (const effect of effects) {
        if (effect.type === 'save') changed.add(effect.call.uniqueid);
        if (effect.type === 'free') changed.add(effect.uniqueid);
      }
      for (const uniqueid of changed) updateCaller(uniqueid);
    },
  };
}

function permissionOf(call: OpenCall, channel: Channel | undefined, number: string): Permission {
  if (call.number === 'withheld' || channel?.presentation === 'prohibited') return 'withheld';
  if (!isNumberOpen(call)) return 'granted';
  // After a restart, before the link is up.
  if (channel === undefined) return 'unknown';
  // The trunk has presented no number. One that the dialplan has set waits for the PBX's answer; without one there is
  // nothing to wait for.
  if (channel.presented === '') return presentedIn(number) === '' ? 'granted' : 'pending';
  return awaitsPresentation(call, channel) ? 'pending' : 'granted';
}
