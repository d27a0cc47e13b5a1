import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, parse } from 'node:path';
import { test } from 'node:test';
import { openNotifyReceiver } from '../../src/bridge/status/notify-receiver.fixture.ts';
import { openSqliteStore } from '../../src/service/database/sqlite-store.ts';
import { startService } from '../../src/service/service.ts';
import type { Log, LogFields } from '../../src/shared/log/log.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { runProgram } from '../tools/program/program.ts';
import { callers, event, options, serve, stateFolder } from '../tools/service/harness.ts';
import { bearer, screenEvents } from '../tools/service/stream.ts';
import { until } from '../tools/until.ts';

test('the first start makes an account, a secret and a way to sign in; the second finds them', async (t) => {
  const stateDir = join(stateFolder(t), 'made', 'here');
  const said: [string, LogFields | undefined][] = [];
  const log: Log = { say: (code, fields) => void said.push([code, fields]), child: () => log };
  const first = await startService(options(stateDir), { log });
  t.after(() => first.stop());
  assert.equal(first.firstStart, true);
  const token = first.token();
  assert.equal((await callers(first.url).post(token, event({ from: '030 901820' }))).status, 200);
  assert.deepEqual(
    said.map(([code]) => code),
    ['service.storage', 'service.first-start', 'service.started'],
  );
  assert.ok(!JSON.stringify(said).includes(token), 'no log holds a token');
  for (const file of readdirSync(stateDir)) {
    assert.equal(statSync(join(stateDir, file)).mode & 0o077, 0, `${file} is for its owner alone`);
  }
  await assert.rejects(
    startService(options(stateDir), { log: silentLog }),
    /another service \(process \d+\) already uses/,
  );
  await first.stop();
  await first.stop();

  const second = await startService(options(stateDir), { log: silentLog });
  t.after(() => second.stop());
  assert.deepEqual([second.firstStart, second.token()], [false, token]);
  assert.equal((await callers(second.url).history(token)).length, 1);
});

test('the scripts of pages are JavaScript, with all that they import; the program feeds the watchdog of systemd', async (t) => {
  const stateDir = stateFolder(t);
  const socket = join(stateDir, 'notify');
  const manager = openNotifyReceiver(socket);
  const env = {
    SERVICE_STATE_DIR: stateDir,
    SERVICE_LISTEN: '127.0.0.1:0',
    NOTIFY_SOCKET: socket,
    WATCHDOG_USEC: '400000',
  };
  const service = runProgram(['service'], { env, cwd: stateDir });
  t.after(async () => {
    await service.end();
    manager.close();
  });
  const [, url = ''] = await service.says(/is listening at (\S+)\/api\/v1/);
  const notices: string[] = [];
  const isFed = () => notices.push(...manager.take()) > 0 && notices.at(-1) === 'WATCHDOG=1';
  await until('the watchdog to be fed', async () => isFed(), { state: () => notices });
  assert.ok(notices.some((notice) => /^READY=1\nSTATUS=listening at /.test(notice)));
  const page = await (await fetch(`${url}/sign-in`)).text();
  const [entry = ''] = /\/assets\/\w+\/client\/entries\/sign-in\.[jt]s/.exec(page) ?? [];
  const entries = readdirSync(new URL('../../src/service/client/entries/', import.meta.url));
  const scripts = entries.map((name) => `${url}${entry.replace('sign-in', parse(name).name)}`);
  for (const script of scripts) {
    const answer = await fetch(script);
    assert.equal(answer.status, 200, script);
    assert.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8', script);
    const source = await answer.text();
    assert.doesNotMatch(source, /^(import|export)? *type /m, script);
    for (const [, path = ''] of source.matchAll(/^import [^;]+ from '(\..+)';$/gm)) {
      const imported = new URL(path, script).href;
      if (!scripts.includes(imported)) scripts.push(imported);
    }
  }
  assert.ok(scripts.length > entries.length + 20, `${scripts.length} scripts`);
});

test('an address that is taken is an error, and everything that was started is stopped again', async (t) => {
  const { service } = await serve(t);
  const stateDir = stateFolder(t);
  const taken = { host: '127.0.0.1', port: Number(new URL(service.url).port) };
  await assert.rejects(
    startService({ ...options(stateDir), listen: taken }, { log: silentLog }),
    /SERVICE_LISTEN: port \d+ is used by another program/,
  );
  const again = await startService(options(stateDir), { log: silentLog });
  await again.stop();
});

test('stopping lets requests end, ends streams, and closes idle connections', async (t) => {
  const { a, post, service, stateDir } = await serve(t);
  const stream = screenEvents(service.url, bearer(a.token));
  await stream.next();
  const events = Array.from({ length: 50 }, (_, n) => post(a.token, event({ id: `${n}` })));
  // One has come in for sure when one is answered; the others may find the door closed, but are never half done.
  await Promise.race(events);
  const [outcomes] = await Promise.all([Promise.allSettled(events), service.stop()]);
  for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' || outcome.value.status === 200);
  for await (const _ of stream) {
    // What was reported before the end; the stream ends by itself.
  }
  assert.equal(existsSync(join(stateDir, 'service.db-wal')), false, 'the database was closed');
  await assert.rejects(post(a.token, event()));
});

test('accounts that the command line changes are known within seconds, without a restart', async (t) => {
  const { a, ask, stateDir } = await serve(t);
  const store = await openSqliteStore(join(stateDir, 'service.db'));
  t.after(() => store.close());
  const read = await store.directory.read(0);
  const integration = read?.directory.integrations[0];
  await store.directory.changeIntegration(integration?.id ?? 0, { enabled: false });
  await until('the token to be refused', async () => (await ask('/voice?limit=1', a)).status === 401);
});

test('the history is trimmed while the service runs', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { a, post, page } = await serve(t, { retention: { maxEntries: 3 } });
  for (let n = 0; n < 9; n += 1) await post(a.token, event({ id: `${n}` }));
  t.mock.timers.tick(60_000);
  const total = async () => (await page(a.token, '?limit=9')).meta.total ?? Number.NaN;
  await until('the history to be trimmed', async () => (await total()) <= 5, { state: total });
});

test('a database that is not there ends the start with a line that names the setting and no password', async (t) => {
  const folder = stateFolder(t);
  const env = {
    SERVICE_STATE_DIR: folder,
    SERVICE_LISTEN: '127.0.0.1:0',
    DATABASE_URL: 'postgres://pbx:h%75sh@127.0.0.1:1/pbx',
  };
  const service = runProgram(['service'], { env, cwd: folder });
  assert.equal((await service.ended).code, 1);
  assert.match(
    service.output(),
    /the database of DATABASE_URL cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1/,
  );
  assert.doesNotMatch(service.output(), /hush|h%75sh/);
});
