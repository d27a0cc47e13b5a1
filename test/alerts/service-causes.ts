import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { startService } from '../../src/service/service.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { createSmallDisk, smallDiskImpossible } from '../tools/faults/small-disk.ts';
import { callers, event, options, prepare, serve, stateFolder } from '../tools/service/harness.ts';
import { withStore } from '../tools/service/people.ts';
import { storeCalls } from '../tools/service/stored-calls.ts';
import { startReceiver } from '../tools/service/webhook-receiver.ts';
import { until } from '../tools/until.ts';
import { alertOptions, type Cause, needs } from './cause.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

async function start(t: TestContext, stateDir: string, change: ReturnType<typeof alertOptions>) {
  const service = await startService({ ...options(stateDir), ...change }, { log: silentLog });
  t.after(() => service.stop());
  return { service, ...callers(service.url) };
}

/** An account's webhook whose receiver answers this to each event. */
const webhookAnswers =
  (status: number): Cause =>
  async (t, to) => {
    const receiver = await startReceiver(t);
    receiver.answer((_, response) => response.writeHead(status).end());
    const served = await serve(t, { ...alertOptions(to), webhookNetworks: ['127.0.0.1'] });
    await withStore(served, (store) =>
      store.webhooks.add({ uid: 'w1', account: 1, url: receiver.url, events: ['call.ringing'], since: 0 }),
    );
    await served.post(served.a.token, event());
  };

export const serviceCauses = {
  async 'service.not-stored'(t, to) {
    needs(smallDiskImpossible());
    const disk = createSmallDisk();
    t.after(disk.remove);
    const stateDir = join(disk.path, 'state');
    mkdirSync(stateDir);
    const { a } = await prepare(stateDir);
    const { post } = await start(t, stateDir, alertOptions(to));
    disk.leave(0);
    for (
      let n = 0;
      (await post(a.token, event({ id: `${n}`, note: 'x'.repeat(2_000) }))).status === 200;
      n += 1
    );
  },
  async 'service.token-refused'(t, to) {
    const { a, post } = await serve(t, alertOptions(to));
    // Of the form of its token, and not its token.
    await post(`${a.token.slice(0, -1)}${a.token.endsWith('0') ? '1' : '0'}`, event());
  },
  async 'service.old-token-ends'(t, to) {
    const { a, post, stateDir } = await serve(t, alertOptions(to));
    await storeCalls({ stateDir }, (_, store) =>
      store.directory.changeIntegration(1, { replaces: 1, oldTokenUntil: Date.now() + HOUR_MS }),
    );
    // The service learns of the change within a second.
    await until('it is announced', async () => {
      await post(a.token, event());
      return to.announced().includes('service.old-token-ends began');
    });
  },
  async 'service.phone-system-silent'(t, to) {
    const stateDir = stateFolder(t);
    await (await startService(options(stateDir), { log: silentLog })).stop();
    const now = Date.now();
    await storeCalls({ stateDir }, async (report) => {
      const completed = (id: string, at: number) =>
        report({ id, status: 'completed', at, from: '+4930901820' });
      // Busy at this time in each of the weeks before, silent for six hours now.
      for (const weeks of [1, 2, 3, 4])
        for (let minute = 0; minute < 240; minute += 5)
          await completed(`call-${weeks}-${minute}`, now - weeks * WEEK_MS - minute * 60_000);
      await completed('last', now - 6 * HOUR_MS);
    });
    await start(t, stateDir, alertOptions(to));
  },
  async 'service.backup-failed'(t, to) {
    const directory = join(stateFolder(t), 'backups');
    // A file where the directory should be.
    writeFileSync(directory, '');
    await serve(t, { ...alertOptions(to), backups: { directory, everyMs: HOUR_MS, keep: 2 } });
  },
  'webhook.failing': webhookAnswers(500),
  'webhook.switched-off': webhookAnswers(410),
} as const satisfies Record<string, Cause>;
