import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { silentLog } from '../../shared/log/log.ts';
import { openDurable } from '../../shared/storage/open-database.ts';
import { createBackups } from './backups.ts';

const day = 86_400_000;

/** Daily backups of a small database, three kept, at a time that a test sets. */
function scene(t: TestContext, there: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'backups-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'service.db');
  openDurable(path, { cacheKiB: 1_024, checkpointPages: 100 }).close();
  const directory = join(folder, 'backups');
  mkdirSync(directory);
  for (const name of there) writeFileSync(join(directory, name), '');
  const state = { now: Date.UTC(2026, 10, 22, 9) };
  const settings = { directory, everyMs: day, keep: 3 };
  const backups = createBackups(path, settings, { clock: () => state.now, log: silentLog });
  return { state, backups, names: () => readdirSync(directory).sort() };
}

const at = (time: string) => `service-${time}Z.backup`;

test('backups of a time that has not come cause no more backups, and are deleted first', async (t) => {
  const ahead = ['2031-01-01T09-00-00', '2031-01-02T09-00-00', '2031-01-03T09-00-00'].map(at);
  const { state, backups, names } = scene(t, [at('2026-11-21T08-00-00'), ...ahead]);
  await backups.run();
  assert.deepEqual(names(), [
    at('2026-11-21T08-00-00'),
    at('2026-11-22T09-00-00'),
    at('2031-01-03T09-00-00'),
  ]);
  state.now += 60_000;
  await backups.run();
  assert.equal(names().length, 3);
  assert.ok(names().includes(at('2026-11-21T08-00-00')));
});

test('a backup that takes longer than a look is not begun twice', async (t) => {
  const { state, backups, names } = scene(t);
  const first = backups.run();
  state.now += 60_000;
  await Promise.all([first, backups.run()]);
  assert.deepEqual(names(), [at('2026-11-22T09-00-00')]);
});

test('what a killed service left of a backup is removed, and nothing else', async (t) => {
  const others = [`${at('2026-11-22T08-59-00')}.part`, 'service-notes.txt', 'calls.backup'];
  const { backups, names } = scene(t, [...others, `${at('2026-11-20T09-00-00')}.part`]);
  await backups.run();
  assert.deepEqual(names(), [...others, at('2026-11-22T09-00-00')].sort());
});
