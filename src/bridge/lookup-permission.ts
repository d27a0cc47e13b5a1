import type { LookupRequest, NumberToLookUp } from '../agi/agi.ts';
import type { Questions } from '../ami/session.ts';
import { awaitsPresentation, isNumberOpen } from '../calls/caller-number.ts';
import type { Channel } from '../calls/channel.ts';
import type { Input } from '../calls/input.ts';
import type { OpenCall } from '../calls/open-call.ts';
import type { TrackerState } from '../calls/tracker-state.ts';
import { readNumber } from '../phone-number/normalise-number.ts';
import { isWithheld, numberIn } from '../phone-number/number-text.ts';
import { autoNotation } from '../phone-number/trunk-notation.ts';

/** What was dialled and what is stored differ in their first digits only: the last seven say which number it is. */
const TELLING_DIGITS = 7;

export type LookupPermissions = {
  /** The number that may be looked up, within `waitMs` (ms); `pending` if the PBX has not answered by then. */
  permit(request: LookupRequest, waitMs: number): NumberToLookUp | Promise<NumberToLookUp>;
  /** Call it whenever the tracker has taken an input. */
  review(input: Input): void;
};

type Permission = 'granted' | 'withheld' | 'pending';

/**
 * Decides whether a number that the dialplan asks about may be sent to the API: not while it is unknown whether its
 * caller withholds it, and not if the caller does. The call is found by the channel that asks, or by the number. The
 * API is asked with the number that is reported for the call, even if the dialplan has changed it.
 */
export function createLookupPermissions(tools: {
  state: Pick<TrackerState, 'calls' | 'channels' | 'rules'>;
  isConnected: () => boolean;
  /** Asks the PBX about the caller on a channel; the answer is a `presentation` input. */
  ask: Questions['presentation'];
  setTimer: (callback: () => void, ms: number) => () => void;
}): LookupPermissions {
  const waiting = new Set<(input: Input) => void>();

  /** The channel of the caller who decides whether the number may be sent; undefined if there is no such caller. */
  function deciderOf({ uniqueid, number, isOwn }: LookupRequest): string | undefined {
    const { calls, channels } = tools.state;
    if (isOwn && (calls.has(uniqueid) || channels.get(uniqueid)?.inbound)) return uniqueid;
    const digits = tellingDigits(number);
    let sameNumber: string | undefined;
    for (const [caller, call] of calls) {
      const channel = channels.get(caller);
      if (channel === undefined) continue;
      if (channel.presented === number || channel.number === number) sameNumber = caller;
      if (caller !== uniqueid && permissionOf(call, channel, number) === 'granted') continue;
      if ([channel.presented, channel.number].some((its) => tellingDigits(its) === digits)) return caller;
    }
    if (sameNumber !== undefined) return sameNumber;
    const isUnknown = uniqueid !== '' && !channels.has(uniqueid);
    return isUnknown && tools.isConnected() ? uniqueid : undefined;
  }

  function permissionBy(decider: string | undefined, number: string): Permission | 'unknown-channel' {
    if (decider === undefined) return 'granted';
    const { calls, channels } = tools.state;
    const call = calls.get(decider);
    const channel = channels.get(decider);
    if (call !== undefined) return permissionOf(call, channel, number);
    if (channel === undefined) return 'unknown-channel';
    return channel.inbound ? 'pending' : 'granted';
  }

  function numberOf({ number, isOwn, channel: name }: LookupRequest, decider: string | undefined): string {
    const { calls, channels, rules } = tools.state;
    const call = calls.get(decider ?? '');
    if (call?.number === 'known' && rules.reportedNumber !== 'dialplan') return call.from;
    if (isWithheld(number)) return '';
    const channel = channels.get(decider ?? '');
    const isPresented = channel === undefined ? isOwn : channel.presented === number;
    const notation = isPresented ? rules.notationOf(channel?.name ?? name) : autoNotation;
    return readNumber(number, rules.defaultCountry, notation).number;
  }

  return {
    permit(request, waitMs) {
      let decider = deciderOf(request);
      let permission = permissionBy(decider, request.number);
      const ruling = (it: Permission) => (it === 'granted' ? { number: numberOf(request, decider) } : it);
      if (permission === 'granted' || permission === 'withheld') return ruling(permission);
      return new Promise((resolve) => {
        const end = (last: Permission) => {
          cancelLate();
          waiting.delete(listener);
          resolve(ruling(last));
        };
        const listener = (input: Input) => {
          // The answer came before Newchannel, or this is no channel of this PBX: then the presentation is unknown.
          if (permission === 'unknown-channel' && input.type === 'presentation' && input.uniqueid === decider)
            return end(input.presentation === 'prohibited' ? 'withheld' : 'granted');
          const now = permissionBy(decider, request.number);
          if (now === permission) return;
          if (permission === 'unknown-channel') decider = deciderOf(request);
          permission = permissionBy(decider, request.number);
          if (permission === 'granted' || permission === 'withheld') end(permission);
        };
        waiting.add(listener);
        const cancelLate = tools.setTimer(() => end('pending'), waitMs);
        // The dialplan may be quicker than the Newchannel of its channel.
        if (permission === 'unknown-channel') tools.ask(request.uniqueid, request.channel);
      });
    },
    review(input) {
      for (const listener of waiting) listener(input);
    },
  };
}

function permissionOf(call: OpenCall, channel: Channel | undefined, number: string): Permission {
  if (call.number === 'withheld' || channel?.presentation === 'prohibited') return 'withheld';
  if (!isNumberOpen(call)) return 'granted';
  // The trunk has presented no number. One that the dialplan has set waits for the PBX's answer; without one there is
  // nothing to wait for.
  if (channel?.presented === '') return numberIn(number) === '' ? 'granted' : 'pending';
  return channel !== undefined && awaitsPresentation(call, channel) ? 'pending' : 'granted';
}

function tellingDigits(number: string): string {
  return number.replace(/\D+/g, '').slice(-TELLING_DIGITS);
}
