/** The result of a lookup, as the dialplan sees it in `CALLER_PRIORITY_STATUS`. */
type PriorityStatus = 'FOUND' | 'NOTFOUND' | 'TIMEOUT' | 'ERROR';

/**
 * `value` is the priority as the API wrote it; only with FOUND. `name` is the caller's, safe to be written to a channel;
 * a caller may have one without a priority, and `facts`. `httpStatus` is that of the API's answer.
 */
export type PriorityAnswer = {
  readonly status: PriorityStatus;
  readonly value?: string;
  readonly name?: string;
  readonly facts?: CallerFacts;
  readonly httpStatus?: number;
  /** For people: where the answer comes from, or why there is none. */
  readonly why?: string;
};

/** What else the service at the other end says of a caller, as it was received. */
export type CallerFacts = Partial<Readonly<Record<CallerFact, string>>>;
type CallerFact = 'segment' | 'lastExtension' | 'callbackExtension' | 'blocked' | 'language';

/** The API has no priority for the caller, or was not asked: there is no number, or it is withheld. */
export const notFound: PriorityAnswer = { status: 'NOTFOUND' };
export const timedOut: PriorityAnswer = { status: 'TIMEOUT' };
export const failed: PriorityAnswer = { status: 'ERROR' };

export type AnswerOptions = {
  /** `CALLER_PRIORITY` when no priority was found. */
  readonly defaultPriority: string;
  /** Sets `QUEUE_PRIO` as well, unless the request has `queue_prio`. */
  readonly setQueuePrio: boolean;
  /** Maps the API's values to whole numbers for Queue(); a value that is neither listed nor a whole number is 0. */
  readonly queuePrio: Readonly<Record<string, number>>;
};

/**
 * The only values that may be written to a channel: the API's answer may hold any text, and a line break in it would
 * be a second AGI command.
 */
export const safeValue = /^-?[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;

/** Longest name, in characters: telephones show 20 to 40. */
const LONGEST_NAME = 60;
/** Longest line for the console, in characters. */
const LONGEST_LINE = 300;

/** A name as it may be written to a channel: one line without control or invisible characters; '' if nothing is left. */
export function safeName(text: string): string {
  const line = text
    .normalize('NFC')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return [...line].slice(0, LONGEST_NAME).join('').trimEnd();
}

/** As an argument of an AGI command, which ends at a quote and takes a backslash for the next character (res_agi.c). */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** Of a name or a segment, what no line of a dialplan takes for anything else: letters, digits, blanks, dots, hyphens. */
export function plainWords(text: string): string {
  return safeName(text.replace(/[^\p{L}\p{M}\p{N}._-]+/gu, ' '));
}

const word = (text = ''): string => (safeValue.test(text) ? text : '');

/** The variables of `?more=yes`. Each is set in every answer, so that none has the value of an earlier lookup. */
export const callerVariables: readonly (readonly [name: string, of: (answer: PriorityAnswer) => string])[] = [
  ['CALLER_SEGMENT', ({ facts }) => plainWords(facts?.segment ?? '')],
  ['CALLER_NAME', ({ name = '' }) => plainWords(name)],
  ['CALLER_LAST_EXTENSION', ({ facts }) => word(facts?.lastExtension)],
  ['CALLER_CALLBACK_EXTENSION', ({ facts }) => word(facts?.callbackExtension)],
  ['CALLER_BLOCKED', ({ facts }) => word(facts?.blocked)],
  ['CALLER_LANGUAGE', ({ facts }) => word(facts?.language)],
];

const wholeNumber = /^-?\d{1,9}$/;

/**
 * The AGI commands that answer the dialplan. The status comes after the other variables: where it is set, they are too,
 * though the connection may break between two commands. The line for the console comes last, since no call waits for it.
 */
export function commandsFor(
  answer: PriorityAnswer,
  options: AnswerOptions,
  {
    queuePrio = options.setQueuePrio,
    setName = false,
    more = false,
  }: { queuePrio?: boolean; setName?: boolean; more?: boolean } = {},
): string[] {
  const { status, value, name, why } = answer;
  const priority = value !== undefined && safeValue.test(value) ? value : options.defaultPriority;
  const commands = [`SET VARIABLE CALLER_PRIORITY ${priority}`];
  if (queuePrio) commands.push(`SET VARIABLE QUEUE_PRIO ${queuePrioOf(priority, options.queuePrio)}`);
  if (setName && name) commands.push(`SET VARIABLE CALLERID(name) ${quoted(name)}`);
  if (more)
    for (const [variable, of] of callerVariables)
      commands.push(`SET VARIABLE ${variable} ${quoted(of(answer))}`);
  commands.push(`SET VARIABLE CALLER_PRIORITY_STATUS ${status}`);
  const said = `pbx-bridge: caller priority ${priority} (${status})${why ? `: ${why}` : ''}`;
  commands.push(`VERBOSE ${quoted(said.replace(/[^\x20-\x7e]+/g, ' ').slice(0, LONGEST_LINE))} 1`);
  return commands;
}

/** Queue() reads a whole number and serves the higher one first (app_queue.c, QUEUE_PRIO). */
function queuePrioOf(priority: string, map: AnswerOptions['queuePrio']): number {
  const mapped = Object.hasOwn(map, priority) ? map[priority] : undefined;
  return mapped ?? (wholeNumber.test(priority) ? Number(priority) : 0);
}
