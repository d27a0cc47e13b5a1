import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { tokenReplaced } from '../accounts/limits.ts';
import type { Store } from '../database/store.ts';
import { appOn, directoryOf, keys } from './app.fixture.ts';

const AT_ONCE = 25;

test('of several who replace a token at the same moment one gets a token, and the others an error', async (t) => {
  const go = Promise.withResolvers<void>();
  const counters = { integration: 1, account: 1 };
  let version = 1;
  async function raise(which: keyof typeof counters, replaces: number): Promise<number> {
    await go.promise;
    if (replaces !== counters[which]) throw tokenReplaced();
    version += 1;
    counters[which] += 1;
    return counters[which];
  }
  const integration = () => ({
    id: 1,
    uid: '1'.repeat(16),
    account: 1,
    name: 'PBX',
    tokenCounter: counters.integration,
    oldTokenUntil: null,
    enabled: true,
    createdAt: 0,
  });
  const account = async () => {
    const { directory } = await directoryOf(integration()).read();
    const accounts = directory.accounts.map((one) =>
      one.id === 2 ? { ...one, mostUsers: null, tokenCounter: counters.account } : one,
    );
    return { ...directory, accounts };
  };
  const store = {
    directory: {
      read: async (known: number) =>
        known === version ? undefined : { version, directory: await account() },
      changeIntegration: async (_: number, { replaces }: { replaces: number }) => ({
        ...integration(),
        tokenCounter: await raise('integration', replaces),
      }),
      rotateAdminToken: async (_: number, replaces: number) => {
        const tokenCounter = await raise('account', replaces);
        return { ...(await account()).accounts[1], tokenCounter };
      },
    },
    audit: { write: async () => {} },
  } as unknown as Store;
  const { app } = await appOn(store);
  t.after(() => app.close());
  t.after(() => go.resolve());
  const rotate = (token: string, path: string) =>
    app.inject({
      method: 'POST',
      url: `/admin/${path}/rotate`,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    });
  const all = Array.from({ length: AT_ONCE }, () => [
    rotate(keys.adminToken({ uid: '0'.repeat(16), tokenCounter: 1 }), `integrations/${'1'.repeat(16)}`),
    rotate(keys.operatorToken(0), `accounts/${'9'.repeat(16)}`),
  ]);
  // None of them waits for anything but its turn.
  for (let turns = 0; turns < 1_000; turns += 1) await turn();
  go.resolve();
  for (const which of [0, 1]) {
    const statuses = await Promise.all(all.map(async (both) => (await both[which])?.statusCode));
    assert.deepEqual(statuses.toSorted(), [200, ...Array(AT_ONCE - 1).fill(409)]);
  }
});
