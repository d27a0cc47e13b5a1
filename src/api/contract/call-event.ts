import { z } from 'zod';

/**
 * The states of a call, in the only order in which it moves.
 * Source: Call Integration API, parts 2 and 3 (the only values it names).
 */
export const callStatuses = ['ringing', 'answered', 'completed'] as const;

export const callStatusSchema = z.enum(callStatuses);
export type CallStatus = z.infer<typeof callStatusSchema>;

/** True if `to` moves a call forward from `from` (undefined: a call not known yet). API part 3, rules 1, 2 and 4. */
export function isForward(from: CallStatus | undefined, to: CallStatus): boolean {
  return from === undefined || callStatuses.indexOf(to) > callStatuses.indexOf(from);
}
