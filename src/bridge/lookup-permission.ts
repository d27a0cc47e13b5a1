import type { LookupRequest, Permission } from '../agi/agi.ts';
import type { AskPresentation } from '../ami/session.ts';
import { awaitsPresentation } from '../calls/call.ts';
import type { Channel } from '../calls/channel.ts';
import type { Input } from '../calls/input.ts';
import type { OpenCall } from '../calls/open-call.ts';
import type { TrackerState } from '../calls/tracker-state.ts';

/** What was dialled and what is stored differ in their first digits only: the last seven say which number it is. */
const TELLING_DIGITS = 7;

export type LookupPermissions = {
  /** The permission, within `waitMs` (ms); `pending` if the PBX has not answered by then. */
  permit(request: LookupRequest, waitMs: number): Permission | Promise<Permission>;
  /** Call it whenever the tracker has taken an input. */
  review(input: Input): void;
};

/**
 * Whether a number that the dialplan asks about may leave this machine: not the number of a call whose caller withholds
 * it, and not before the PBX has said so. Calls are known by the channel that asks, and by the number asked for.
 */
export function createLookupPermissions(tools: {
  state: Pick<TrackerState, 'calls' | 'channels'>;
  isConnected: () => boolean;
  /** Asks the PBX about the caller on a channel; the answer is a `presentation` input. */
  ask: AskPresentation;
  setTimer: (callback: () => void, ms: number) => () => void;
}): LookupPermissions {
  const waiting = new Set<(input: Input) => void>();

  /** The channel whose caller decides; undefined if the number may leave whatever any caller wants. */
  function deciderOf({ uniqueid, number, isOwn }: LookupRequest): string | undefined {
    const { calls, channels } = tools.state;
    if (isOwn && (calls.has(uniqueid) || channels.get(uniqueid)?.inbound)) return uniqueid;
    const digits = tellingDigits(number);
    for (const [caller, call] of calls) {
      const channel = channels.get(caller);
      if (channel === undefined || permissionOf(call, channel) === 'granted') continue;
      if ([channel.presented, channel.number].some((its) => tellingDigits(its) === digits)) return caller;
    }
    const isUnknown = uniqueid !== '' && !channels.has(uniqueid);
    return isUnknown && tools.isConnected() ? uniqueid : undefined;
  }

  function permissionBy(decider: string | undefined): Permission | 'unknown-channel' {
    if (decider === undefined) return 'granted';
    const { calls, channels } = tools.state;
    const call = calls.get(decider);
    const channel = channels.get(decider);
    if (call !== undefined) return permissionOf(call, channel);
    if (channel === undefined) return 'unknown-channel';
    return channel.inbound ? 'pending' : 'granted';
  }

  return {
    permit(request, waitMs) {
      let decider = deciderOf(request);
      let permission = permissionBy(decider);
      if (permission === 'granted' || permission === 'withheld') return permission;
      return new Promise((resolve) => {
        const end = (last: Permission) => {
          cancelLate();
          waiting.delete(look);
          resolve(last);
        };
        const look = (input: Input) => {
          // The answer was quicker than Newchannel, or this is no channel of this PBX: then it does not know.
          if (permission === 'unknown-channel' && input.type === 'presentation' && input.uniqueid === decider)
            return end(input.presentation === 'prohibited' ? 'withheld' : 'granted');
          const now = permissionBy(decider);
          if (now === permission) return;
          if (permission === 'unknown-channel') decider = deciderOf(request);
          permission = permissionBy(decider);
          if (permission === 'granted' || permission === 'withheld') end(permission);
        };
        waiting.add(look);
        const cancelLate = tools.setTimer(() => end('pending'), waitMs);
        // The dialplan may be quicker than the Newchannel of its channel.
        if (permission === 'unknown-channel') tools.ask(request.uniqueid, request.channel);
      });
    },
    review(input) {
      for (const look of waiting) look(input);
    },
  };
}

function permissionOf(call: OpenCall, channel: Channel | undefined): Permission {
  if (call.number === 'withheld' || channel?.presentation === 'prohibited') return 'withheld';
  const isAsked = channel !== undefined && awaitsPresentation(call, channel);
  return isAsked || call.number === 'awaited' ? 'pending' : 'granted';
}

function tellingDigits(number: string): string {
  return number.replace(/\D+/g, '').slice(-TELLING_DIGITS);
}
