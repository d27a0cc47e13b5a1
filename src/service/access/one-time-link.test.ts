import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKeys } from '../accounts/keys.ts';
import { LINK_MS, makeLink, useLink } from './one-time-link.ts';

const keys = makeKeys(Buffer.alloc(32, 1));
const others = makeKeys(Buffer.alloc(32, 2));
const now = 1_000_000;

test('a link signs in as its user once, within its time', async () => {
  const used = new Set<string>();
  const store = { useLink: async (link: string) => !used.has(link) && used.add(link) !== undefined };
  const link = makeLink(keys, 'abc', now);
  assert.equal(await useLink(link, keys, store, now + LINK_MS), undefined);
  assert.equal(await useLink(link, others, store, now), undefined);
  assert.equal(await useLink(link.replace('abc', 'abd'), keys, store, now), undefined);
  assert.equal(await useLink(link, keys, store, now + LINK_MS - 1), 'abc');
  assert.equal(await useLink(link, keys, store, now), undefined);
  for (const text of ['', '.', 'abc', 'a.b.c.d'])
    assert.equal(await useLink(text, keys, store, now), undefined);
});
