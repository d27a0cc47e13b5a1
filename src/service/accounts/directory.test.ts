import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDirectory } from './directory.ts';
import type { DirectoryStore } from './directory-store.ts';
import { createKeys } from './keys.ts';

const keys = createKeys(Buffer.alloc(32, 1));
const accountOf = (id: number) => ({ id, uid: `${id}`.repeat(16), name: `${id}`, tokenCounter: 1 });
const integrationOf = (id: number, account: number) => ({
  id,
  uid: `${id}`.repeat(16),
  account,
  name: `${id}`,
  tokenCounter: 1,
  oldTokenUntil: null,
  enabled: true,
  createdAt: 0,
});

test('what is remembered of an account and its integrations ends when they are gone, once', async () => {
  const siteTokens = { operator: 0, fleet: 0 };
  const all = {
    siteTokens,
    accounts: [1, 2].map(accountOf),
    integrations: [integrationOf(3, 1), integrationOf(4, 2)],
  };
  let stored = { version: 1, directory: { ...all, extensions: new Map() } };
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
      extensions: new Map(),
    },
  };
  await directory.refresh();
  await directory.refresh();
  assert.deepEqual(removed, [{ accounts: [2], integrations: [4] }]);
  assert.equal(directory.refused(4), undefined);
  assert.equal(directory.refused(3)?.count, 1);
});

test('a change computes the tokens of what has changed, and who asks meanwhile shares the next reading', async () => {
  const all = {
    siteTokens: { operator: 0, fleet: 0 },
    accounts: [1, 2].map(accountOf),
    integrations: [integrationOf(3, 1), integrationOf(4, 2)],
    extensions: new Map(),
  };
  let stored = { version: 1, directory: all };
  let reads = 0;
  const read = async () => {
    reads += 1;
    return stored;
  };
  const computed: string[] = [];
  const watched = {
    ...keys,
    adminToken: (of: { uid: string; tokenCounter: number }) => {
      computed.push(`account ${of.uid[0]} ${of.tokenCounter}`);
      return keys.adminToken(of);
    },
    integrationToken: (of: { uid: string; tokenCounter: number }) => {
      computed.push(`integration ${of.uid[0]} ${of.tokenCounter}`);
      return keys.integrationToken(of);
    },
  };
  const directory = await openDirectory({ directory: { read } as unknown as DirectoryStore }, watched);
  assert.equal(computed.length, 6);
  computed.length = 0;
  const [account, integration] = [
    { ...accountOf(1), name: 'Renamed' },
    { ...integrationOf(4, 2), tokenCounter: 2 },
  ];
  const changed = {
    ...all,
    accounts: [account, accountOf(2)],
    integrations: [integrationOf(3, 1), integration],
  };
  stored = { version: 2, directory: changed };
  await Promise.all(Array.from({ length: 9 }, directory.refresh));
  // That of the start, one that has begun, and the one after it at most.
  assert.ok(reads <= 3, String(reads));
  assert.deepEqual(new Set(computed), new Set(['integration 4 2', 'integration 4 1']));
  const sender = directory.authenticate(keys.integrationToken(integrationOf(3, 1)));
  assert.equal(sender?.account.name, 'Renamed');
  assert.equal(directory.authenticate(keys.integrationToken(integrationOf(4, 2))), undefined);
  assert.equal(directory.authenticate(keys.integrationToken(integration))?.integration.id, 4);
});
