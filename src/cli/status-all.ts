import type { BridgeStatus } from '../bridge/status/bridge-status.ts';
import { duration } from '../shared/delivery/report.ts';
import { type Context, exitCodes } from './command-context.ts';
import { loadConfig } from './config/env.ts';
import { instancesFolder, readInstances } from './config/instances.ts';
import { statusSection } from './config/outbox-section.ts';
import { readStatus, type StatusResult, statusUrl } from './read-status.ts';

type InstanceStatus = { readonly name: string; readonly found: StatusResult };

/** Reads the status of every bridge with settings in the directory, in parallel. */
export async function readAll(context: Context, folder: string | undefined): Promise<InstanceStatus[]> {
  const instances = readInstances(folder ?? instancesFolder(context.io.environment()));
  return Promise.all(
    instances.map(async ({ name, environment }) => ({ name, found: await readInstance(environment) })),
  );
}

async function readInstance(environment: Parameters<typeof loadConfig>[1]): Promise<StatusResult> {
  try {
    return await readStatus(statusUrl(loadConfig({ status: statusSection }, environment).status));
  } catch (error) {
    // Invalid settings of one bridge must not hide the others.
    return { ok: false, why: (error as Error).message };
  }
}

/** The exit code: ok if every bridge is ready. */
export function codeOf(instances: readonly InstanceStatus[]): number {
  const well = instances.every(({ found }) => found.ok && found.status.ready);
  return well ? exitCodes.ok : exitCodes.problem;
}

/** By the name of each bridge: its /status.json, or `{ error }`. */
export function instancesJson(instances: readonly InstanceStatus[]): object {
  return Object.fromEntries(
    instances.map(({ name, found }) => [name, found.ok ? found.status : { error: found.why }]),
  );
}

const columns = ['bridge', 'PBX', 'open', 'waiting', 'dead', 'delivery'] as const;

/** One row per bridge, and the reasons why it is not ready. */
function instanceRows(
  instances: readonly InstanceStatus[],
): { readonly cells: readonly string[]; readonly problems: readonly string[] }[] {
  return instances.map(({ name, found }) =>
    found.ok
      ? { cells: [name, ...cellsOf(found.status)], problems: found.status.reasons }
      : { cells: [name, '-', '-', '-', '-', '-'], problems: [found.why] },
  );
}

function cellsOf({ pbx, calls, outbox, delivery, now }: BridgeStatus): string[] {
  return [
    pbx.state === 'up' ? `up ${duration(now - pbx.since)}` : 'down',
    String(calls.open),
    String(outbox.waiting),
    String(outbox.dead),
    delivery.state === 'ok' ? 'ok' : delivery.state,
  ];
}

/** The same as text for a narrow terminal: `berlin: PBX up 2 h, open 3, waiting 0, dead 0, delivery ok`. */
function rowText([name, ...cells]: readonly string[]): string {
  return `${name}: ${cells.map((cell, index) => `${columns[index + 1]} ${cell}`).join(', ')}`;
}

export function printAll({ terminal }: Context, instances: readonly InstanceStatus[]): void {
  const { paint } = terminal;
  const rows = instanceRows(instances);
  const widths = columns.map((title, index) =>
    Math.max(title.length, ...rows.map(({ cells }) => (cells[index] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  const fits = widths.reduce((sum, width) => sum + width + 2, 0) <= terminal.width;
  if (fits) terminal.print(paint('bold', `  ${line(columns)}`));
  for (const { cells, problems } of rows) {
    const mark = problems.length === 0 ? paint('green', '+') : paint('red', '!');
    if (fits) terminal.print(`${mark} ${line(cells)}`);
    else terminal.wrapped(`${mark} `, rowText(cells), 4);
    for (const why of problems) terminal.wrapped('    ', why, 4);
  }
}
