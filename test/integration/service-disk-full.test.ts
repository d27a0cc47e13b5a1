import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startService } from '../../src/service/service.ts';
import { startWebhookReceiver } from '../../src/shared/alerts/webhook-receiver.fixture.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { callers, event, options, prepare, stateFolder } from '../tools/service/harness.ts';
import { browse } from '../tools/service/people.ts';

const script = fileURLToPath(new URL('../tools/service/process.ts', import.meta.url));

const csv = { 'content-type': 'text/csv' };

/** The most blocks of 512 bytes of a file (ulimit -f of POSIX): then it is as if the disk were full. */
const BLOCKS = 2000;

test('a full disk: all that would be stored is refused with 503, what got its 200 before is there, lookups go on, and an alert says so', async (t) => {
  const stateDir = stateFolder(t);
  const { a } = await prepare(stateDir);
  const hook = await startWebhookReceiver();
  t.after(hook.stop);
  const child = spawn(
    'sh',
    ['-c', `ulimit -f ${BLOCKS} && exec "$0" "$@"`, process.execPath, script, stateDir],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, TEST_ALERT_WEBHOOK: hook.url },
    },
  );
  t.after(() => child.kill('SIGKILL'));
  const [url] = (await once(child, 'message')) as [string];
  const { post, ask } = callers(url);
  const owner = await browse({ ask, url, stateDir }, 'Ada');

  const acknowledged: string[] = [];
  let refused = 0;
  for (let n = 0; n < 2000 && refused < 3; n += 1) {
    const body = event({ id: `call-${n}`, note: 'x'.repeat(2000) });
    const { status } = await post(a.token, body);
    if (status === 200) acknowledged.push(body.id);
    else {
      assert.equal(status, 503);
      refused += 1;
    }
  }
  assert.ok(refused === 3 && acknowledged.length > 10, `${acknowledged.length} stored, ${refused} refused`);
  await hook.has(1);
  const [
    {
      alerts: [alert],
    } = assert.fail(),
  ] = hook.received as { alerts: { code: string; state: string }[] }[];
  assert.deepEqual([alert?.code, alert?.state, hook.received.length], ['service.not-stored', 'began', 1]);
  const health = await ask(`${url}/healthz`);
  assert.deepEqual([health.status, health.json], [503, { storage: 'takes nothing' }]);
  const admin = { token: a.admin };
  for (const [path, options] of [
    ['/customers/7', { method: 'PUT', body: { name: 'Ann' } }],
    ['/customers', {}], // an export is in the audit log
    ['/customers', { method: 'POST', body: 'reference,name\n7,Ann\n', headers: csv }],
    ['/users', { method: 'POST', body: { name: 'Bob' } }],
    ['/segments/Gold', { method: 'PUT', body: { priority: 1 } }],
  ] as const) {
    const answer = await ask(`${url}/admin${path}`, { ...admin, ...options });
    assert.deepEqual(
      [answer.status, answer.json],
      [503, { message: 'The storage cannot be reached, or takes nothing now.' }],
      path,
    );
  }
  const page = await owner.send('/account/language', { language: 'de' }, { 'accept-language': 'en' });
  assert.equal(page.status, 503);
  assert.match(page.text, /The database cannot be reached at the moment/);
  const lookup = await ask('/voice/priority?number=030901820', a);
  assert.equal(lookup.status, 200);
  assert.partialDeepStrictEqual(lookup.json, { priority: 10, segment: 'VIP', name: "Alpha's customer" });
  child.kill('SIGKILL');
  await once(child, 'exit');

  const service = await startService(options(stateDir), { log: silentLog });
  t.after(() => service.stop());
  const entries = await callers(service.url).history(a.token, '?search=request&search_term=call-');
  const recorded = new Set(entries.map(({ request }) => (JSON.parse(request) as { id: string }).id));
  assert.deepEqual(
    acknowledged.filter((id) => !recorded.has(id)),
    [],
  );
  assert.equal((await callers(service.url).post(a.token, event())).status, 200);
});

const skip = process.getuid?.() === 0 ? false : 'needs root, to mount a small disk';

test('a start on a full disk says where room is missing, and works when there is some', {
  skip,
}, async (t) => {
  const stateDir = mkdtempSync(join(tmpdir(), 'service-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'service-test', stateDir]);
  t.after(() => {
    execFileSync('umount', ['-l', stateDir]);
    rmSync(stateDir, { recursive: true });
  });
  await prepare(stateDir);
  const { bavail, bsize } = statfsSync(stateDir);
  const filler = join(stateDir, 'filler');
  writeFileSync(filler, Buffer.alloc(bavail * bsize));
  const start = () => startService(options(stateDir), { log: silentLog });
  await assert.rejects(start(), {
    message: `no room on the disk of ${join(stateDir, 'service.db')} (disk I/O error): make room there first`,
  });
  rmSync(filler);
  await (await start()).stop();
});
