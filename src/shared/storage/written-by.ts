import { version as ours } from '../process/version.ts';
import { BrokenInvariant, StorageRefused } from './storage-error.ts';

/**
 * A step from one version of a schema to the next. Steps only add (a table, an index, a column with a default, a foreign key
 * that the older program keeps), so that an older program goes on with the database; a step that it could not live with
 * says so in `breaks`. Released steps are never edited: a later step corrects them. `name`: no two steps of a database have
 * the same, so that two branches that each add a step are noticed.
 */
export type Step = {
  readonly name: string;
  readonly sql: string;
  readonly breaks?: true;
  /** What the step deletes, and a query for how many `rows`: they are counted before it, and named when it is done. */
  readonly deletes?: { readonly what: string; readonly count: string };
};

/** Tells the operator what the steps have deleted. */
export function sayDeleted(
  name: string,
  deleted: readonly { readonly what: string; readonly rows: number }[],
) {
  for (const { what, rows } of deleted)
    if (rows > 0) process.stderr.write(`pbx-bridge: ${name}: deleted ${rows} ${what}\n`);
}

/**
 * A row of `written_by`: a version of the program that has written the database, how many steps it had then, and the
 * last one without which no program can live with it (0: any can). The newest row is the last one.
 */
export type Writer = {
  /** Unix ms, later than that of the row before. */
  readonly at: number;
  readonly version: string;
  readonly steps: number;
  readonly needs: number;
};

/** Every database of ours has this table, on SQLite and PostgreSQL. */
export const writtenBy = {
  create: `CREATE TABLE written_by (
    at bigint NOT NULL, program text NOT NULL, version text NOT NULL, steps integer NOT NULL, needs integer NOT NULL
  )`,
  read: 'SELECT at, version, steps, needs FROM written_by ORDER BY at',
  /** With the values of `writerValues`. */
  add: 'INSERT INTO written_by (at, program, version, steps, needs) VALUES ($1, $2, $3, $4, $5)',
};

export const writerValues = ({ at, version, steps, needs }: Writer) =>
  [at, 'pbx-bridge', version, steps, needs] as const;

/** `1.2.3`, `1.2.3-rc.1`: the file may come from anywhere, and messages name the version. */
const isVersion = (text: unknown) =>
  typeof text === 'string' && text.length <= 40 && /^\d+\.\d+\.\d+(?:[-+][\dA-Za-z.+-]*)?$/.test(text);

/** How many of the steps a database has. Throws StorageRefused if this program cannot live with it. */
export function stepsOf(writers: readonly Writer[], steps: readonly Step[], name: string): number {
  for (const { version, steps: had, needs } of writers) {
    if (!isVersion(version) || !(needs <= had && had < 10_000))
      throw new BrokenInvariant(
        `the table written_by makes no sense: version ${JSON.stringify(`${version}`.slice(0, 40))} with ${had} steps`,
      );
    if (needs > steps.length)
      throw new StorageRefused(
        `${name} was written by pbx-bridge ${version}, and pbx-bridge ${ours} cannot read it: install ${version} or newer, or restore a backup from before it`,
      );
  }
  return Math.max(0, ...writers.map(({ steps: had }) => had));
}

/** The row that this program adds before it writes; undefined if it is the last one that wrote, with all its steps. */
export function nextWriter(
  writers: readonly Writer[],
  steps: readonly Step[],
  done: number,
): Writer | undefined {
  const last = writers.at(-1);
  if (last?.version === ours && done >= steps.length) return undefined;
  const breaking = steps.findLastIndex(({ breaks }) => breaks) + 1;
  return {
    at: Math.max(Date.now(), (last?.at ?? 0) + 1),
    version: ours,
    steps: Math.max(done, steps.length),
    needs: Math.max(breaking, ...writers.map(({ needs }) => needs)),
  };
}

/** For a database with tables of ours and without `written_by`. `what`: what to do with it. */
export const ofBeforeRelease = (name: string, what: string) =>
  new StorageRefused(`${name} was made by a pbx-bridge from before 1.0.0, whose tables were others: ${what}`);
