import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { migrate, migrations } from './migrations.ts';

const dump = new URL('./schema.sql', import.meta.url);

/** The schema that the steps make, as SQLite tells it. */
function schemaOf(db: DatabaseSync): string {
  const rows = db
    .prepare(
      "SELECT sql FROM sqlite_schema WHERE sql NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type, name",
    )
    .all();
  return `-- Made from migrations.ts; UPDATE_SCHEMA=1 makes it anew.\n${rows.map(({ sql }) => `${sql};`).join('\n\n')}\n`;
}

test('the steps make the schema that is committed', () => {
  const db = new DatabaseSync(':memory:');
  migrate(db);
  if (process.env.UPDATE_SCHEMA) writeFileSync(dump, schemaOf(db));
  assert.equal(schemaOf(db), readFileSync(dump, 'utf8'));
});

test('a database of any age becomes what a new one is; a step that fails leaves it as it was', () => {
  const fresh = new DatabaseSync(':memory:');
  migrate(fresh);
  for (let done = 0; done <= migrations.length; done += 1) {
    const old = new DatabaseSync(':memory:');
    migrate(old, migrations.slice(0, done));
    migrate(old);
    assert.equal(schemaOf(old), schemaOf(fresh));
  }
  const broken = [...migrations, 'CREATE TABLE good (x); CREATE TABLE bad (;'];
  assert.throws(() => migrate(fresh, broken), /syntax error/);
  assert.doesNotMatch(schemaOf(fresh), /good/);
  migrate(fresh);
});
