import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKeys } from '../accounts/keys.ts';
import type { Store } from '../database/store.ts';
import { makeLink, useLink } from './one-time-link.ts';

const keys = makeKeys(Buffer.alloc(32, 1));
const otherKeys = makeKeys(Buffer.alloc(32, 2));
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
  const days = await makeLink(store, keys, user, now, 3 * 86_400_000);
  assert.equal(await useLink(store, keys, days, now + 3 * 86_400_000), undefined);
  assert.equal(await useLink(store, keys, days, now + 3 * 86_400_000 - 1), user);
  const link = await makeLink(store, keys, user, now);
  assert.equal(await useLink(store, keys, link, now + 15 * minute), undefined);
  assert.equal(await useLink(store, otherKeys, link, now), undefined);
  assert.equal(await useLink(store, keys, link.replace('abc', 'abd'), now), undefined);
  assert.equal(await useLink(store, keys, link, now + 15 * minute - 1), user);
  assert.equal(await useLink(store, keys, link, now), undefined);
  for (const text of ['', '.', 'abc', 'a.b.c.d'])
    assert.equal(await useLink(store, keys, text, now), undefined);
});
