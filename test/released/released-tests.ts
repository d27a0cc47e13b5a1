import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { version } from '../../src/shared/process/version.ts';
import { lacks, migrate, type Schema } from '../../src/shared/storage/migrate.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { columnsIn, replayOn, rowsIn, statementsOf, unpack, without, writtenOtherwise } from './released.ts';

type Kind = {
  readonly release: string;
  /** The file, and the name of its recorded statements. */
  readonly file: string;
  readonly statements: string;
  /** As this version has it. */
  readonly schema: Schema;
  /** How many of its steps the release had. */
  readonly steps: number;
  /**
   * Columns that need not be the same when it is all done again: which id a row gets is the database's choice, and the
   * recorded statements name the ids of then.
   */
  readonly numberedOtherwise?: RegExp;
  /** Opens the database as the program does, and closes it. */
  open(path: string): void;
};

/**
 * A database that a release has made: this version takes it over, and the release can go on with it. The release itself
 * is not here: what it asks of a database when it opens it is in `migrate` and `lacks`, of which it had the same, and what
 * it then does was recorded, and is done again.
 */
export function releasedTests({
  release,
  file,
  statements,
  schema,
  steps,
  numberedOtherwise,
  open,
}: Kind): void {
  const asReleased: Schema = { ...schema, steps: schema.steps.slice(0, steps) };

  test(`${file} of ${release} is brought up to date: a backup is made, and every row is as before`, (t) => {
    const path = unpack(release, file, temporaryFolder(t));
    const columns = without(columnsIn(path), writtenOtherwise);
    const before = rowsIn(path, columns);
    for (const [table, rows] of Object.entries(before)) assert.ok(rows.length > 0, `${table} has rows`);
    for (const _ of [1, 2]) open(path);
    assert.deepEqual(rowsIn(path, columns), before);
    const backups = join(dirname(path), 'backups');
    if (schema.steps.length === steps) return;
    assert.deepEqual(readdirSync(backups), [`before-${version}-of-${file}`]);
    assert.deepEqual(rowsIn(join(backups, `before-${version}-of-${file}`), columns), before);
  });

  test(`${file} of ${release}, brought up to date: ${release} opens it`, (t) => {
    const path = unpack(release, file, temporaryFolder(t));
    open(path);
    using db = new DatabaseSync(path);
    migrate(db, asReleased, () => assert.fail('there is nothing to do'));
    assert.equal(lacks(db, asReleased, steps), undefined);
    open(path);
  });

  test(`${file}: what ${release} did to it, it can do to a database of today, which then holds the same`, (t) => {
    const folder = temporaryFolder(t);
    const released = unpack(release, file, join(folder, 'released'));
    const path = unpack(release, file, folder);
    rmSync(path);
    open(path);
    replayOn(path, statementsOf(release, statements));
    const columns = without(
      columnsIn(released),
      writtenOtherwise,
      ...(numberedOtherwise ? [numberedOtherwise] : []),
    );
    assert.deepEqual(rowsIn(path, columns), rowsIn(released, columns));
    open(path);
  });
}
