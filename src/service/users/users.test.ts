import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeys } from '../accounts/keys.ts';
import type { User } from '../accounts/user.ts';
import type { Store } from '../database/store.ts';
import { createLink, firstAdministrator, newPassword, useLink } from './users.ts';

test('a new password has 12 to 256 characters, five of them different', () => {
  const ofLength = (length: number) => 'abcde'.padEnd(length, 'x');
  for (const [password, problems] of [
    ['', 1],
    [ofLength(11), 1],
    [ofLength(12), 0],
    [ofLength(256), 0],
    [ofLength(257), 1],
    ['a'.repeat(257), 1],
    ['abcd'.padEnd(12, 'a'), 1],
    ['abcde'.padEnd(12, 'a'), 0],
    // Two code units each.
    ['😀😁😂😃😄'.repeat(2), 1],
    ['😀😁😂😃😄'.repeat(51), 0],
  ] as const)
    assert.equal(newPassword.safeParse(password).error?.issues.length ?? 0, problems, password);
});

/** The first administrator of an account with these users, and whom the store added. */
async function first(known: readonly Partial<User>[], takenNames: readonly string[] = []) {
  const added: Partial<User>[] = [];
  const users = {
    list: async () => known,
    add: async (user: Partial<User>) => {
      if (takenNames.includes(user.name ?? '')) return undefined;
      added.push(user);
      return user;
    },
    find: async ({ signInName }: { signInName: string }) =>
      takenNames.some((name) => name.toLowerCase() === signInName) ? { account: 1 } : undefined,
  };
  const found = await firstAdministrator(
    { users } as unknown as Pick<Store, 'users'>,
    { id: 1, mostUsers: null, uid: 'u1' },
    7,
  );
  return { found, added };
}

test('the first administrator is the oldest one, and is added if there is none', async () => {
  const [agent, younger, oldest] = [
    { id: 1, role: 'agent' },
    { id: 3, role: 'administrator' },
    { id: 2, role: 'administrator' },
  ] as const;
  assert.deepEqual(await first([agent, younger, oldest]), { found: oldest, added: [] });
  assert.deepEqual(await first([oldest, younger]), { found: oldest, added: [] });
  const { found, added } = await first([agent]);
  const { uid: _, ...rest } = found;
  assert.deepEqual(rest, {
    account: 1,
    name: 'Administrator',
    signInName: 'administrator',
    role: 'administrator',
    password: null,
    createdAt: 7,
  });
  assert.deepEqual(added, [found]);
});

test('a name that is taken is no obstacle to a first administrator; two are', async () => {
  assert.equal((await first([], ['Administrator'])).found.name, 'Administrator u1');
  await assert.rejects(first([], ['Administrator', 'Administrator u1']), /"Administrator u1" exists/);
});

const keys = createKeys(Buffer.alloc(32, 1));
const otherKeys = createKeys(Buffer.alloc(32, 2));
const user = { id: 7, uid: 'abc' };
const now = 1_000_000;
const minute = 60_000;

test('a link signs in as its user once, within its time', async () => {
  let counter = 0;
  const store = {
    users: {
      newLink: async () => ++counter,
      useLink: async (uid: string, given: number) =>
        uid === user.uid && given === counter && counter++ ? user : undefined,
    },
  } as unknown as Pick<Store, 'users'>;
  const days = await createLink(store, keys, user, now, 3 * 86_400_000);
  assert.equal(await useLink(store, keys, days, now + 3 * 86_400_000), undefined);
  assert.equal(await useLink(store, keys, days, now + 3 * 86_400_000 - 1), user);
  const ahead = await createLink(store, keys, user, now + 365 * 86_400_000, 7 * 86_400_000);
  assert.equal(await useLink(store, keys, ahead, now + minute), undefined, 'the clock was ahead');
  const link = await createLink(store, keys, user, now);
  assert.equal(await useLink(store, keys, link, now + 15 * minute), undefined);
  assert.equal(await useLink(store, otherKeys, link, now), undefined);
  assert.equal(await useLink(store, keys, link.replace('abc', 'abd'), now), undefined);
  assert.equal(await useLink(store, keys, link, now + 15 * minute - 1), user);
  assert.equal(await useLink(store, keys, link, now), undefined);
  for (const text of ['', '.', 'abc', 'a.b.c.d'])
    assert.equal(await useLink(store, keys, text, now), undefined);
});
