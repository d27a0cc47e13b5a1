import { setTimeout as wait } from 'node:timers/promises';
import type { BridgeStatus } from '../bridge/status/bridge-status.ts';
import { duration } from '../shared/delivery/report.ts';
import { type Context, exitCodes } from './command-context.ts';
import { isUnset, requiredSettings } from './config/env.ts';
import { instancePaths, instancesFolder, plainBridge, readInstances } from './config/instances.ts';
import { ConfigError, type Environment } from './config/variable.ts';
import { readOwnStatus, readStatus, type StatusResult } from './read-status.ts';
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

const codeOf = (wells: boolean[]) => (wells.every(Boolean) ? exitCodes.ok : exitCodes.problem);

/** False if a line of the status says that something is wrong. */
const isWell = (status: BridgeStatus) => statusLines(status).every(({ tone }) => tone !== 'bad');

async function showOne(context: Context, options: StatusOptions): Promise<View> {
  const { terminal, json, io } = context;
  const found =
    options.url === undefined ? await readOwnStatus(io.environment()) : await readStatus(options.url);
  if (found.ok)
    return {
      code: codeOf([isWell(found.status)]),
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

/** What is wrong, a line each: why it is not ready, or else what the status marks as bad. */
function troubles(status: BridgeStatus): readonly string[] {
  if (!status.ready) return status.reasons;
  return statusLines(status).flatMap(({ label, text, tone }) => (tone === 'bad' ? `${label}: ${text}` : []));
}

type InstanceStatus = { readonly name: string; readonly found: StatusResult };

/** By the name of each bridge with settings in the folder: in JSON its /status.json, or `{ error }`. */
async function showAll(context: Context, { folder }: StatusOptions): Promise<View> {
  const { terminal, json, io } = context;
  const own = io.environment();
  const where = folder ?? instancesFolder(own);
  const all = readInstances(where);
  if (all.length === 0)
    throw new ConfigError([
      `--folder: got ${where}, which contains no settings; takes a directory with one NAME.env for each bridge`,
    ]);
  const read = await Promise.all(
    all.map(async ({ name, file, environment }) => ({
      name,
      found: await readInstance({ ...instancePaths(name, own), ...environment }, file),
      isBlank: name === plainBridge && isUnset(requiredSettings, environment),
    })),
  );
  // The package installs blank settings, which stay so on a machine whose bridges all have names.
  const instances = read.filter(({ found, isBlank }) => found.ok || !isBlank || read.length === 1);
  const objects = instances.map(({ name, found }) => [name, found.ok ? found.status : { error: found.why }]);
  return {
    code: codeOf(instances.map(({ found }) => found.ok && isWell(found.status))),
    print: () => (json ? terminal.json(Object.fromEntries(objects)) : printAll(context, instances)),
  };
}

async function readInstance(environment: Environment, file: string): Promise<StatusResult> {
  try {
    return await readOwnStatus(environment, file);
  } catch (error) {
    // Invalid settings of one bridge must not hide the others.
    return { ok: false, why: (error as Error).message };
  }
}

const columns: readonly (readonly [title: string, read: (status: BridgeStatus) => string | number])[] = [
  ['PBX', ({ pbx, now }) => (pbx.state === 'up' ? `up ${duration(now - pbx.since)}` : 'down')],
  ['open', ({ calls }) => calls.open],
  [
    'last event',
    ({ pbx, now }) => (pbx.lastEventAt === undefined ? '-' : `${duration(now - pbx.lastEventAt)} ago`),
  ],
  ['waiting', ({ outbox }) => outbox.waiting],
  [
    'oldest',
    ({ outbox, now }) =>
      outbox.oldestWaitingAt === undefined ? '-' : duration(now - outbox.oldestWaitingAt),
  ],
  ['dead', ({ outbox }) => outbox.dead],
  ['delivery', ({ delivery }) => delivery.state],
];

/**
 * One row per bridge, and the reasons why it is not ready. On a narrow terminal as text:
 * `berlin: PBX up 2 h, open 3, waiting 0, dead 0, delivery ok`.
 */
function printAll({ terminal }: Context, instances: readonly InstanceStatus[]): void {
  const { paint } = terminal;
  const head = ['bridge', ...columns.map(([title]) => title)];
  const rows = instances.map(({ name, found }) => ({
    cells: [name, ...columns.map(([, read]) => (found.ok ? String(read(found.status)) : '-'))],
    problems: found.ok ? troubles(found.status) : [found.why],
  }));
  const widths = head.map((title, index) =>
    Math.max(title.length, ...rows.map(({ cells }) => cells[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  const fits = widths.reduce((sum, width) => sum + width + 2, 0) <= terminal.width;
  if (fits) terminal.print(paint('bold', `  ${line(head)}`));
  for (const { cells, problems } of rows) {
    const mark = problems.length === 0 ? paint('green', '+') : paint('red', '!');
    const [name, ...rest] = cells;
    const text = rest.map((cell, index) => `${head[index + 1]} ${cell}`).join(', ');
    if (fits) terminal.print(`${mark} ${line(cells)}`);
    else terminal.wrapped(`${mark} `, `${name}: ${text}`, 4);
    for (const why of problems) terminal.wrapped('    ', why, 4);
  }
}
