import { createApiClient } from '../api/client.ts';
import { apiSection } from '../config/api-section.ts';
import { loadConfig } from '../config/env.ts';
import { outboxSection } from '../config/outbox-section.ts';
import { type Comparison, compare, type Delivered } from '../delivery/compare.ts';
import { createHistoryReader, HistoryUnreadable } from '../delivery/history-reader.ts';
import { openOperator } from '../outbox/operator.ts';
import type { Context } from './command-context.ts';
import { exitCodes } from './exit-codes.ts';
import { clockTime, count, spanOf } from './format-text.ts';
import { openState } from './open-state.ts';

export type VerifyOptions = { readonly since: string; readonly limit: string; readonly resend?: boolean };

/**
 * Compares what was delivered with the far side's own request history (its 200 confirms receipt only), and sends
 * again what is missing there if asked to.
 */
export async function verify(context: Context, options: VerifyOptions, stop: AbortSignal): Promise<number> {
  const { io, json, terminal } = context;
  const { outbox, api } = loadConfig({ outbox: outboxSection, api: apiSection }, io.environment());
  const reader = openState(context, outbox.stateDir);
  if (reader === undefined) return exitCodes.failed;
  const events = reader.events({
    state: 'delivered',
    since: Date.now() - spanOf(options.since),
    limit: wholeNumber(options.limit),
  });
  reader.close();
  if (events.length === 0) {
    context.complain(`nothing was delivered in the last ${options.since}`);
    return exitCodes.nothing;
  }
  const client = createApiClient({ ...api, connections: 1 });
  stop.addEventListener('abort', () => void client.close());
  try {
    const delivered = events.map(({ seq, callId, status, settledAt = 0 }) => ({
      ...{ seq, callId, status, at: settledAt },
    }));
    const told = await createHistoryReader(client.history).look(delivered, Number.POSITIVE_INFINITY);
    const found = compare(delivered, told);
    const again = options.resend ? sendAgain(outbox.stateDir, found.missing) : 0;
    if (json)
      terminal.json({ compared: events.length, missing: found.missing, overtaken: found.overtaken, again });
    else print(context, events.length, found, again, options.resend === true);
    return found.missing.length + found.overtaken.length === 0 ? exitCodes.well : exitCodes.trouble;
  } catch (error) {
    if (!(error instanceof HistoryUnreadable)) throw error;
    const why = stop.aborted ? 'only partly read: stopped' : `not known: ${error.message}`;
    context.complain(`the far side's history is ${why}`);
    return exitCodes.failed;
  } finally {
    await client.close();
  }
}

function sendAgain(stateDir: string, missing: readonly Delivered[]): number {
  const operator = openOperator(stateDir);
  try {
    return operator?.sendAgain(missing.map(({ seq }) => seq)) ?? 0;
  } finally {
    operator?.close();
  }
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
  const say = (what: string, { status, callId, at, seq }: Delivered, rest: string) =>
    terminal.wrapped(
      `${terminal.paint('red', what)}  `,
      `${status} of ${callId}, confirmed at ${clockTime(at, now)} (event ${seq})${rest}`,
      9,
    );
  for (const event of missing) say('missing', event, '');
  for (const event of overtaken) say('missing', event, '; a later state of the call is there, which counts');
  if (missing.length + overtaken.length === 0) {
    terminal.print(`${count(compared, 'event')} compared: the far side has every one of them`);
    return;
  }
  const next = resend
    ? `${count(again, 'event')} will be sent again, within seconds if the bridge runs.`
    : missing.length > 0
      ? '--resend sends them again.'
      : 'A later state of each call is there: nothing needs mending.';
  const none = missing.length === compared ? ' None is there: is API_TOKEN that of another account?' : '';
  terminal.wrapped(
    '',
    `${missing.length + overtaken.length} of ${compared} events are not in the far side's history.${none} ${next}`,
    0,
  );
}
