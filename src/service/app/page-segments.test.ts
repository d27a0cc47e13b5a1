import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Session, User } from '../accounts/user.ts';
import type { Store } from '../database/store.ts';
import { appOn, directoryOf, keys } from './app.fixture.ts';

const user: User = {
  id: 1,
  uid: '1'.repeat(16),
  account: 1,
  name: 'Ann',
  signInName: 'ann',
  role: 'administrator',
  language: 'en',
  password: 'x',
  secondFactor: null,
  createdAt: 0,
  bar: null,
};
const session: Session = { id: 's', user, openedAt: 0, usedAt: 0, address: '', browser: '' };

/** A service with one user, and how often the segments of the account were read. */
async function serve(t: TestContext) {
  const reads = { segments: 0 };
  const store = {
    directory: directoryOf(),
    users: {
      session: async () => session,
      list: async () => [user],
      change: async () => true,
      sessions: async () => [session],
    },
    audit: { write: async () => {} },
    requests: { use: async () => [] },
    customers: {
      async offeredSegments() {
        reads.segments += 1;
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
