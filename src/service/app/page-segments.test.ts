import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Store } from '../database/store.ts';
import { appOn, directoryOf, keys, session, user } from './app.fixture.ts';

/** A service with one user, and how often the segments of the account were read. */
async function serve(t: TestContext, { broken = false } = {}) {
  const reads = { segments: 0, sessions: 0 };
  const store = {
    directory: directoryOf(),
    users: {
      async session() {
        reads.sessions += 1;
        return broken ? { ...session, user: { ...user, language: 'de' } } : session;
      },
      list: async () => [user],
      change: async () => true,
      sessions: async () => [session],
    },
    audit: { write: async () => {} },
    requests: { use: async () => [] },
    customers: {
      async offeredSegments() {
        reads.segments += 1;
        if (broken) throw new Error('the database is gone');
        return [];
      },
      page: async () => ({ customers: [], next: null }),
    },
    callers: { lastCalls: async () => new Map() },
  } as unknown as Store;
  const { app } = await appOn(store);
  t.after(() => app.close());
  const cookie = { cookie: 'pbx-bridge-session=x' };
  return {
    app,
    cookie,
    reads,
    /** The status of a page, and how often segments were read for it. */
    async get(url: string, headers = {}) {
      reads.segments = 0;
      const { statusCode } = await app.inject({ url, headers: { host: 'localhost', ...cookie, ...headers } });
      return [statusCode, reads.segments];
    },
    async post(url: string, fields: Record<string, string>) {
      reads.segments = 0;
      const { statusCode } = await app.inject({
        method: 'POST',
        url,
        headers: {
          host: 'localhost',
          ...cookie,
          origin: 'http://localhost',
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: `${new URLSearchParams({ ...fields, token: keys.sign('form', session.id) })}`,
      });
      return [statusCode, reads.segments];
    },
  };
}

test('a page reads the segments once if it shows them, as the calls beside a whole page do', async (t) => {
  const { get } = await serve(t);
  assert.deepEqual(await get('/customers'), [200, 1]);
  assert.deepEqual(await get('/settings'), [200, 1]);
});

test('what shows no segments reads none: a part that is renewed, a redirect, a download, a change', async (t) => {
  const { get, post } = await serve(t);
  assert.deepEqual(await get('/integrations', { moved: '*' }), [200, 0]);
  assert.deepEqual(await get('/'), [303, 0]);
  assert.deepEqual(await get('/customers/import/template'), [200, 0]);
  assert.deepEqual(await post('/account/language', { language: 'de' }), [303, 0]);
});

test('a request that need not wait for its turn reads its session once', async (t) => {
  const { get, reads } = await serve(t);
  await get('/settings');
  assert.equal(reads.sessions, 1);
});

test('where the store fails, the page that says so needs no store, and is in the language of the user', async (t) => {
  const { app, cookie } = await serve(t, { broken: true });
  const { statusCode, body } = await app.inject({
    url: '/settings',
    headers: { host: 'localhost', ...cookie },
  });
  assert.equal(statusCode, 500);
  assert.match(body, /<html lang="?de\b/);
});
