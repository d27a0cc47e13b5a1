import { createApiClient } from '../api/client.ts';
import { apiSection } from '../config/api.ts';
import { loadConfig } from '../config/env.ts';
import { outboxSection } from '../config/outbox.ts';
import type { ToldEvent } from '../outbox/history.ts';
import { openOperator } from '../outbox/operator.ts';
import type { Context } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { createFarSide, type FarSide } from './explain/far-side.ts';
import { openState } from './state.ts';
import { clockTime, count, spanOf } from './words.ts';

export type VerifyOptions = { readonly since: string; readonly limit: string; readonly resend?: boolean };

/** Questions at the same time: the far side has calls to take meanwhile. */
const atOnce = 4;

type Missing = Pick<ToldEvent, 'seq' | 'callId' | 'status'> & { readonly deliveredAt: number };

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
    io.err.write(`nothing was delivered in the last ${options.since}\n`);
    return exitCodes.nothing;
  }
  const client = createApiClient({ ...api, connections: atOnce });
  try {
    const found = await compare(
      Map.groupBy(events, ({ callId }) => callId),
      createFarSide(client),
      stop,
    );
    if (typeof found === 'string') {
      io.err.write(`the far side's history is ${found}\n`);
      return exitCodes.failed;
    }
    const again = options.resend ? sendAgain(outbox.stateDir, found) : 0;
    if (json) terminal.json({ compared: events.length, missing: found, again });
    else print(context, events.length, found, again, options.resend === true);
    return found.length === 0 ? exitCodes.well : exitCodes.trouble;
  } finally {
    await client.close();
  }
}

async function compare(
  calls: ReadonlyMap<string, readonly ToldEvent[]>,
  farSide: FarSide,
  stop: AbortSignal,
): Promise<Missing[] | string> {
  const missing: Missing[] = [];
  const left = [...calls];
  let trouble: string | undefined;
  async function work(): Promise<void> {
    for (let next = left.pop(); next && trouble === undefined && !stop.aborted; next = left.pop()) {
      const [callId, events] = next;
      const entries = await farSide.entriesOf(callId);
      if (typeof entries === 'string') {
        trouble = entries;
        return;
      }
      const there = new Set(entries.map(({ told }) => told));
      for (const { seq, status, settledAt = 0 } of events)
        if (!there.has(status)) missing.push({ seq, callId, status, deliveredAt: settledAt });
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  if (stop.aborted) return 'only partly read: stopped';
  return trouble ?? missing.sort((a, b) => a.seq - b.seq);
}

function sendAgain(stateDir: string, missing: readonly Missing[]): number {
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
  missing: readonly Missing[],
  again: number,
  resend: boolean,
): void {
  const now = Date.now();
  for (const { seq, callId, status, deliveredAt } of missing)
    terminal.wrapped(
      `${terminal.paint('red', 'missing')}  `,
      `${status} of ${callId}, confirmed at ${clockTime(deliveredAt, now)} (event ${seq})`,
      9,
    );
  if (missing.length === 0) {
    terminal.print(`${count(compared, 'event')} compared: the far side has every one of them`);
    return;
  }
  const next = resend
    ? `${count(again, 'event')} will be sent again, within seconds if the bridge runs.`
    : '--resend sends them again.';
  const all = missing.length === compared ? ' None is there: is API_TOKEN that of another account?' : '';
  terminal.wrapped(
    '',
    `${missing.length} of ${compared} events are not in the far side's history.${all} ${next}`,
    0,
  );
}
