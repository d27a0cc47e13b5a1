import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Log } from '../../shared/log/log.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Store } from '../database/store.ts';
import { createServiceAlerts } from './service-alerts.ts';

/** An office with a phone system and a webhook, each with a problem, until they are removed. */
function setUp(t: TestContext) {
  const stateDir = mkdtempSync(join(tmpdir(), 'service-alerts-'));
  t.after(() => rmSync(stateDir, { recursive: true }));
  const now = Date.UTC(2026, 10, 22, 9);
  const said: string[] = [];
  let isRemoved = false;
  let endsAt: number | undefined;
  const log: Log = {
    say: (code, fields) => void said.push(`${code} ${fields?.problem}`),
    child: () => log,
  };
  const webhook = { id: 1, uid: 'w', url: 'https://crm.example/x', account: 1, failure: 'gone' };
  const store = {
    about: async () => ({}),
    directory: { oldTokenUses: async () => [{ address: '10.0.0.1', lastAt: now }] },
    requests: { use: async () => [], usedIn: async () => [] },
    webhooks: { list: async () => (isRemoved ? [] : [webhook]) },
  } as unknown as Store;
  const directory = {
    accounts: () => (isRemoved ? [] : [{ id: 1, name: 'Office', timeZone: 'UTC' }]),
    integrations: () => [{ id: 1, name: 'Desk', oldTokenUntil: now + 3_600_000 }],
    refused: () => undefined,
  } as unknown as ServiceDirectory;
  const settings = { mail: [], webhook: undefined, afterMs: 0 };
  const open = () =>
    createServiceAlerts(
      { stateDir, name: 'calls.example.com', alerts: settings, mail: undefined },
      { store, directory, backups: undefined, certificateEndsAt: () => endsAt, clock: () => now, log },
    );
  let alerts = open();
  return {
    stored: (error?: Error) => alerts.stored(error),
    async check() {
      await alerts.check();
      return said.splice(0);
    },
    restart(): void {
      alerts = open();
    },
    expiresAt(date: string): void {
      endsAt = Date.parse(date);
    },
    removeAccount(): void {
      isRemoved = true;
    },
    kept: () => readFileSync(join(stateDir, 'alerts.json'), 'utf8'),
  };
}

test('while the storage does not answer, nothing that is read from it is over', async (t) => {
  const { check, stored } = setUp(t);
  assert.deepEqual(await check(), ['alert.began service.old-token-ends', 'alert.began webhook.switched-off']);
  stored(new Error('the disk is full'));
  assert.deepEqual(await check(), ['alert.began service.not-stored']);
  stored();
  assert.deepEqual(await check(), ['alert.over service.not-stored']);
});

test('a certificate of https that expires within two weeks is announced, until there is a new one', async (t) => {
  const { check, expiresAt } = setUp(t);
  await check();
  expiresAt('2026-12-01');
  assert.deepEqual(await check(), ['alert.began problem.certificate']);
  expiresAt('2027-02-01');
  assert.deepEqual(await check(), ['alert.over problem.certificate']);
});

test('when an account is removed, its problems are over, and its name is no longer in the file', async (t) => {
  const { check, restart, removeAccount, kept } = setUp(t);
  await check();
  assert.match(kept(), /Office/);
  removeAccount();
  restart();
  assert.deepEqual(await check(), ['alert.over service.old-token-ends', 'alert.over webhook.switched-off']);
  assert.doesNotMatch(kept(), /Office|Desk|crm/);
});
