import type { LogFields } from '../log/log.ts';
import type { MessageCode } from '../log/messages.ts';
import { messageOf } from '../process/parse-json.ts';
import { decideAlerts, type Notice, type Seen, type WatchedProblems } from './alert-rules.ts';
import type { Kept } from './alerts-file.ts';
import { type AlertsStatus, problemsNow, refusals } from './alerts-status.ts';
import { began, ended, noticesOf, type Unsent, unsentTo, withNotices } from './unsent-notices.ts';

export type AlertState = {
  readonly watched: WatchedProblems;
  readonly unsent: Unsent;
  readonly seen: Seen;
  /** Alerts that a target accepted since the start. */
  readonly sent: number;
  /** Problems could not be read the last time. */
  readonly isFailing: boolean;
};

export type AlertInput =
  | { readonly type: 'seen'; readonly seen: Seen }
  | { readonly type: 'not-read'; readonly error: unknown }
  /** What was seen is kept: what waits may be sent. */
  | { readonly type: 'kept' }
  | { readonly type: 'sent'; readonly target: string }
  | { readonly type: 'refused'; readonly target: string; readonly error: unknown };

type AlertEffect =
  | { readonly type: 'log'; readonly code: MessageCode; readonly fields: LogFields }
  | { readonly type: 'send'; readonly target: string; readonly notices: readonly Notice[] };

type Step = { readonly state: AlertState; readonly effects: readonly AlertEffect[] };

export function newAlerts(targets: readonly string[], kept: Kept): AlertState {
  return {
    watched: kept.watched,
    unsent: unsentTo(targets, kept.unsent),
    seen: { problems: [] },
    sent: 0,
    isFailing: false,
  };
}

export function nextAlerts(
  state: AlertState,
  input: AlertInput,
  rules: { readonly now: number; readonly afterMs: number },
): Step {
  switch (input.type) {
    case 'seen': {
      const { watched, notices } = decideAlerts(state.watched, input.seen, rules);
      const unsent = notices.length > 0 ? withNotices(state.unsent, notices) : state.unsent;
      const next = { ...state, watched, unsent, seen: input.seen, isFailing: false };
      return { state: next, effects: notices.map(lineOf) };
    }
    case 'not-read': {
      const effects = state.isFailing ? [] : [line('alert.failed', { error: input.error })];
      return { state: { ...state, isFailing: true }, effects };
    }
    case 'kept':
      return beginToSend(state, rules.now);
    case 'sent': {
      const { target } = input;
      const count = state.unsent[target]?.sending?.length ?? 0;
      const unsent = ended(state.unsent, target, rules.now);
      const next = { ...state, unsent, sent: state.sent + count };
      return { state: next, effects: [line('alert.sent', { count, target })] };
    }
    case 'refused': {
      const { target, error } = input;
      const isFirst = state.unsent[target]?.error === '';
      const unsent = ended(state.unsent, target, rules.now, messageOf(error));
      const effects = isFirst ? [line('alert.not-sent', { target, error })] : [];
      return { state: { ...state, unsent }, effects };
    }
    default:
      return input satisfies never;
  }
}

/** Sends to each target that has something to send, if it is time. */
function beginToSend(state: AlertState, now: number): Step {
  let unsent = state.unsent;
  const effects: AlertEffect[] = [];
  for (const target of Object.keys(unsent)) {
    const before = unsent;
    unsent = began(before, target, now);
    const notices = unsent[target]?.sending ?? [];
    if (unsent !== before) effects.push({ type: 'send', target, notices });
  }
  return { state: { ...state, unsent }, effects };
}

function lineOf({ state, code: problem, what, remedy }: Notice): AlertEffect {
  return line(state === 'over' ? 'alert.over' : 'alert.began', { problem, what, remedy });
}

const line = (code: MessageCode, fields: LogFields): AlertEffect => ({ type: 'log', code, fields });

/** What is to be kept across restarts. */
export const keptOf = ({ watched, unsent }: AlertState): Kept => ({ watched, unsent: noticesOf(unsent) });

export const alertsStatus = (
  { watched, sent, unsent }: AlertState,
  seen: Seen,
  now: number,
): AlertsStatus => ({
  ...problemsNow(seen, watched, now),
  sent,
  unsent: refusals(unsent),
});
