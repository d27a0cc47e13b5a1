import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { until } from '../../../test/tools/until.ts';
import type { Session } from '../accounts/user.ts';
import type { Store } from '../database/store.ts';
import { customer } from '../people/customer.fixture.ts';
import { appOn, directoryOf, keys, session, user } from './app.fixture.ts';

const AT_ONCE = 20;
/** Some batches of customers. */
const TABLE = `reference,name\n${Array.from({ length: 2_000 }, (_, n) => `${n},Ann`).join('\n')}`;

/** A service whose changes and reads wait for `go`. */
async function serve(t: TestContext) {
  const go = Promise.withResolvers<void>();
  const begun: string[] = [];
  const now: {
    session: Session | undefined;
    accountToken: number;
    integrationToken: number;
    version: number;
  } = {
    session,
    accountToken: 1,
    integrationToken: 1,
    version: 1,
  };
  /** What happens when the first piece of an import is stored, or of an export read. */
  let between = async () => {};
  async function* pieces<T>(piece: T) {
    yield [piece];
    yield [piece];
    await between();
    for (let n = 0; n < 3; n += 1) yield [piece];
  }
  const audited: string[] = [];
  const slowly = async <T>(what: string, answer: T): Promise<T> => {
    begun.push(what);
    await go.promise;
    return answer;
  };
  const directory = async () => {
    const integration = {
      id: 1,
      uid: '3'.repeat(16),
      account: 1,
      name: 'PBX',
      tokenCounter: now.integrationToken,
      oldTokenUntil: null,
      enabled: true,
      createdAt: 0,
    };
    const { directory } = await directoryOf(integration).read();
    const accounts = directory.accounts.map((one) => ({
      ...one,
      mostUsers: null,
      tokenCounter: now.accountToken,
    }));
    return { ...directory, accounts };
  };
  const store = {
    directory: {
      read: async (known: number) =>
        known === now.version ? undefined : { version: now.version, directory: await directory() },
      async rotateAdminToken() {
        now.version += 1;
        now.accountToken += 1;
        now.integrationToken += 1;
        return (await directory()).accounts[0];
      },
    },
    users: { session: async () => now.session, list: async () => [user] },
    audit: {
      write: async ({ what, target }: { what: string; target: string }) =>
        void audited.push(`${what} ${target}`),
    },
    requests: {
      all: () =>
        pieces({
          id: 1,
          at: 0,
          method: 'GET',
          path: '/voice',
          request: '',
          status: 200,
          response: '{}',
          duration: 1,
        }),
      record: async () => ({ moved: true, call: undefined }),
      page: () => slowly('history', { count: 0, total: 0, chunks: (async function* () {})() }),
    },
    callers: { missed: async () => [] },
    calls: { open: () => slowly('calls', []) },
    customers: {
      putSegment: () => slowly('segment', undefined),
      offeredSegments: async () => [],
      segments: async () => [],
      matching: async () => [],
      all: () => pieces(customer({ name: 'Ann' })),
      async replace() {
        begun.push('batch');
        await between();
        return null;
      },
    },
  } as unknown as Store;
  const { app } = await appOn(store);
  t.after(() => app.close());
  t.after(() => go.resolve());
  const base = await app.listen({ port: 0, host: '127.0.0.1' });
  const ask = (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string | URLSearchParams,
  ) =>
    fetch(base + path, {
      method,
      headers: { accept: 'application/json', ...headers },
      body,
      redirect: 'manual',
    } as RequestInit);
  const send = (path: string, fields: Record<string, string>) =>
    ask(
      'POST',
      path,
      { cookie: 'pbx-bridge-session=x', origin: base },
      new URLSearchParams({ token: keys.sign('form', session.id), ...fields }),
    );
  const connections = promisify(app.server.getConnections.bind(app.server));
  return {
    begun,
    audited,
    between(happens: () => Promise<unknown>) {
      between = async () => void (await happens());
    },
    now,
    go: go.resolve,
    ask,
    rotate: () =>
      ask('POST', `/admin/accounts/${'0'.repeat(16)}/rotate`, {
        authorization: `Bearer ${keys.operatorToken(0)}`,
      }),
    form: (n: number) => send('/segments', { name: `s${n}`, priority: '1' }),
    importForm: () => send('/customers/import', { table: TABLE, confirmed: 'yes' }),
    /** Sends that many, and waits until all have come and the first of them are at work. */
    async send(one: (n: number) => Promise<Response>, running: number) {
      const answers = Array.from({ length: AT_ONCE }, (_, n) => one(n));
      await until('all requests', async () => (await connections()) >= AT_ONCE);
      await until('the first of them', () => begun.length === running);
      return {
        async statuses() {
          go.resolve();
          const statuses = (await Promise.all(answers)).map(({ status }) => status);
          return Object.fromEntries(
            Map.groupBy(statuses, String)
              .entries()
              .map(([status, { length }]) => [status, length]),
          );
        },
      };
    },
  };
}

