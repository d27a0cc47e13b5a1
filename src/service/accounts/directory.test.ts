import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDirectory } from './directory.ts';
import type { DirectoryStore } from './directory-store.ts';
import { makeKeys } from './keys.ts';

const keys = makeKeys(Buffer.alloc(32, 1));
const accountOf = (id: number) => ({ id, uid: `${id}`.repeat(16), name: `${id}`, tokenCounter: 1 });
const integrationOf = (id: number, account: number) => ({
  ...{ id, uid: `${id}`.repeat(16), account, name: `${id}`, tokenCounter: 1 },
  ...{ oldTokenUntil: null, enabled: true, createdAt: 0 },
});

test('what is remembered of an account and its integrations ends when they are gone, once', async () => {
  const siteTokens = { operator: 0, fleet: 0 };
  const all = {
    siteTokens,
    accounts: [1, 2].map(accountOf),
    integrations: [integrationOf(3, 1), integrationOf(4, 2)],
  };
  let stored = { version: 1, directory: { ...all, extensions: [] } };
  const read = async (known: number) => (known === stored.version ? undefined : stored);
  const store = { directory: { read } as unknown as DirectoryStore };
  const directory = await openDirectory(store, keys);
  const removed: unknown[] = [];
  directory.onRemoved((ids) => removed.push(ids));
  for (const integration of all.integrations) {
    const token = keys.integrationToken({ ...integration, tokenCounter: 9 });
    directory.noteRefused(token, '192.0.2.1', 5);
  }
  assert.deepEqual(directory.refused(4), { count: 1, address: '192.0.2.1', at: 5 });

  stored = {
    version: 2,
    directory: {
      siteTokens,
      accounts: [accountOf(1), accountOf(5)],
      integrations: [integrationOf(3, 1)],
      extensions: [],
    },
  };
  await directory.refresh();
  await directory.refresh();
  assert.deepEqual(removed, [{ accounts: [2], integrations: [4] }]);
  assert.equal(directory.refused(4), undefined);
  assert.equal(directory.refused(3)?.count, 1);
});
