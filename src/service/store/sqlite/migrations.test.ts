import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { migrate, schemaOf } from '../../../storage/migrate.ts';
import { migrations } from './migrations.ts';

const dump = new URL('./schema.sql', import.meta.url);

/** As it is committed. */
const dumpOf = (db: DatabaseSync) =>
  `-- Made from migrations.ts; UPDATE_SCHEMA=1 makes it anew.\n${schemaOf(db).join('\n\n')}\n`;

test('the steps make the schema that is committed', () => {
  const db = new DatabaseSync(':memory:');
  migrate(db, migrations);
  if (process.env.UPDATE_SCHEMA) writeFileSync(dump, dumpOf(db));
  assert.equal(dumpOf(db), readFileSync(dump, 'utf8'));
});

test('a database of any age becomes what a new one is; a step that fails leaves it as it was', () => {
  const fresh = new DatabaseSync(':memory:');
  migrate(fresh, migrations);
  for (let done = 0; done <= migrations.length; done += 1) {
    const old = new DatabaseSync(':memory:');
    migrate(old, migrations.slice(0, done));
    migrate(old, migrations);
    assert.equal(dumpOf(old), dumpOf(fresh));
  }
  const broken = [...migrations, 'CREATE TABLE good (x); CREATE TABLE bad (;'];
  assert.throws(() => migrate(fresh, broken), /syntax error/);
  assert.doesNotMatch(dumpOf(fresh), /good/);
  migrate(fresh, migrations);
});
