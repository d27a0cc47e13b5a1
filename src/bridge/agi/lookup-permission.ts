import type { Effect } from '../calls/effect.ts';
import type { Input } from '../calls/input.ts';
import type { Permit } from './agi.ts';
import { createCallersByNumber } from './callers-by-number.ts';
import {
  isSettled,
  type LookupState,
  numberToLookUp,
  permissionBy,
  permissionOf,
  rulingOn,
} from './number-permission.ts';
import { createWaitingLookups } from './waiting-lookups.ts';

type LookupPermissions = {
  /** The number that may be looked up, within `waitMs` (ms); `pending` if it is still unknown by then whether it may be sent. */
  readonly permit: Permit;
  /** From now on decides by the tracker's state; until then no call is known. */
  follow(state: LookupState): void;
  /** Call it whenever the tracker has taken an input, with what that led to. */
  review(input: Input, effects: readonly Effect[]): void;
};

/** Stands for the number of any lookup. */
const ANY_NUMBER = '1';

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
  let state: LookupState = { calls: new Map(), channels: new Map(), rules };
  const callers = createCallersByNumber(
    (call, channel) => permissionOf(call, channel, ANY_NUMBER) === 'granted',
  );
  const lookups = createWaitingLookups(setTimer);

  function updateCaller(uniqueid: string): void {
    callers.update(uniqueid, state.calls.get(uniqueid), state.channels.get(uniqueid));
    lookups.review(uniqueid);
  }

  function updateAll(): void {
    callers.clear();
    for (const [uniqueid, call] of state.calls) callers.update(uniqueid, call, state.channels.get(uniqueid));
    lookups.reviewAll();
  }

  return {
    permit(request, waitMs, askCall) {
      const rule = () => rulingOn(state, callers, request);
      const first = rule();
      if (isSettled(first)) return numberToLookUp(state, request, first);
      return lookups.wait(first, {
        rule,
        permissionBy: (decider) => permissionBy(state, decider, request.number),
        askCall,
        waitMs,
        answer: (last) => numberToLookUp(state, request, last),
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
