import { setTimeout as wait } from 'node:timers/promises';
import { loadConfig } from '../config/env.ts';
import { statusSection } from '../config/status.ts';
import type { BridgeStatus } from '../ops/status.ts';
import type { Context } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { readStatus, statusUrl } from './status-client.ts';
import { statusLines } from './status-page.ts';

export type StatusOptions = { readonly url?: string; readonly watch?: boolean };

const watchMs = 1_000;

/** One screen: how the running bridge is doing. */
export async function status(context: Context, options: StatusOptions, stop: AbortSignal): Promise<number> {
  const { terminal, json, io } = context;
  const url = options.url ?? statusUrl(loadConfig({ status: statusSection }, io.environment()).status);
  for (;;) {
    const found = await readStatus(url);
    if (!found.ok && !options.watch) {
      io.err.write(`${found.why}\n`);
      return exitCodes.failed;
    }
    if (options.watch && terminal.isTerminal) io.out.write('\x1b[H\x1b[2J');
    if (!found.ok) terminal.wrapped('', found.why, 0);
    else if (json) terminal.json(found.status);
    else printStatus(context, found.status);
    if (!options.watch) return found.ok && found.status.ready ? exitCodes.well : exitCodes.trouble;
    await wait(watchMs, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) return exitCodes.well;
  }
}

const labelWidth = 12;

function printStatus({ terminal }: Context, status: BridgeStatus): void {
  const { paint } = terminal;
  for (const { label, text, tone } of statusLines(status)) {
    const mark = tone === 'bad' ? paint('red', '!') : tone === 'good' ? paint('green', '+') : ' ';
    terminal.wrapped(`${mark} ${paint('bold', label.padEnd(labelWidth))}`, text, labelWidth + 2);
  }
}
