import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKeys } from './keys.ts';
import { LINK_MS, makeLink, SESSION_MS, sessionAccount, sessionCookie, useLink } from './sign-in.ts';
import type { Store } from './store/store.ts';

const keys = makeKeys(Buffer.alloc(32, 1));
const others = makeKeys(Buffer.alloc(32, 2));
const now = 1_000_000;

/** Remembers used links. */
function fakeStore(): Store {
  const used = new Set<string>();
  return {
    useLink: async (link: string) => !used.has(link) && used.add(link) !== undefined,
  } as unknown as Store;
}

test('a link opens its account once, within its time', async () => {
  const store = fakeStore();
  const link = makeLink(keys, 'abc', now);
  assert.equal(await useLink(link, keys, store, now + LINK_MS), undefined);
  assert.equal(await useLink(link, others, store, now), undefined);
  assert.equal(await useLink(link.replace('abc', 'abd'), keys, store, now), undefined);
  assert.equal(await useLink(link, keys, store, now + LINK_MS - 1), 'abc');
  assert.equal(await useLink(link, keys, store, now), undefined);
  for (const text of ['', '.', 'abc', 'a.b.c.d'])
    assert.equal(await useLink(text, keys, store, now), undefined);
});

test('a session is known by its cookie until it ends, and cannot be made of a link', () => {
  const cookie = sessionCookie(keys, 'abc', now, false);
  const pair = cookie.split(';')[0] as string;
  assert.equal(sessionAccount(pair, keys, now + SESSION_MS - 1), 'abc');
  assert.equal(sessionAccount(`a=b; ${pair}; c=d`, keys, now), 'abc');
  assert.equal(sessionAccount(pair, keys, now + SESSION_MS), undefined);
  assert.equal(sessionAccount(pair, others, now), undefined);
  assert.equal(sessionAccount(pair.replace('abc', 'abd'), keys, now), undefined);
  assert.equal(sessionAccount(undefined, keys, now), undefined);
  const link = makeLink(keys, 'abc', now);
  assert.equal(sessionAccount(`${pair.split('=')[0]}=${link}`, keys, now), undefined);
});

test('scripts cannot read the cookie, other sites cannot send it, and behind TLS it stays there', () => {
  assert.match(sessionCookie(keys, 'abc', now, false), /; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
  assert.match(sessionCookie(keys, 'abc', now, true), /; Secure$/);
});
