import { fill, type Message, type MessageCode, messages } from '../log/messages.ts';

/** The codes of all problems that are announced; test/alerts/caused.test.ts causes each. */
export const problemCodes = [
  'ami.unreachable',
  'ami.tls-refused',
  'ami.not-asterisk',
  'ami.login-refused',
  'ami.no-reporting-class',
  'ami.no-call-class',
  'ami.silent',
  'ami.lost',
  'delivery.paused',
  'delivery.held',
  'delivery.outage',
  'outbox.full',
  'outbox.failing',
  'cdr.unreadable',
  'problem.backlog',
  'problem.dead-letters',
  'problem.not-storing',
  'problem.disk-low',
  'problem.clock',
  'problem.certificate',
  'problem.other-agi-script',
  'problem.test',
  'service.not-stored',
  'service.token-refused',
  'service.old-token-ends',
  'service.phone-system-silent',
  'service.backup-failed',
  'webhook.failing',
  'webhook.switched-off',
] as const satisfies readonly MessageCode[];

export type ProblemCode = (typeof problemCodes)[number];

/** Something that a person should know and act on, for as long as it lasts. */
export type Problem = {
  /** Stays the same while the problem lasts, even if its code or text changes. */
  readonly key: string;
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
  key: string,
  code: ProblemCode,
  fields: Readonly<Record<string, unknown>>,
  more: Pick<Problem, 'since' | 'atOnce' | 'amount'> = {},
): Problem {
  const { text, todo = '' }: Message = messages[code];
  return { key, code, what: fill(text, fields), remedy: todo, ...more };
}
