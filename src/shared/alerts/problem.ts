import { fill, type Message, type MessageCode, messages } from '../log/messages.ts';

/** The codes of all problems that are announced; test/alerts/caused.test.ts causes each. */
export type ProblemCode = {
  [Code in MessageCode]: (typeof messages)[Code] extends { readonly announced: true } ? Code : never;
}[MessageCode];

export type ProblemKey =
  | 'link'
  | 'linkedid'
  | 'bridge-events'
  | 'damaged-outbox'
  | 'delivery'
  | 'backlog'
  | 'dead-letters'
  | 'storage'
  | 'records'
  | 'clock'
  | 'other-script'
  | 'disk'
  | 'backup'
  | 'test'
  | `${'certificate' | 'token' | 'old-token' | 'silent' | 'webhook' | 'webhook-off'}-${string}`;

/** Something that a person should know and act on, for as long as it lasts. */
export type Problem = {
  /** Stays the same while the problem lasts, even if its code or text changes. */
  readonly key: ProblemKey;
  readonly code: ProblemCode;
  /** What is wrong, in one line. */
  readonly what: string;
  /** What to do. */
  readonly remedy: string;
  /** When it began, Unix ms; absent: when it was seen first. */
  readonly since?: number | undefined;
  /** True if it does not end by itself: it is alerted without waiting. */
  readonly atOnce?: boolean | undefined;
  /** A count that may grow, such as of dead letters: growth is alerted again, once a day. */
  readonly amount?: number | undefined;
};

/** A problem in the words of the message catalogue. */
export function problem(
  key: ProblemKey,
  code: ProblemCode,
  fields: Readonly<Record<string, unknown>>,
  more: Pick<Problem, 'since' | 'atOnce' | 'amount'> = {},
): Problem {
  const { text, todo = '' }: Message = messages[code];
  return { key, code, what: fill(text, fields), remedy: todo, ...more };
}
