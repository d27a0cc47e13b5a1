import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { runProgram } from '../tools/program/program.ts';
import { prepare, stateFolder } from '../tools/service/harness.ts';
import { until } from '../tools/until.ts';

/** A service's data, and its commands; `count` reads it beside them. */
async function site(t: TestContext) {
  const stateDir = stateFolder(t);
  await prepare(stateDir);
  const db = new DatabaseSync(join(stateDir, 'service.db'));
  t.after(() => db.close());
  const count = (what: string): number =>
    Number(db.prepare(`SELECT count(*) AS count FROM ${what}`).get()?.count);
  const run = (...args: string[]) => {
    const program = runProgram(['service', ...args], { cwd: stateDir, env: { SERVICE_STATE_DIR: stateDir } });
    // On a busy machine too, this test sees that the work has begun before it is over.
    setPriority(program.process.pid ?? 0, constants.priority.PRIORITY_LOW);
    return program;
  };
  return { stateDir, db, count, run };
}

const bySignal = { code: null, signal: 'SIGINT' } as const;

test('Ctrl-C during an import: it says how many customers are stored, and the same command does the rest', async (t) => {
  const { count, run } = await site(t);
  // Some seconds of storing, of which only the beginning is waited for.
  const all = 50_000;
  const lines = Array.from({ length: all }, (_, n) => `r${n},Ann ${n}\n`);
  const importing = run('customers', 'import', '-');
  importing.process.stdin?.end(`reference,name\n${lines.join('')}`);
  const before = count('customers');
  await until('the first customers', () => count('customers') > before);
  assert.deepEqual(await importing.end('SIGINT'), bySignal);
  const stored = count('customers') - before;
  const [, said = ''] =
    /^stopped: at least (\d+) customers stored; the same command again does the rest, and leaves those as they are\n$/.exec(
      importing.output(),
    ) ?? assert.fail(importing.output());
  // A batch that was on its way to the disk may have arrived.
  assert.ok(stored >= Number(said) && stored <= Number(said) + 500, `${stored} stored, ${said} said`);
  const again = run('customers', 'import', '-');
  again.process.stdin?.end(`reference,name\n${lines.join('')}`);
  assert.deepEqual(await again.ended, { code: 0, signal: null });
  assert.equal(count('customers') - before, all);
});

test('Ctrl-C during a backup: no file is left, and it says so', async (t) => {
  const { stateDir, db, run } = await site(t);
  db.exec('CREATE TABLE filler (bytes BLOB)');
  for (let n = 0; n < 30; n += 1) db.exec('INSERT INTO filler VALUES (randomblob(10000000))');
  const file = join(stateDir, 'the.backup');
  const backup = run('backup', file);
  await until('the backup to begin', () => existsSync(`${file}.part`));
  assert.deepEqual(await backup.end('SIGINT'), bySignal);
  assert.equal(backup.output(), `stopped: ${file} is not written\n`);
  assert.deepEqual(
    readdirSync(stateDir).filter((name) => name.startsWith('the')),
    [],
  );
});

test('Ctrl-C while an account is removed: its phone systems are refused, and the same command removes the rest', async (t) => {
  const { count, run } = await site(t);
  const removing = run('account', 'remove', 'Beta', '--yes');
  await until('its integrations to be off', () => count('integrations WHERE enabled = 0') === 2);
  assert.deepEqual(await removing.end('SIGINT'), bySignal);
  assert.match(
    removing.output(),
    /^stopped: some of its rows are left, and its phone systems are refused; the same command again removes them\n$/,
  );
  const again = run('account', 'remove', 'Beta', '--yes');
  assert.deepEqual(await again.ended, { code: 0, signal: null });
  assert.deepEqual(
    [count("accounts WHERE name = 'Beta'"), count('integrations WHERE account_id = 2')],
    [0, 0],
  );
});

test('Ctrl-C during the export of an account: no file is left, and it says so', async (t) => {
  const { stateDir, db, run } = await site(t);
  db.exec(`INSERT INTO audit (account_id, at, what, who, source, target)
    WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 300000)
    SELECT 1, n, 'settings', 'x', 'x', 'x' FROM n`);
  const file = join(stateDir, 'alpha.jsonl');
  const exporting = run('account', 'export', 'Alpha', file);
  await until('the file', () => existsSync(file));
  assert.deepEqual(await exporting.end('SIGINT'), bySignal);
  assert.equal(exporting.output(), `stopped: ${file} is not written\n`);
  assert.equal(existsSync(file), false);
});
