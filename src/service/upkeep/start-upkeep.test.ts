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

test('the days that are over are counted once each, before anybody asks for them', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const counted: string[] = [];
  let now = Date.parse('2026-03-10T12:00Z');
  const pages = async ({ account }: { account: number }) => ({
    calls: account === 1 ? [{ startedAt: Date.parse('2026-03-07T09:00Z') }] : [],
  });
  const log = { say: () => {}, child: () => log };
  const stop = startUpkeep({
    store: {
      calls: { page: pages },
      reports: {
        async *figures(account: number, days: { since: number }[]) {
          for (const { since } of days) {
            counted.push(`${account} ${new Date(since).toISOString().slice(0, 10)}`);
            yield {};
          }
        },
      },
    } as unknown as Store,
    retention: {},
    mailer: undefined,
    accounts: () => [1, 2].map((id) => ({ id, timeZone: 'UTC' }) as Account),
    origin: () => '',
    clock: () => now,
    log,
  });
  t.after(stop);
  const passes = async () => {
    t.mock.timers.tick(600_000);
    for (let n = 0; n < 5; n += 1) await new Promise(setImmediate);
    return counted.splice(0);
  };
  assert.deepEqual(await passes(), ['1 2026-03-07', '1 2026-03-08', '1 2026-03-09']);
  assert.deepEqual(await passes(), []);
  now += 86_400_000;
  assert.deepEqual(await passes(), ['1 2026-03-10']);
});
