/** What a lookup came to, as the dialplan sees it in `CALLER_PRIORITY_STATUS`. */
export type PriorityStatus = 'FOUND' | 'NOTFOUND' | 'TIMEOUT' | 'ERROR';

/** `value` is the API's word for the priority; only with FOUND. */
export type PriorityAnswer = { readonly status: PriorityStatus; readonly value?: string };

export const notFound: PriorityAnswer = { status: 'NOTFOUND' };
export const timedOut: PriorityAnswer = { status: 'TIMEOUT' };
export const failed: PriorityAnswer = { status: 'ERROR' };

export type AnswerOptions = {
  /** `CALLER_PRIORITY` where there is no answer. */
  readonly defaultPriority: string;
  /** Set `QUEUE_PRIO` as well, unless the dialplan says otherwise. */
  readonly setQueuePrio: boolean;
  /** The API's value to what Queue() understands; what is not listed and is no whole number is 0. */
  readonly queuePrio: Readonly<Record<string, number>>;
  /** Show each answer in Asterisk's console. */
  readonly verbose: boolean;
};

/**
 * All that may ever be written to a channel: the API's answer is anybody's text, and a line break in it would be a
 * second AGI command.
 */
export const safeValue = /^-?[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;

const wholeNumber = /^-?\d{1,9}$/;

/**
 * The AGI commands that tell the dialplan. The status comes when all else is set, so that whoever has one has all; the
 * console's line comes last, because nobody's call waits for it.
 */
export function commandsFor(
  { status, value }: PriorityAnswer,
  options: AnswerOptions,
  queuePrio = options.setQueuePrio,
): string[] {
  const priority = value !== undefined && safeValue.test(value) ? value : options.defaultPriority;
  const commands = [`SET VARIABLE CALLER_PRIORITY ${priority}`];
  if (queuePrio) commands.push(`SET VARIABLE QUEUE_PRIO ${queuePrioOf(priority, options.queuePrio)}`);
  commands.push(`SET VARIABLE CALLER_PRIORITY_STATUS ${status}`);
  if (options.verbose) commands.push(`VERBOSE "pbx-bridge: caller priority ${priority} (${status})" 1`);
  return commands;
}

/** Queue() reads a whole number and serves the higher one first (app_queue.c, QUEUE_PRIO). */
function queuePrioOf(priority: string, map: AnswerOptions['queuePrio']): number {
  const mapped = Object.hasOwn(map, priority) ? map[priority] : undefined;
  return mapped ?? (wholeNumber.test(priority) ? Number(priority) : 0);
}
