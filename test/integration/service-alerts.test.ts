import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startService } from '../../src/service/service.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { restoreBackup } from '../../src/shared/storage/backup.ts';
import { startReceivers } from '../alerts/alert-receivers.ts';
import { alertOptions } from '../alerts/cause.ts';
import { callers, event, options, serve, stateFolder } from '../tools/service/harness.ts';
import { withStore } from '../tools/service/people.ts';
import { startReceiver } from '../tools/service/webhook-receiver.ts';
import { until } from '../tools/until.ts';

test('scheduled backups are made, kept in number and can be restored', async (t) => {
  const folder = stateFolder(t);
  const directory = join(folder, 'backups');
  const served = await serve(t, { backups: { directory, everyMs: 3_600_000, keep: 2 } });

  const made = () => readdirSync(directory).filter((name) => /^service-.*Z\.backup$/.test(name));
  await until('a backup', () => served.said.includes('service.backed-up'), { state: () => served.said });
  const [name = assert.fail()] = made();
  const restored = join(folder, 'service.db');
  restoreBackup(restored, join(directory, name), {
    files: ['service-secret'],
    now: Date.now(),
    check: () => {},
  });
  const elsewhere = await startService(options(folder), { log: silentLog });
  t.after(() => elsewhere.stop());
  assert.equal((await callers(elsewhere.url).post(served.a.token, event())).status, 200);

  await served.service.stop();
  for (const old of [
    'service-2026-01-01T00-00-00Z.backup',
    'service-2026-01-02T00-00-00Z.backup',
    'mine.backup',
  ])
    writeFileSync(join(directory, old), '');
  const second = await startService(
    { ...options(served.stateDir), backups: { directory, everyMs: 1, keep: 2 } },
    { log: silentLog },
  );
  t.after(() => second.stop());
  await until('the oldest to be deleted', () => !made().includes('service-2026-01-01T00-00-00Z.backup'), {
    state: made,
  });
  assert.ok(readdirSync(directory).includes('mine.backup'), 'files of others stay');
  assert.ok(made().length <= 2);
  await second.stop();
});

test('a webhook that fails, and one that is gone, arrive once and name the account and the host', async (t) => {
  const to = await startReceivers(t);
  const receiver = await startReceiver(t);
  receiver.answer((_, response) => response.writeHead(500).end());
  const served = await serve(t, { ...alertOptions(to), webhookNetworks: ['127.0.0.1'] });
  await withStore(served, (store) =>
    store.webhooks.add({ uid: 'w1', account: 1, url: receiver.url, events: ['call.ringing'], since: 0 }),
  );
  await served.post(served.a.token, event({ id: 'one', status: 'ringing' }));
  await to.until('webhook.failing began');
  receiver.answer((_, response) => response.writeHead(410).end());
  await to.until('webhook.switched-off began');
  const gone = to.alerts().find(({ code }) => code === 'webhook.switched-off');
  assert.match(gone?.what ?? '', /^webhook w1 of account Alpha to 127\.0\.0\.1:\d+ was switched off$/);
  await withStore(served, (store) => store.webhooks.switchOn(1, Date.now()));
  await to.until('webhook.switched-off over');
  for (const { what, remedy } of to.alerts()) assert.doesNotMatch(what + remedy, /s3cret/);
});
