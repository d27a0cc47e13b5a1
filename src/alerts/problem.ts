import { fill, type Message, type MessageCode, messages } from '../log/messages.ts';

/** Something that a person should know and act on, for as long as it lasts. */
export type Problem = {
  /** The same for as long as it is the same problem, also if its code or text changes. */
  readonly key: string;
  readonly code: MessageCode;
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
  key: string,
  code: MessageCode,
  fields: Readonly<Record<string, unknown>>,
  more: Pick<Problem, 'since' | 'atOnce' | 'amount'> = {},
): Problem {
  const { text, todo = '' }: Message = messages[code];
  return { key, code, what: fill(text, fields), remedy: todo, ...more };
}
