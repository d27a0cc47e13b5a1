/**
 * The states of a call, in the only order in which it moves. Apart from call-event.ts, so that a thread that needs only
 * these does not load zod: 10 to 20 MB.
 * Source: Call Integration API, parts 2 and 3 (the only values it names).
 */
export const callStatuses = ['ringing', 'answered', 'completed'] as const;
export type CallStatus = (typeof callStatuses)[number];

/** True if `to` moves a call forward from `from` (undefined: a call not known yet). API part 3, rules 1, 2 and 4. */
export function isForward(from: CallStatus | undefined, to: CallStatus): boolean {
  return from === undefined || callStatuses.indexOf(to) > callStatuses.indexOf(from);
}
