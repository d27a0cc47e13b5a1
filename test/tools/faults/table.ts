import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import type { Outcome } from './fault.ts';

/** A line of the table. */
export type Row = {
  readonly fault: string;
  /** What was caused, such as `2000 kills`. */
  readonly size: string;
  readonly outcome: Outcome;
  /** A control must break the promise. */
  readonly control: boolean;
  readonly seconds: number;
};

export const asItShould = ({ control, outcome }: Row): boolean => control === outcome.broken.length > 0;

const columns = [
  'fault',
  'runs',
  'events queued',
  'delivered',
  'waiting',
  'dead letters',
  'lost',
  'inverted',
  'duplicated',
  'seed',
  'verdict',
  'took',
  'note',
] as const;

function cellsOf(row: Row): string[] {
  const { outcome } = row;
  const numbers = [outcome.queued, outcome.delivered, outcome.waiting, outcome.dead, outcome.lost];
  const verdict = row.control
    ? `${asItShould(row) ? 'broke, as it must' : 'DID NOT BREAK'}`
    : `${asItShould(row) ? 'holds' : 'BROKEN'}`;
  return [
    row.fault,
    row.size,
    ...[...numbers, outcome.inverted, outcome.duplicated].map((count) => count.toLocaleString('en')),
    String(outcome.seed),
    verdict,
    `${Math.round(row.seconds)} s`,
    [outcome.note, ...(row.control ? outcome.broken.slice(0, 1) : outcome.broken)]
      .filter((text) => text !== '')
      .join('; ')
      .replaceAll('|', '/'),
  ];
}

/** For a terminal: the columns that fit there, and below it what did not hold. */
export function printed(rows: readonly Row[]): string {
  const shown = columns.slice(0, 12);
  const table = [shown as readonly string[], ...rows.map((row) => cellsOf(row).slice(0, shown.length))];
  const widths = shown.map((_, i) => Math.max(...table.map((cells) => cells[i]?.length ?? 0)));
  const left = (i: number) => i === 0 || i === 10;
  const pad = (cell: string, i: number) =>
    left(i) ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
  const lines = table.map((cells) => cells.map(pad).join('  ').trimEnd());
  const notes = rows.map((row) => `${row.fault}: ${cellsOf(row).at(-1)}`);
  return [...lines, '', ...notes].join('\n');
}

/** What the runs depend on of this machine. */
export function machineLine(): string {
  const all = cpus();
  const kernel = execFileSync('uname', ['-sr'], { encoding: 'utf8' }).trim();
  return [
    `${all.length} cores ${all[0]?.model.trim() ?? 'of an unknown kind'}`,
    kernel,
    `Node ${process.versions.node}`,
    `SQLite ${process.versions.sqlite}`,
  ].join(', ');
}

/** The commit that was tried; `+` when there was more. */
export function commitLine(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', 'src', 'test') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`;
  } catch {
    return 'no git here';
  }
}
