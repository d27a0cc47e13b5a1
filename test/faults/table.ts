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
  /** Day, and what was tried. */
  readonly date: string;
  readonly commit: string;
};

export const asItShould = ({ control, outcome }: Row): boolean => control === outcome.broken.length > 0;

const columns = [
  ...['fault', 'runs', 'events queued', 'delivered', 'waiting', 'dead letters'],
  ...['lost', 'inverted', 'duplicated', 'seed', 'verdict', 'took', 'date', 'commit', 'note'],
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
    row.date,
    row.commit,
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

const title = '# What the fault runs found';

const about = `Made by \`npm run test:faults -- --full --out test/faults/RESULTS.md\`, a row at a time if need be: each row says when it
ran, of which commit, and how much of it. A control is the same run without what protects from the fault: it must
break. \`npm run test:all\` runs the short form of all of them but the soaks: CI runs the first of these beside the tests, the
other one is for hands alone. On a clock six times as fast, eight hours of the bridge's are 80 minutes of ours, and all
that is done to it comes six times as fast, too.`;

/**
 * The results file with these rows in it, in the place of earlier ones of the same fault on the same machine. Rows
 * stand in the order of `order`.
 */
export function merged(
  file: string,
  rows: readonly Row[],
  { machine, order }: { machine: string; order: readonly string[] },
): string {
  const sections = new Map<string, Map<string, string>>();
  let heading = '';
  for (const line of file.split('\n')) {
    if (line.startsWith('## ')) {
      heading = line.slice(3);
      sections.set(heading, new Map());
    }
    const fault = /^\| (.+?) \|/.exec(line)?.[1];
    if (fault !== undefined && fault !== columns[0] && !fault.startsWith('---'))
      sections.get(heading)?.set(fault, line);
  }
  const ours = sections.get(machine) ?? new Map<string, string>();
  for (const row of rows) ours.set(row.fault, `| ${cellsOf(row).join(' | ')} |`);
  sections.set(machine, ours);

  const head = [
    `| ${columns.join(' | ')} |`,
    `|${columns.map((_, i) => (i === 0 ? '---' : '---')).join('|')}|`,
  ];
  const place = (fault: string) => (order.includes(fault) ? order.indexOf(fault) : order.length);
  const text = [...sections].map(([name, lines]) => {
    const sorted = [...lines].sort(([a], [b]) => place(a) - place(b)).map(([, line]) => line);
    return [`## ${name}`, '', ...head, ...sorted].join('\n');
  });
  return `${[title, about, ...text].join('\n\n')}\n`;
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
