import { isDeepStrictEqual } from 'node:util';
import type { CopyTarget } from './postgres/copy-target.ts';
import { type CopiedRow, type CopiedTable, calls, history, smallTables } from './shared/copied-tables.ts';
import type { CopySource } from './sqlite/copy-source.ts';

/** Rows that are copied, and read back, in one go. */
const STEP = 2_000;

export type CopySteps = {
  /** Told now and then how far it is. */
  progress(copied: { entries: number; calls: number }): void;
  /** All is copied that the service has stored so far; it follows until the service stands still. */
  following(): void;
  /** Keeps the service from running on the file; undefined while it runs. */
  tryToHold(): (() => void) | undefined;
  /** Waits between two looks at a service that runs. */
  wait(): Promise<void>;
  /** A service may start on the database; everything is compared once more. */
  ready(): void;
  /** A retention may delete old entries of the copied history as soon as a service runs on it. */
  readonly trimmed: boolean;
};

export type Copied = { readonly entries: number; readonly calls: number; readonly others: number };

/**
 * Copies a site from SQLite to PostgreSQL. Most of it while the service runs; the rest when it has stopped, which takes
 * as long as its customers and figures take, not its history. Every row that is written is read back and compared at
 * once; at the end, with the service at work again, all of the history and all calls that are over, which do not
 * change, are compared once more.
 * @throws if anything is not equal.
 */
export async function copySite(source: CopySource, target: CopyTarget, steps: CopySteps): Promise<Copied> {
  let told = false;
  for (;;) {
    await copyNew(source, target, steps);
    const release = steps.tryToHold();
    if (release === undefined) {
      if (!told) steps.following();
      told = true;
      await steps.wait();
      continue;
    }
    try {
      const copied = await finish(source, target, steps);
      steps.ready();
      await compareAll(source, target, steps.trimmed);
      return copied;
    } finally {
      release();
    }
  }
}

async function compareAll(source: CopySource, target: CopyTarget, trimmed: boolean): Promise<void> {
  for (const table of [history, calls]) {
    for (let last = 0; ; ) {
      const rows = source.after(table, last, STEP);
      if (rows.length === 0) break;
      last = rows.at(-1)?.id as number;
      const found = new Map((await target.withIds(table, rows)).map((row) => [row.id, row]));
      const fixed = rows.filter(({ id, status }) =>
        table === history ? !trimmed || found.has(id) : status === 'completed',
      );
      const copies = fixed.map(({ id }) => found.get(id)).filter((row) => row !== undefined);
      demandEqual(table, fixed, copies);
    }
  }
}

/** What the source has more than the target, and the calls that have moved on. */
async function copyNew(source: CopySource, target: CopyTarget, steps: CopySteps): Promise<void> {
  const from = await target.progress();
  const open = await target.openCalls();
  const copied = { entries: from.history, calls: from.calls };
  for (const table of [history, calls]) {
    let last = table === history ? from.history : from.calls;
    for (;;) {
      const rows = source.after(table, last, STEP);
      if (rows.length === 0) break;
      last = rows.at(-1)?.id as number;
      await target.put(table, rows, table === history ? { history: last } : { calls: last });
      await readBack(target, table, rows);
      copied[table === history ? 'entries' : 'calls'] = last;
      steps.progress(copied);
    }
  }
  for (let at = 0; at < open.length; at += STEP) {
    const rows = source.withIds(calls, open.slice(at, at + STEP));
    const moved = differing(rows, await target.withIds(calls, rows));
    if (moved.length === 0) continue;
    await target.put(calls, moved);
    await readBack(target, calls, moved);
  }
}

async function finish(source: CopySource, target: CopyTarget, steps: CopySteps): Promise<Copied> {
  await copyNew(source, target, steps);
  const small = smallTables.map((table) => ({ table, rows: source.all(table) }));
  await target.replace(small);
  for (const { table, rows } of small) demandEqual(table, rows, await target.all(table));

  let entries = 0;
  for (const { account, entries: there, at, id } of source.historyByAccount()) {
    const oldest = at === null ? null : { at: at as number, id: id as number };
    await target.trim(account as number, oldest);
    const here = await target.historyOf(account as number);
    if (here !== there)
      throw new Error(`account ${account}: ${there} entries of history, but ${here} copied`);
    entries += here;
  }
  const counts = [source.count(calls), await target.count(calls)];
  if (counts[0] !== counts[1]) throw new Error(`${counts[0]} calls, but ${counts[1]} copied`);
  await target.finish(source.directoryVersion());
  return { entries, calls: counts[0] ?? 0, others: small.reduce((sum, { rows }) => sum + rows.length, 0) };
}

async function readBack(target: CopyTarget, table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
  demandEqual(table, rows, await target.withIds(table, rows));
}

function demandEqual(
  { name, key }: CopiedTable,
  expected: readonly CopiedRow[],
  found: readonly CopiedRow[],
): void {
  const [wrong] = differing(expected, found);
  if (wrong === undefined && expected.length === found.length) return;
  const which =
    wrong === undefined ? '' : ` (${key.map((column) => `${column} ${wrong[column]}`).join(', ')})`;
  throw new Error(`${name}: ${expected.length} rows, ${found.length} copied, not equal${which}`);
}

/** Rows that are not there in the same order and with the same values. */
function differing(expected: readonly CopiedRow[], found: readonly CopiedRow[]): CopiedRow[] {
  return expected.filter((row, index) => !isDeepStrictEqual(row, found[index]));
}
