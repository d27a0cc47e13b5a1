import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Operator } from '../bridge/outbox/operator.ts';
import type { Reader } from '../bridge/outbox/reader.ts';
import type { StoredEvent } from '../bridge/outbox/tables/history.ts';
import { escapeControls, maskNumber } from '../shared/log/redact.ts';
import { type Context, exitCodes, openForChange, openState } from './command-context.ts';
import { loadConfig } from './config/env.ts';
import { outboxSection } from './config/outbox-section.ts';
import { attemptText, clockTime, count, parseDuration } from './text/format-text.ts';

type Filters = {
  readonly state?: string;
  readonly call?: string;
  readonly olderThan?: string;
  readonly newerThan?: string;
  readonly limit?: string;
};
type ListOptions = Filters;
type ShowOptions = { readonly showNumbers?: boolean };
type ChangeOptions = Omit<Filters, 'state' | 'limit'> & {
  readonly all?: boolean;
  readonly yes?: boolean;
};

const states = ['waiting', 'dead', 'delivered'] as const;
/** Dead letters changed by one command; more would block the bridge's outbox for too long. */
const maxChanges = 100_000;

/** Lists events; undelivered ones unless `--state` is given. */
export async function list(context: Context, options: ListOptions): Promise<number> {
  using reader = openState(context, stateDirOf(context));
  if (reader === undefined) return exitCodes.failed;
  const limit = Number(options.limit ?? 50);
  const events = find(reader, options, ['dead', 'waiting'], limit);
  if (context.json) context.terminal.json(events.map(forJson(false)));
  else printList(context, events, limit);
  return events.length > 0 ? exitCodes.ok : exitCodes.notFound;
}

/** Shows events with all delivery attempts. `what` is an event number or a call id. */
export async function show(context: Context, what: string, { showNumbers = false }: ShowOptions) {
  using reader = openState(context, stateDirOf(context));
  if (reader === undefined) return exitCodes.failed;
  const one = /^\d+$/.test(what) ? reader.event(Number(what)) : undefined;
  const events = one ? [one] : reader.events({ callId: what, limit: 10 }).reverse();
  if (context.json) context.terminal.json(events.map(forJson(showNumbers)));
  else for (const event of events) printEvent(context, event, showNumbers);
  if (events.length === 0) context.printError(`no event ${what}`);
  return events.length > 0 ? exitCodes.ok : exitCodes.notFound;
}

/** Sends dead letters again. */
export async function retry(context: Context, numbers: readonly string[], options: ChangeOptions) {
  return withDeadLetters(context, numbers, options, async (operator, events) => {
    const sent = operator.resend(events.map(({ seq }) => seq));
    context.printResult(
      { again: sent },
      `${count(sent, 'event')} will be sent again within seconds, if the bridge is running`,
    );
    return exitCodes.ok;
  });
}

/** Deletes dead letters after a confirmation, and writes them to the audit log in the state directory. */
export async function discard(context: Context, numbers: readonly string[], options: ChangeOptions) {
  return withDeadLetters(context, numbers, options, async (operator, events) => {
    if (!options.yes && !(await confirmed(context, events))) {
      context.printResult({ discarded: 0 }, 'nothing discarded');
      return exitCodes.failed;
    }
    const log = join(stateDirOf(context), 'outbox.audit.jsonl');
    const discarded = operator.discard(
      events.map(({ seq }) => seq),
      (found) => writeAudit(log, found),
    );
    context.printResult(
      { discarded: discarded.length, log },
      `${count(discarded.length, 'event')} discarded, logged in ${log}`,
    );
    return exitCodes.ok;
  });
}

function stateDirOf({ io }: Context): string {
  return loadConfig({ outbox: outboxSection }, io.environment()).outbox.stateDir;
}

async function withDeadLetters(
  context: Context,
  numbers: readonly string[],
  options: ChangeOptions,
  work: (operator: Operator, events: readonly StoredEvent[]) => Promise<number>,
): Promise<number> {
  const isFiltered = (options.call ?? options.olderThan ?? options.newerThan) !== undefined;
  const byFilter = options.all === true || isFiltered;
  if (numbers.length > 0 === byFilter) {
    const hint = 'give the event numbers from outbox list, or a filter, or --all';
    context.printError(
      byFilter
        ? `event numbers cannot be combined with a filter or --all: ${hint}`
        : `no dead letter selected: ${hint}`,
    );
    return exitCodes.failed;
  }
  using reader = openState(context, stateDirOf(context));
  if (reader === undefined) return exitCodes.failed;
  let events = byFilter
    ? find(reader, { ...options, state: 'dead' }, ['dead'], maxChanges + 1)
    : deadLettersOf(context, reader, numbers);
  if (events.length === 0) {
    context.printError('no matching dead letter; see pbx-bridge outbox list');
    return exitCodes.notFound;
  }
  if (byFilter && events.length > maxChanges) {
    events = events.slice(0, maxChanges);
    const many = maxChanges.toLocaleString('en');
    context.printError(
      `more than ${many} dead letters match; processing the newest ${many}. Run the command again for the others`,
    );
  }
  using operator = openForChange(stateDirOf(context));
  return await work(operator, events);
}

