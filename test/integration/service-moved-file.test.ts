import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { startService } from '../../src/service/service.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { startReceivers } from '../alerts/alert-receivers.ts';
import { alertOptions } from '../alerts/cause.ts';
import { callers, event, options, serve } from '../tools/service/harness.ts';
import { until } from '../tools/until.ts';

/** A service that answers events and is healthy. */
async function scene(t: TestContext, change: Parameters<typeof serve>[1] = {}) {
  const served = await serve(t, change);
  const { a, ask, post, url, stateDir } = served;
  let calls = 0;
  const statusOfEvent = async () => (await post(a.token, event({ id: `call-${calls++}` }))).status;
  const health = async () => {
    const { status, json } = await ask(`${url}/healthz`);
    return [status, (json as { storage: string }).storage];
  };
  assert.deepEqual([await statusOfEvent(), await health()], [200, [200, 'reached']]);
  const files = () => readdirSync(stateDir).filter((name) => /^service\.db/.test(name));
  /** Moves all files of the database into another folder, or back. */
  const move = (from: string, to: string) => {
    for (const name of readdirSync(from).filter((it) => /^service\.db/.test(it)))
      renameSync(join(from, name), join(to, name));
  };
  const refuses = () =>
    until('events are refused', async () => (await statusOfEvent()) === 503, { state: health });
  return { ...served, statusOfEvent, health, files, move, refuses };
}

test('a database that is moved away: 503 for events and health, an alert, and all goes on when it is back', async (t) => {
  const to = await startReceivers(t);
  const { refuses, health, move, stateDir, ask, a, post, statusOfEvent, history } = await scene(
    t,
    alertOptions(to),
  );
  const aside = join(stateDir, 'backups');
  mkdirSync(aside, { recursive: true });
  move(stateDir, aside);
  await refuses();
  assert.deepEqual(await health(), [503, 'out of reach']);
  await to.until('service.not-stored began');
  const [alert = assert.fail()] = to.alerts();
  assert.match(alert.what, /service\.db was moved away or deleted while the program runs/);
  assert.match(alert.remedy, /put it back/);
  assert.equal((await ask('/voice/priority?number=030901820', a)).status, 200, 'lookups go on');
  move(aside, stateDir);
  await until('health is back', async () => (await health())[1] !== 'out of reach');
  assert.equal(await statusOfEvent(), 200);
  assert.deepEqual(await health(), [200, 'reached']);
  await post(a.token, event({ id: 'after' }));
  const stored = (await history(a.token)).map(({ request }) => request).join();
  for (const id of ['call-0', 'after']) assert.ok(stored.includes(`"id":"${id}"`), stored);
});

test('a database that is deleted or replaced is noticed without any event; a restart goes on with what is there', async (t) => {
  const { health, stateDir, files, service, a } = await scene(t);
  const copy = join(stateDir, 'copy.db');
  copyFileSync(join(stateDir, 'service.db'), copy);
  for (const name of files()) rmSync(join(stateDir, name));
  await until('health is bad', async () => (await health())[0] === 503, { state: health });
  renameSync(copy, join(stateDir, 'service.db'));
  assert.deepEqual(await health(), [503, 'out of reach']);
  await service.stop();
  const again = await startService(options(stateDir), { log: silentLog });
  t.after(() => again.stop());
  const { post, ask } = callers(again.url);
  assert.equal((await post(a.token, event({ id: 'later' }))).status, 200);
  assert.equal((await ask(`${again.url}/healthz`)).status, 200);
});

test('a database that is replaced by a backup: a restart goes on with exactly that, and the old log is kept', async (t) => {
  const { stateDir, files, service, a, post, refuses } = await scene(t);
  const path = join(stateDir, 'service.db');
  const fill = (from: number) =>
    Promise.all(Array.from({ length: 500 }, (_, n) => post(a.token, event({ id: `filled-${from + n}` }))));
  await fill(0);
  using reading = new DatabaseSync(path, { readOnly: true });
  reading.exec(`VACUUM INTO '${join(stateDir, 'copy.db')}'`);
  reading.close();
  await fill(500);
  rmSync(path);
  renameSync(join(stateDir, 'copy.db'), path);
  await refuses();
  await service.stop();
  assert.ok(
    files().some((name) => name.startsWith('service.db-wal.old-')),
    files().join(),
  );
  const again = await startService(options(stateDir), { log: silentLog });
  t.after(() => again.stop());
  using db = new DatabaseSync(path, { readOnly: true });
  assert.deepEqual({ ...db.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
  assert.equal(db.prepare('SELECT count(*) AS count FROM history').get()?.count, 501);
});

for (const suffix of ['', '-wal', '-shm'])
  test(`service.db${suffix} alone is missed, too`, async (t) => {
    const { refuses, stateDir, statusOfEvent } = await scene(t);
    const file = join(stateDir, `service.db${suffix}`);
    renameSync(file, `${file}.aside`);
    await refuses();
    renameSync(`${file}.aside`, file);
    await until('events are taken', async () => (await statusOfEvent()) === 200);
  });
