import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mailer } from '../../mail/mail.ts';
import type { Account } from '../store/directory-store.ts';
import type { Store } from '../store/store.ts';
import { startUpkeep } from './start-upkeep.ts';

test('a weekly report that cannot be made is logged', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const said: string[] = [];
  const log = { say: (code: string) => void said.push(code), child: () => log };
  const broken = new Proxy({}, { get: () => () => Promise.reject(new Error('no disk')) });
  const stop = startUpkeep({
    store: { weekly: broken } as unknown as Store,
    retention: {},
    mailer: {} as Mailer,
    accounts: () => [{ id: 1, timeZone: null } as Account],
    origin: () => 'https://calls.example.com',
    clock: () => 0,
    log,
  });
  t.after(stop);
  t.mock.timers.tick(3_600_000);
  await new Promise(setImmediate);
  assert.ok(said.includes('service.weekly-reports-failed'), said.join());
});
