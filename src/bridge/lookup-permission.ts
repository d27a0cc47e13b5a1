import type { LookupRequest, Permission } from '../agi/agi.ts';
import { awaitsPresentation } from '../calls/call.ts';
import type { Channel } from '../calls/channel.ts';
import type { OpenCall, TrackerState } from '../calls/tracker-state.ts';

/**
 * A channel that the PBX has not told of yet is waited for so long, ms: its Newchannel may be on the way while the
 * dialplan asks already.
 */
const UNKNOWN_CHANNEL_MS = 100;

/** What was dialled and what is stored differ in their first digits only: the last seven say which number it is. */
const TELLING_DIGITS = 7;

export type LookupPermissions = {
  /** The permission, within `waitMs` (ms); `pending` if the PBX has not answered by then. */
  permit(request: LookupRequest, waitMs: number): Permission | Promise<Permission>;
  /** Call it whenever the tracker has taken an input. */
  review(): void;
};

/**
 * Whether a number that the dialplan asks about may leave this machine: not the number of a call whose caller withholds
 * it, and not before the PBX has said so. Calls are known by the channel that asks, and by the number asked for.
 */
export function createLookupPermissions(tools: {
  state: Pick<TrackerState, 'calls' | 'channels'>;
  isConnected: () => boolean;
  setTimer: (callback: () => void, ms: number) => () => void;
}): LookupPermissions {
  const waiting = new Set<() => void>();

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
          cancelUnknown();
          waiting.delete(look);
          resolve(last);
        };
        const look = () => {
          const now = permissionBy(decider);
          if (now === permission) return;
          if (permission === 'unknown-channel') decider = deciderOf(request);
          permission = permissionBy(decider);
          if (permission === 'granted' || permission === 'withheld') end(permission);
        };
        waiting.add(look);
        const cancelLate = tools.setTimer(() => end('pending'), waitMs);
        // Then it is not a channel of this PBX, or not one whose beginning was heard.
        const cancelUnknown = tools.setTimer(() => {
          if (permission === 'unknown-channel') end('granted');
        }, UNKNOWN_CHANNEL_MS);
      });
    },
    review() {
      for (const look of waiting) look();
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
