import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Log } from '../../shared/log/log.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Store } from '../database/store.ts';
import { makeServiceAlerts } from './service-alerts.ts';

test('while the storage does not answer, nothing that is read from it is over', async (t) => {
  const stateDir = mkdtempSync(join(tmpdir(), 'service-alerts-'));
  t.after(() => rmSync(stateDir, { recursive: true }));
  const now = Date.UTC(2026, 10, 22, 9);
  const said: string[] = [];
  const log: Log = {
    say: (code, fields) => void said.push(`${code} ${fields?.problem}`),
    child: () => log,
  };
  const store = {
    about: async () => ({}),
    directory: { oldTokenUses: async () => [{ address: '10.0.0.1', lastAt: now }] },
    requests: { use: async () => [], usedIn: async () => [] },
    webhooks: {
      list: async () => [{ id: 1, uid: 'w', url: 'https://crm.example/x', account: 1, failure: 'gone' }],
    },
  } as unknown as Store;
  const directory = {
    accounts: () => [{ id: 1, name: 'Office', timeZone: 'UTC' }],
    integrations: () => [{ id: 1, name: 'Desk', oldTokenUntil: now + 3_600_000 }],
    refused: () => undefined,
  } as unknown as ServiceDirectory;
  const settings = { mail: [], webhook: undefined, afterMs: 0 };
  const alerts = makeServiceAlerts(
    { stateDir, name: 'calls.example.com', alerts: settings, mail: undefined },
    { store, directory, backups: undefined, clock: () => now, log },
  );
  const check = async () => {
    await alerts.check();
    return said.splice(0);
  };
  assert.deepEqual(await check(), ['alert.began service.old-token-ends', 'alert.began webhook.switched-off']);
  alerts.stored(new Error('the disk is full'));
  assert.deepEqual(await check(), ['alert.began service.not-stored']);
  alerts.stored();
  assert.deepEqual(await check(), ['alert.over service.not-stored']);
});