test('what waits for its turn does not outlive the administration token', async (t) => {
  const { begun, ask, rotate, send } = await serve(t);
  const authorization = `Bearer ${keys.adminToken({ uid: '0'.repeat(16), tokenCounter: 1 })}`;
  const waiting = await send(
    (n) =>
      ask(
        'PUT',
        `/admin/segments/s${n}`,
        { authorization, 'content-type': 'application/json' },
        '{"priority":1}',
      ),
    1,
  );
  assert.equal((await rotate()).status, 200);
  assert.deepEqual(await waiting.statuses(), { 200: 1, 401: AT_ONCE - 1 });
  assert.deepEqual(begun, ['segment']);
});

test('nor the token of an integration', async (t) => {
  const { begun, ask, rotate, send } = await serve(t);
  const authorization = `Bearer ${keys.integrationToken({ uid: '3'.repeat(16), tokenCounter: 1 })}`;
  const waiting = await send(() => ask('GET', '/api/v1/voice?limit=1', { authorization }), 3);
  assert.equal((await rotate()).status, 200);
  assert.deepEqual(await waiting.statuses(), { 401: AT_ONCE });
  assert.deepEqual(begun, ['history', 'history', 'history']);
});

test('nor the session of a user, nor their role', async (t) => {
  for (const [left, status] of [
    [undefined, 303],
    [{ ...session, user: { ...user, role: 'agent' as const } }, 403],
  ] as const) {
    const { begun, now, form, send } = await serve(t);
    const waiting = await send(form, 1);
    now.session = left;
    assert.deepEqual(
      await waiting.statuses(),
      status === 303 ? { 303: AT_ONCE } : { 303: 1, 403: AT_ONCE - 1 },
    );
    assert.deepEqual(begun, ['segment']);
  }
});

const adminToken = () => `Bearer ${keys.adminToken({ uid: '0'.repeat(16), tokenCounter: 1 })}`;

test('an import ends before its next batch when its sender is gone, and says what is stored', async (t) => {
  const { ask, audited, begun, between, importForm, now, rotate } = await serve(t);
  between(async () => {
    now.session = undefined;
  });
  const answer = await importForm();
  assert.equal(answer.status, 401);
  assert.match(await answer.text(), /signed out[\s\S]*200 customers/);
  assert.deepEqual(begun, ['batch']);
  assert.match(audited.join(), /^import 200 imported, then: /);
  between(rotate);
  const byToken = await ask(
    'POST',
    '/admin/customers',
    { authorization: adminToken(), 'content-type': 'text/csv' },
    TABLE,
  );
  assert.equal(byToken.status, 401);
  assert.deepEqual(begun, ['batch', 'batch']);
  assert.match(audited.at(-1) ?? '', /^import 200 imported, then: /);
});

test('an export breaks off before its next piece when its reader is gone', async (t) => {
  const page = { cookie: 'pbx-bridge-session=x' };
  const integration = {
    authorization: `Bearer ${keys.integrationToken({ uid: '3'.repeat(16), tokenCounter: 1 })}`,
  };
  for (const [path, headers] of [
    ['/customers/export', page],
    ['/admin/customers', { authorization: adminToken() }],
    ['/api/v1/voice', integration],
  ] as const) {
    const { ask, between, now, rotate } = await serve(t);
    const read = async () => (await ask('GET', path, headers)).text();
    const all = await read();
    assert.equal(all.split(/Ann|"created_at"/).length, 6, path);
    between(async () => {
      now.session = undefined;
      await rotate();
    });
    await assert.rejects(read, path);
  }
});
