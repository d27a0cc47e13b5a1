import { z } from 'zod';
import { longestCallSeconds, longestPerson, systemText } from './call-extras.ts';
import { limits } from './decisions.ts';

/**
 * Which numbers wait for a call back, and what became of calls to them: an addition of our own service, used only with
 * CALL_BACKS=yes. Not part of the document. GET gives the numbers, POST takes the outcome of one call.
 */
export const bridgeCallBacksPath = '/bridge/call-backs';

/** Most numbers in one answer: those that were missed last. */
export const mostWaiting = 1_000;

/** A number that anybody can call. */
export const e164 = z.string().regex(/^\+[1-9]\d{4,14}$/);

/** `version` names a list: who asks with `?known=VERSION` gets no numbers if it is still that one. */
export const waitingNumbersSchema = z.object({
  version: z.string().min(1).max(100),
  numbers: z.array(e164).max(mostWaiting).optional(),
});

/** The oldest call that is reported, seconds. */
const oldestOutcome = 86_400;

export const callBackOutcomeSchema = z.object({
  /** Made by the bridge: the same outcome is stored once, however often it is sent. */
  id: systemText(limits.referenceLength),
  number: e164,
  /** How long ago the call ended, seconds: the clocks of two machines differ. */
  ended_ago: z.int().min(0).max(oldestOutcome),
  /** How long somebody here talked to the person, seconds; absent: the person was not reached. */
  talked: z.int().min(0).max(longestCallSeconds).optional(),
  /** Who called, named as in `caller_id`; absent if that is unknown. */
  by: systemText(longestPerson).optional(),
});

/** `taken`: false if the number does not wait, or if very many attempts to reach it were taken this week. */
export const callBackReplySchema = z.object({ taken: z.boolean() });

export type CallBackOutcome = z.output<typeof callBackOutcomeSchema>;