/** The dead letters among these event numbers; prints an error for each of the others. */
function deadLettersOf(context: Context, reader: Reader, numbers: readonly string[]): StoredEvent[] {
  for (const number of numbers)
    if (!/^\d{1,15}$/.test(number))
      throw new Error(`${number} is not an event number; see pbx-bridge outbox list`);
  return [...new Set(numbers.map(Number))].flatMap((number) => {
    const event = reader.event(number);
    if (event?.state === 'dead') return event;
    context.printError(
      event ? `event ${number} is not a dead letter: it is ${event.state}` : `no event ${number}`,
    );
    return [];
  });
}

function find(
  reader: Reader,
  options: Filters,
  defaultStates: readonly StoredEvent['state'][],
  limit: number,
): StoredEvent[] {
  const wanted = options.state === 'all' ? states : states.filter((state) => state === options.state);
  if (options.state !== undefined && wanted.length === 0)
    throw new Error(`--state takes ${states.join(', ')} or all`);
  if (!(limit >= 1)) throw new Error('--limit takes a whole number, 1 or more');
  const now = Date.now();
  const filter = {
    callId: options.call,
    since: options.newerThan === undefined ? undefined : now - parseDuration(options.newerThan),
    before: options.olderThan === undefined ? undefined : now - parseDuration(options.olderThan),
    limit,
  };
  return (options.state === undefined ? defaultStates : wanted)
    .flatMap((state) => reader.events({ ...filter, state }))
    .sort((a, b) => b.seq - a.seq)
    .slice(0, limit);
}

function printList({ terminal }: Context, events: readonly StoredEvent[], limit: number): void {
  const { paint } = terminal;
  if (events.length === 0) terminal.print('no events to show');
  const now = Date.now();
  for (const event of events) {
    const state = { dead: paint('red', 'dead     '), waiting: paint('yellow', 'waiting  ') };
    const sign = event.state === 'delivered' ? 'delivered' : state[event.state];
    const last = event.attemptLog.at(-1);
    const why = last === undefined ? 'not attempted yet' : attemptText(last);
    const text = `${event.status} of ${event.callId}, stored ${clockTime(event.queuedAt, now)}; ${why}`;
    terminal.wrapped(`${String(event.seq).padStart(6)}  ${sign}  `, text, 19);
  }
  if (events.length === limit) terminal.print(`The newest ${limit}; --limit shows more.`);
}

function printEvent({ terminal }: Context, event: StoredEvent, showNumbers: boolean): void {
  const now = Date.now();
  const { seq, callId, status, state, queuedAt, finishedAt, attemptLog } = event;
  terminal.wrapped('', `event ${seq}: ${status} of call ${callId}, ${state}`, 2);
  terminal.wrapped('  request       ', masked(event.body, showNumbers), 16);
  terminal.print(`  stored        ${clockTime(queuedAt, now)}`);
  for (const attempt of attemptLog)
    terminal.wrapped('  attempt       ', `${clockTime(attempt.at, now)} ${attemptText(attempt)}`, 16);
  if (attemptLog.length === 0) terminal.print('  attempt       none yet');
  if (finishedAt !== undefined) terminal.print(`  ${state.padEnd(13)} ${clockTime(finishedAt, now)}`);
}

/** The event's JSON with the caller's number masked as in the log. */
function masked(body: string, showNumbers: boolean): string {
  if (showNumbers) return body;
  return body.replace(/("from":")([^"]*)"/, (_, key: string, from: string) => `${key}${maskNumber(from)}"`);
}

function forJson(showNumbers: boolean) {
  return ({ body, ...event }: StoredEvent) => ({
    ...event,
    body: JSON.parse(masked(body, showNumbers)) as unknown,
  });
}

async function confirmed({ io, terminal }: Context, events: readonly StoredEvent[]): Promise<boolean> {
  for (const { seq, status, callId } of events.slice(0, 10))
    terminal.print(escapeControls(`  ${seq} ${status} of ${callId}`));
  if (events.length > 10) terminal.print(`  and ${events.length - 10} more`);
  io.out.write(`Discard ${count(events.length, 'dead letter')} permanently? Type yes: `);
  const lines = createInterface({ input: io.in });
  const [answer] = await Promise.race([
    new Promise<string[]>((resolve) => lines.once('line', (line) => resolve([line]))),
    new Promise<string[]>((resolve) => lines.once('close', () => resolve([]))),
  ]);
  lines.close();
  terminal.print();
  return answer?.trim().toLowerCase() === 'yes';
}

/** Appends to the audit log; on disk when this returns, before the events are deleted. */
function writeAudit(path: string, events: readonly StoredEvent[]): void {
  const file = openSync(path, 'a', 0o600);
  try {
    const { username } = userInfo();
    const at = new Date().toISOString();
    for (const event of events)
      writeSync(file, `${JSON.stringify({ at, user: username, action: 'discard', ...event })}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
