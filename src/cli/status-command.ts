import { setTimeout as wait } from 'node:timers/promises';
import type { BridgeStatus } from '../bridge/status/bridge-status.ts';
import { type Context, exitCodes } from './command-context.ts';
import { loadConfig } from './config/env.ts';
import { statusSection } from './config/outbox-section.ts';
import { readStatus, statusUrl } from './read-status.ts';
import { codeOf, instancesJson, printAll, readAll } from './status-all.ts';
import { statusLines } from './status-lines.ts';

type StatusOptions = {
  readonly url?: string;
  readonly watch?: boolean;
  readonly all?: boolean;
  readonly folder?: string;
};

const watchMs = 1_000;

/** Shows the status of the running bridge, or of all bridges of this machine. */
export async function status(context: Context, options: StatusOptions, stop: AbortSignal): Promise<number> {
  const { terminal, io } = context;
  const show = options.all ? showAll : showOne;
  for (;;) {
    const { code, print } = await show(context, options);
    if (options.watch && terminal.isTerminal) io.out.write('\x1b[H\x1b[2J');
    print();
    if (!options.watch) return code;
    await wait(watchMs, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) return exitCodes.ok;
  }
}

type View = { readonly code: number; print(): void };

async function showAll(context: Context, { folder }: StatusOptions): Promise<View> {
  const { terminal, json } = context;
  const instances = await readAll(context, folder);
  return {
    code: codeOf(instances),
    print: () => (json ? terminal.json(instancesJson(instances)) : printAll(context, instances)),
  };
}

async function showOne(context: Context, options: StatusOptions): Promise<View> {
  const { terminal, json, io } = context;
  const url = options.url ?? statusUrl(loadConfig({ status: statusSection }, io.environment()).status);
  const found = await readStatus(url);
  if (found.ok)
    return {
      code: found.status.ready ? exitCodes.ok : exitCodes.problem,
      print: () => (json ? terminal.json(found.status) : printStatus(context, found.status)),
    };
  return {
    code: exitCodes.failed,
    print: () => (options.watch ? terminal.wrapped('', found.why, 0) : context.printError(found.why)),
  };
}

const labelWidth = 12;

function printStatus({ terminal }: Context, status: BridgeStatus): void {
  const { paint } = terminal;
  for (const { label, text, tone } of statusLines(status)) {
    const mark = tone === 'bad' ? paint('red', '!') : tone === 'good' ? paint('green', '+') : ' ';
    terminal.wrapped(`${mark} ${paint('bold', label.padEnd(labelWidth))}`, text, labelWidth + 2);
  }
}
