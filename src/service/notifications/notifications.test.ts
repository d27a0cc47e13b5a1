import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../test/tools/until.ts';
import { silentLog } from '../../shared/log/log.ts';
import type { Account } from '../accounts/account.ts';
import { noExtensions } from '../accounts/extensions.ts';
import { type CallRecord, noExtras } from '../calls/call-record.ts';
import { everyMissedCall } from './notification.ts';
import type { Recipient } from './notification-store.ts';
import { createNotifications } from './notifications.ts';

test('an account whose mail server hangs is not asked again meanwhile, and keeps no other waiting', async () => {
  const now = 1_000_000_000;
  const sent: number[] = [];
  const hangs = Promise.withResolvers<void>();
  const recipient = (account: number): Recipient => ({
    ...{ user: account * 10, medium: 'mail', address: 'a@example.com', account, language: 'en' },
    ...{ choice: everyMissedCall, oldest: now - 120_000 },
  });
  const call = { id: 'a', number: 'anonymous', missed: true, past: false, extras: noExtras, customer: null };
  const store = {
    notifications: {
      recipients: async () => [1, 2].map(recipient),
      claim: async () => true,
      notices: async () => [{ row: 1, at: now - 120_000, blocked: false, call: call as CallRecord }],
      done: async () => {},
      release: async () => {},
    },
    callers: {
      numbersOfPeople: async () => [],
      missedAmong: async () => [],
      promises: async () => [],
      actions: async () => [],
      newestNotes: async () => [],
    },
    users: { list: async () => [] },
  };
  const accounts = [1, 2].map((id) => ({ id, name: 'A', timeZone: null }) as Account);
  const notifications = createNotifications({
    store: store as never,
    directory: { accounts: () => accounts, extensions: () => noExtensions },
    sender: {
      canSend: () => true,
      test: async () => {},
      async send({ user }) {
        sent.push(user);
        if (user === 10) await hangs.promise;
      },
    },
    clock: () => now,
    log: silentLog,
  });
  const first = notifications.run('mail');
  const others = () => sent.filter((user) => user === 20).length;
  await until('the other account is served', () => others() > 0);
  await notifications.run('mail');
  await notifications.run('mail');
  assert.deepEqual(
    sent.filter((user) => user === 10),
    [10],
  );
  assert.equal(others(), 3);
  // The end waits for what is being sent.
  let isStopped = false;
  const stopping = notifications.stop().then(() => {
    isStopped = true;
  });
  await new Promise(setImmediate);
  assert.equal(isStopped, false);
  hangs.resolve();
  await Promise.all([first, stopping]);
});
