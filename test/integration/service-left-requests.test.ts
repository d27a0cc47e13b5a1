import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type Served, serve } from '../tools/service/harness.ts';
import { browse, form, password, person, withStore } from '../tools/service/people.ts';
import { until } from '../tools/until.ts';

type Request = { method: string; headers: Readonly<Record<string, string>>; body: string };

function bytesOf(url: string, path: string, { method, headers, body }: Request): string {
  const head = { host: new URL(url).host, ...headers, 'content-length': `${Buffer.byteLength(body)}` };
  const lines = [`${method} ${path} HTTP/1.1`, ...Object.entries(head).map((pair) => pair.join(': '))];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** A connection on which a request was answered, so that the service knows it. */
async function connected(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytesOf(url, '/healthz', { method: 'GET', headers: {}, body: '' }));
  await once(socket, 'data');
  return socket;
}

/** The ways in which a client leaves without having waited for the answer. */
const leaving = {
  async 'reset at once'(url: string, bytes: string) {
    const socket = await connected(url);
    socket.write(bytes, () => socket.resetAndDestroy());
  },
  async 'closed at once'(url: string, bytes: string) {
    const socket = await connected(url);
    socket.write(bytes, () => socket.destroy());
  },
  async 'reset before it was accepted'(url: string, bytes: string) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(bytes, () => socket.resetAndDestroy());
  },
};

/** Waits for this entry in the audit log of the account. */
const audited = (served: Served, entry: string) =>
  withStore(served, ({ audit }) =>
    until(entry, async () => {
      const { entries } = await audit.page({ account: 1, what: null, who: null, before: null, limit: 99 });
      return entries.some(({ what, who, from, target }) => entry === [what, who, from, target].join(' | '));
    }),
  );

/**
 * A service with its administrator, and what they and a program do, each as a request and its entry in the audit log. An
 * import at /admin ends with its connection: see service-database-broken-import.test.ts.
 */
async function site(t: TestContext, forwarded: Record<string, string>) {
  const served = await serve(t, { trustedProxies: 'x-forwarded-for' in forwarded ? ['127.0.0.1'] : [] });
  const { url, a } = served;
  const ada = await browse(served, 'Ada');
  const { user: bob } = await person(served, { name: 'Bob' });
  const page = (fields: Record<string, string>) => {
    const sent = form(url, { token: ada.token, ...fields }, { cookie: ada.cookie, ...forwarded });
    return sent as Request;
  };
  const admin = (method: string, body: string) => ({
    method,
    body,
    headers: { authorization: `Bearer ${a.admin}`, 'content-type': 'application/json', ...forwarded },
  });
  const signIn = (given: string) => form(url, { name: 'Bob', password: given }, forwarded) as Request;
  const table = 'reference,name\nleft,Left\n';
  const acts = (from: string): [path: string, request: Request, entry: string][] => [
    [
      '/segments',
      page({ name: 'Left', priority: '5' }),
      `settings | Ada | ${from} | segment Left: priority 5`,
    ],
    [
      '/customers/import',
      page({ table, confirmed: 'yes' }),
      `import | Ada | ${from} | 1 imported, 0 refused`,
    ],
    [
      '/admin/segments/Gone',
      admin('PUT', '{"priority":7}'),
      `settings | administration token | ${from} (/admin) | segment Gone: priority 7`,
    ],
    ['/sign-in', signIn('wrong'), `sign-in-failed | Bob | ${from} | wrong password`],
    ['/sign-in', signIn(password), `sign-in | Bob | ${from} | by password`],
    [`/users/${bob.uid}/remove`, page({}), `removal | Ada | ${from} | user Bob`],
  ];
  return { served, acts, bob };
}

const proxied = { 'x-forwarded-for': '203.0.113.9' };
for (const [how, from, headers] of [
  ['reset at once', '127.0.0.1', {}],
  ['closed at once', '127.0.0.1', {}],
  // The kernel no longer knows whose connection it was.
  ['reset before it was accepted', 'unknown', {}],
  ['reset at once', '203.0.113.9', proxied],
] as const)
  test(`an act is in the audit log, from ${from}, though its connection was ${how}`, async (t) => {
    const { served, acts, bob } = await site(t, headers);
    for (const [path, request, entry] of acts(from)) {
      await leaving[how](served.url, bytesOf(served.url, path, request));
      await audited(served, entry);
    }
    assert.ok(!served.said.includes('service.failed'));
    assert.equal(await withStore(served, ({ users }) => users.find({ uid: bob.uid })), undefined);
  });
