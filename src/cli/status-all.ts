import { loadConfig } from '../config/env.ts';
import { readSites, sitesFolder } from '../config/sites.ts';
import { statusSection } from '../config/status-section.ts';
import { duration } from '../delivery/report.ts';
import type { BridgeStatus } from '../status/bridge-status.ts';
import type { Context } from './command-context.ts';
import { exitCodes } from './exit-codes.ts';
import { readStatus, type StatusFound, statusUrl } from './read-status.ts';

export type SiteStatus = { readonly name: string; readonly found: StatusFound };

/** Asks every bridge whose settings lie in the folder how it is doing, all at once. */
export async function readAll(context: Context, folder: string | undefined): Promise<SiteStatus[]> {
  const sites = readSites(folder ?? sitesFolder(context.io.environment()));
  return Promise.all(
    sites.map(async ({ name, environment }) => ({ name, found: await readSite(environment) })),
  );
}

async function readSite(environment: Parameters<typeof loadConfig>[1]): Promise<StatusFound> {
  try {
    return await readStatus(statusUrl(loadConfig({ status: statusSection }, environment).status));
  } catch (error) {
    // Settings that are wrong are this bridge's trouble, and no reason not to show the others.
    return { ok: false, why: (error as Error).message };
  }
}

/** Well if every bridge is. */
export function codeOf(sites: readonly SiteStatus[]): number {
  const well = sites.every(({ found }) => found.ok && found.status.ready);
  return well ? exitCodes.well : exitCodes.trouble;
}

/** As JSON: by the bridge's name, its /status.json, or why there is none. */
export function sitesJson(sites: readonly SiteStatus[]): object {
  return Object.fromEntries(
    sites.map(({ name, found }) => [name, found.ok ? found.status : { error: found.why }]),
  );
}

const columns = ['bridge', 'PBX', 'open', 'waiting', 'dead', 'delivery'] as const;

/** A row for each bridge: counts for the eye, and under a bridge that is not well, why. Pure. */
function siteRows(
  sites: readonly SiteStatus[],
): { readonly cells: readonly string[]; readonly trouble: readonly string[] }[] {
  return sites.map(({ name, found }) =>
    found.ok
      ? { cells: [name, ...cellsOf(found.status)], trouble: found.status.reasons }
      : { cells: [name, '-', '-', '-', '-', '-'], trouble: [found.why] },
  );
}

function cellsOf({ pbx, calls, outbox, delivery, now }: BridgeStatus): string[] {
  return [
    pbx.state === 'up' ? `up ${duration(now - pbx.since)}` : 'no link',
    String(calls.open),
    String(outbox.waiting),
    String(outbox.dead),
    delivery.state === 'ok' ? 'flows' : delivery.state,
  ];
}

/** The same for a narrow terminal: `berlin: PBX up 2 h, open 3, waiting 0, dead 0, delivery flows` */
function inWords([name, ...cells]: readonly string[]): string {
  return `${name}: ${cells.map((cell, index) => `${columns[index + 1]} ${cell}`).join(', ')}`;
}

export function printAll({ terminal }: Context, sites: readonly SiteStatus[]): void {
  const { paint } = terminal;
  const rows = siteRows(sites);
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
  for (const { cells, trouble } of rows) {
    const mark = trouble.length === 0 ? paint('green', '+') : paint('red', '!');
    if (fits) terminal.print(`${mark} ${line(cells)}`);
    else terminal.wrapped(`${mark} `, inWords(cells), 4);
    for (const why of trouble) terminal.wrapped('    ', why, 4);
  }
}
