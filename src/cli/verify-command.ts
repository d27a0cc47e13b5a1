import { createApiClient } from '../shared/api/client.ts';
import { type Comparison, compare, type Delivered } from '../shared/delivery/compare.ts';
import { createHistoryReader, HistoryUnreadable } from '../shared/delivery/history-reader.ts';
import { type Context, exitCodes, openForChange, openState } from './command-context.ts';
import { apiSection } from './config/api-section.ts';
import { loadConfig } from './config/env.ts';
import { outboxSection } from './config/outbox-section.ts';
import { clockTime, count, parseDuration } from './text/format-text.ts';

type VerifyOptions = { readonly since: string; readonly limit: string; readonly resend?: boolean };

/**
 * Compares delivered events with the API's request history (a 200 only confirms receipt), and with `--resend` sends
 * missing ones again.
 */
export async function verify(context: Context, options: VerifyOptions, stop: AbortSignal): Promise<number> {
  const { io, json, terminal } = context;
  const { outbox, api } = loadConfig({ outbox: outboxSection, api: apiSection }, io.environment());
  using reader = openState(context, outbox.stateDir);
  if (reader === undefined) return exitCodes.failed;
  const events = reader.events({
    state: 'delivered',
    since: Date.now() - parseDuration(options.since),
    limit: wholeNumber(options.limit),
  });
  if (events.length === 0) {
    context.printError(`no event was delivered in the last ${options.since}`);
    return exitCodes.notFound;
  }
  const client = createApiClient({ ...api, connections: 1 });
  stop.addEventListener('abort', () => void client.close());
  try {
    const delivered = events.map(({ seq, callId, status, finishedAt = 0 }) => ({
      seq,
      callId,
      status,
      at: finishedAt,
    }));
    const recorded = await createHistoryReader(client.history).find(delivered, Number.POSITIVE_INFINITY);
    const found = compare(delivered, recorded);
    const again = options.resend ? sendAgain(outbox.stateDir, found.missing) : 0;
    if (json)
      terminal.json({ compared: events.length, missing: found.missing, overtaken: found.overtaken, again });
    else print(context, events.length, found, again, options.resend === true);
    return found.missing.length + found.overtaken.length === 0 ? exitCodes.ok : exitCodes.problem;
  } catch (error) {
    if (!(error instanceof HistoryUnreadable)) throw error;
    const why = stop.aborted ? 'read only in part: stopped' : `not readable: ${error.message}`;
    context.printError(`the request history of the API is ${why}`);
    return exitCodes.failed;
  } finally {
    await client.close();
  }
}

function sendAgain(stateDir: string, missing: readonly Delivered[]): number {
  using operator = openForChange(stateDir);
  return operator.sendAgain(missing.map(({ seq }) => seq));
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error('--limit takes a whole number, 1 or more');
  return Number(text);
}

function print(
  { terminal }: Context,
  compared: number,
  { missing, overtaken }: Comparison,
  again: number,
  resend: boolean,
): void {
  const now = Date.now();
  const printEvent = (what: string, { status, callId, at, seq }: Delivered, rest: string) =>
    terminal.wrapped(
      `${terminal.paint('red', what)}  `,
      `${status} of ${callId}, confirmed at ${clockTime(at, now)} (event ${seq})${rest}`,
      9,
    );
  for (const event of missing) printEvent('missing', event, '');
  for (const event of overtaken)
    printEvent('missing', event, '; a later state of the call is there, which is enough');
  if (missing.length + overtaken.length === 0) {
    terminal.print(`${count(compared, 'event')} compared; the API has all of them`);
    return;
  }
  const next = resend
    ? `${count(again, 'event')} will be sent again within seconds, if the bridge is running.`
    : missing.length > 0
      ? 'To send them again, add --resend.'
      : 'A later state of each call is there; nothing to do.';
  const none =
    missing.length === compared ? ' None was found: check that API_TOKEN is of the right account.' : '';
  terminal.wrapped(
    '',
    `${missing.length + overtaken.length} of ${compared} events are missing in the request history of the API.${none} ${next}`,
    0,
  );
}
