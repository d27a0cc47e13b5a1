import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { RouteOptions } from 'fastify';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { createKeys, serverSecret } from '../../src/service/accounts/keys.ts';
import { type DatabaseSettings, openStore } from '../../src/service/database/open-store.ts';
import { columns } from '../../src/service/people/customer-fields.ts';
import { createPasswords } from '../../src/service/users/password.ts';
import { createSessions } from '../../src/service/users/sessions.ts';
import { addUser } from '../../src/service/users/users.ts';
import type { Log } from '../../src/shared/log/log.ts';
import { type Cluster, postgresImpossible, startCluster } from '../tools/servers/cluster.ts';
import { serve } from '../tools/service/harness.ts';
import { watchRoutes } from '../tools/service/watch-routes.ts';

/**
 * Every route of the running service with hostile text in every field: no answer is a 500, and no fault is logged. Routes are
 * those that Fastify registers. Fields are those of their schemas, those of the pages' forms and links, and those that a
 * handler asks its form or query for. So a new route is covered by itself. What stands before the database is the same for
 * both: on PostgreSQL, only what a database refuses is tried.
 */
const hostile: readonly unknown[] = [
  'a\0b',
  '\0',
  '\x1b[2J\x1b]0;x\x07',
  'a\r\nset-cookie: x=1',
  'x'.repeat(60_000),
  '\ud83d',
  '\u202eabc\u2066',
  'Zoe\u0308 \u00a0',
  '',
  '%',
  "'; DROP TABLE calls; --",
  '//evil.example',
  '/€',
  '-1',
  '0',
  '9'.repeat(30),
  '1e309',
  '9007199254740993.999999999999999',
  '999999999999999.999999999999999',
  '999999999999999-999999999999999-5',
  '+275760-09-13',
  '-271821-04-19',
  '0000-01-01',
  '9999-12-31',
  '2026-02-30',
  'a\nb',
  '=1+1',
];
/** Of these, what PostgreSQL has no type for, no room in an index, or no date. */
const hostileToPostgres = hostile.filter((value) =>
  /\0|^x{9}|\ud83d|'|^9{9}|^1e|^90|^[+-]2|^0000|^9999-/.test(`${value}`),
);
/** In JSON alone. */
const hostileJson: readonly unknown[] = [
  null,
  7,
  -1e308,
  2 ** 53,
  true,
  [],
  ['a\0'],
  {},
  JSON.parse('{"__proto__":{"a":"\\u0000"}}'),
];
const hostileJsonToPostgres = [-1e308, 2 ** 53];
/** Percent-encoded bytes that are no text. */
const hostileBytes = ['%FF', '%ED%A0%BD', '%00', '%C0%80'];

/** What a request has in the fields that are not fuzzed. */
const usual: Readonly<Record<string, unknown>> = {
  id: 'call',
  direction: 'inbound',
  status: 'ringing',
  from: '110',
  number: '110',
  search: 'request',
  search_term: 'x',
  limit: '2',
  in: 'request',
  term: 'x',
  name: 'Name',
  priority: 5,
  enabled: true,
  country: 'DE',
  role: 'agent',
  reference: '1',
};

/**
 * Addresses in answers may be as long as those that were asked for. A connection for each request: one that is used again
 * may be closed as idle at that moment.
 */
const dispatcher = new Agent({ maxHeaderSize: 256 * 1024, pipelining: 0 });

type Field = { readonly name: string; readonly json: boolean };

describe('every route with hostile text in every field', () => {
  test('on SQLite', (t) => everyRoute(t, null));

  describe('on PostgreSQL', async () => {
    const skip = (await postgresImpossible()) ?? false;
    let cluster: Cluster;
    before(async () => {
      if (skip === false) cluster = await startCluster();
    });
    after(() => cluster?.remove());
    test('all of it', { skip }, async (t) =>
      everyRoute(t, { url: await cluster.database(), listenUrl: undefined, connections: 8 }),
    );
  });
});

async function everyRoute(t: TestContext, database: DatabaseSettings): Promise<void> {
  const isFirst = database === null;
  const [values, jsonValues] = isFirst ? [hostile, hostileJson] : [hostileToPostgres, hostileJsonToPostgres];
  const routes = watchRoutes(t);
  const asked = watchFields(t);
  const faults: string[] = [];
  let current = '';
  const log: Log = {
    say: (code, fields) => {
      if (code === 'service.failed' || code === 'service.not-stored')
        faults.push(`${current}: ${JSON.stringify({ ...fields, error: String(fields?.error) })}`);
    },
    child: () => log,
  };
  const served = await serve(t, { database, requestTimeoutMs: 60_000 }, log);
  const browser = await signedIn(t, served, database);

  /** Sends a request; a 5xx is a fault, unless it is a refusal of ours (503). */
  async function send(
    method: string,
    path: string,
    how: { headers?: Record<string, string>; body?: string | Buffer } = {},
  ) {
    current = `${method} ${path.slice(0, 300)} ${String(how.body ?? '').slice(0, 300)}`;
    const answer = await request(`${served.url}${path}`, {
      method: method as 'GET',
      dispatcher,
      headers: how.headers ?? {},
      ...(how.body !== undefined && { body: how.body }),
    });
    const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
    if (isStream) answer.body.on('error', () => {}).destroy();
    const text = isStream ? '' : await answer.body.text();
    if (answer.statusCode >= 500 && answer.statusCode !== 503)
      faults.push(`${current}: ${answer.statusCode} ${text.slice(0, 300)}`);
    return { status: answer.statusCode, headers: answer.headers, text };
  }

  const crawled = await crawl(
    async (path) => (await send('GET', path, { headers: await browser.headers() })).text,
  );
  let sent = 0;
  const covered = new Map<string, string[]>();

  // HEAD is answered by the handler of GET.
  for (const route of routes.filter(({ url, method }) => !url.startsWith('/assets/') && method !== 'HEAD')) {
    const method = String(route.method);
    const isApi = route.url.startsWith('/api/');
    const isAdmin = route.url.startsWith('/admin/');
    const pattern = new RegExp(`^${route.url.replace(/:\w+/g, '([^/]+)')}$`);
    const known = crawled.filter((one) => one.method === method && pattern.test(one.path));
    const given = pattern.exec(known[0]?.path ?? '')?.slice(1) ?? [];
    const params = [...route.url.matchAll(/:(\w+)/g)].map(([, name], at) => ({
      name: name as string,
      value: given[at] ?? '1',
    }));
    const pathWith = (fuzzed?: string, encoded = '') =>
      params.reduce(
        (path, { name, value }) => path.replace(`:${name}`, name === fuzzed ? encoded : value),
        route.url,
      );
    const auth = async (): Promise<Record<string, string>> =>
      isApi || isAdmin
        ? { accept: 'application/json', authorization: `Bearer ${isApi ? served.a.token : served.a.admin}` }
        : browser.headers();
    const json = isApi || isAdmin;
    const inBody = method !== 'GET' && method !== 'DELETE';

    const one = async (fields: Readonly<Record<string, unknown>>, raw = '') => {
      sent += 1;
      const headers = await auth();
      if (!inBody) {
        const answer = await send(method, `${pathWith()}?${encode(fields)}${raw}`, { headers });
        if (String(answer.headers.location).startsWith('/sign-in')) browser.renew();
        return answer;
      }
      const body = json
        ? JSON.stringify(fields)
        : `${encode({ token: await browser.token(), ...fields })}${raw}`;
      const type = json ? 'application/json' : 'application/x-www-form-urlencoded';
      const answer = await send(method, pathWith(), { headers: { ...headers, 'content-type': type }, body });
      if (!json && String(answer.headers.location).startsWith('/sign-in')) browser.renew();
      return answer;
    };

    const fields = new Map<string, Field>();
    const add = (names: Iterable<string>, isJson: boolean) => {
      for (const name of names)
        if (!fields.has(name) && name !== 'token') fields.set(name, { name, json: isJson });
    };
    add(schemaFields(route), json);
    for (const { names } of known) add(Object.keys(names), false);
    const others = (): Record<string, unknown> => ({
      ...Object.fromEntries(
        [...fields.keys()].flatMap((name) => (name in usual ? [[name, usual[name]]] : [])),
      ),
      ...known[0]?.names,
    });
    asked.clear();
    await one(others());
    add(asked, false);

    for (const { name, json: isJson } of fields.values()) {
      // A URL with its head must fit into 16 kB.
      const cut = (value: unknown) => (typeof value === 'string' && !inBody ? value.slice(0, 8000) : value);
      for (const value of values) await one({ ...others(), [name]: cut(value) });
      if (isJson && inBody) for (const value of jsonValues) await one({ ...others(), [name]: value });
      if (isFirst && (!json || !inBody))
        for (const bytes of hostileBytes) {
          const { [name]: _, ...rest } = others();
          await one(rest, `&${name}=${bytes}`);
        }
      // Branches that the others did not reach may ask for more; Map visits what is added meanwhile.
      add(asked, false);
    }
    for (const { name } of params)
      for (const encoded of [
        ...values.map((value) => encodeURIComponent(String(value).toWellFormed()).slice(0, 8000)),
        ...(isFirst ? hostileBytes : []),
      ]) {
        sent += 1;
        const body = inBody && { body: json ? JSON.stringify(others()) : `token=${await browser.token()}` };
        const type = json ? 'application/json' : 'application/x-www-form-urlencoded';
        await send(method, pathWith(name, encoded), {
          headers: { ...(await auth()), ...(inBody && { 'content-type': type }) },
          ...body,
        });
      }
    for (const headers of isFirst ? hostileHeaders : [])
      await send(method, pathWith(), { headers: { ...(await auth()), ...headers } });
    if (isFirst && inBody)
      for (const type of [
        'application/json',
        'application/x-www-form-urlencoded',
        'text/csv',
        'nonsense',
        'a/b;c',
        '',
      ])
        for (const body of hostileBodies)
          await send(method, pathWith(), { headers: { ...(await auth()), 'content-type': type }, body });
    covered.set(`${method} ${route.url}`, [...fields.keys(), ...params.map(({ name }) => `:${name}`)]);
  }

  t.diagnostic(`${sent} requests to ${covered.size} routes`);
  assert.deepEqual(faults.slice(0, 20), []);
  assert.equal((await send('GET', '/healthz')).status, 200);
  for (const [route, fields] of [
    ['POST /person/save', ['read', 'customer', 'number', ...columns.filter((one) => one !== 'numbers')]],
    ['GET /api/v1/voice', ['cursor', 'limit', 'page', 'search', 'search_term', 'sort']],
    ['PUT /admin/segments/:name', ['priority', ':name']],
  ] as const)
    for (const field of fields)
      assert.ok(covered.get(route)?.includes(field), `${field} of ${route} was not found`);
}

const hostileHeaders: readonly Record<string, string>[] = [
  { cookie: 'pbx-bridge-session=%00; x=\xff' },
  { cookie: `pbx-bridge-session=${'x'.repeat(8000)}` },
  { authorization: 'Bearer \xff' },
  { authorization: `Bearer ${'x'.repeat(8000)}` },
  { accept: '\xff/*;q=x' },
  { 'accept-encoding': 'gzip;q=nonsense' },
  { 'user-agent': `\xff${'x'.repeat(8000)}` },
  { 'x-forwarded-for': '%00, x', 'x-forwarded-host': '\xff', 'x-forwarded-proto': 'https, x' },
  { origin: 'null' },
];

const hostileBodies: readonly (string | Buffer)[] = [
  '',
  '\0',
  '{"__proto__":{"a":1},"constructor":{"prototype":{}}}',
  `{"id":"${'x'.repeat(70_000)}"}`,
  '['.repeat(20_000),
  'numbers,name\n110,a\0b\n111,\x1b[2J\n112,\ud83d\n',
  'numbers\n"110',
  `numbers\n${'1'.repeat(70_000)}\n`,
  Buffer.from([0xff, 0xfe, 0x00, 0xd8]),
  '%00=%00&token=%FF',
];

/** The fields that handlers ask a form or a query for, by name. */
function watchFields(t: TestContext): Set<string> {
  const asked = new Set<string>();
  const { prototype } = URLSearchParams;
  for (const method of ['get', 'getAll', 'has'] as const) {
    const original = prototype[method];
    prototype[method] = function watched(this: URLSearchParams, name: string) {
      asked.add(name);
      return Reflect.apply(original, this, [name]);
    } as never;
    t.after(() => {
      prototype[method] = original as never;
    });
  }
  return asked;
}

/** The fields of a route's schemas. */
function schemaFields({ schema }: RouteOptions): string[] {
  return [schema?.body, schema?.querystring, schema?.params].flatMap((part) =>
    part instanceof z.ZodType
      ? Object.keys(z.toJSONSchema(part, { io: 'input', unrepresentable: 'any' }).properties ?? {})
      : [],
  );
}

type Known = {
  readonly method: string;
  readonly path: string;
  readonly names: Readonly<Record<string, string>>;
};

/** The links and forms of all pages that lead to one another, with the values that they have. */
async function crawl(read: (path: string) => Promise<string>): Promise<Known[]> {
  const known = new Map<string, Known>();
  const note = (method: string, address: string, names: Record<string, string>) => {
    const { pathname, searchParams } = new URL(address, 'http://here.invalid');
    const key = `${method} ${pathname} ${[...searchParams.keys(), ...Object.keys(names)]}`;
    if (known.has(key)) return;
    known.set(key, { method, path: pathname, names: { ...Object.fromEntries(searchParams), ...names } });
    if (method === 'GET' && !pathname.startsWith('/assets/')) waiting.push(address);
  };
  const waiting = ['/calls', '/calls/window', '/sign-in'];
  for (const path of waiting) {
    const page = (await read(path)).replaceAll('&amp;', '&');
    for (const [, href = ''] of page.matchAll(/href="(\/[^"#]*)/g)) note('GET', href, {});
    for (const [, start = '', inside = ''] of page.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)) {
      const names: Record<string, string> = {};
      for (const [tag] of inside.matchAll(/<(input|select|textarea)[^>]*>/g)) {
        const name = /\bname="([^"]*)"/.exec(tag)?.[1];
        if (name !== undefined && name !== 'token') names[name] = /\bvalue="([^"]*)"/.exec(tag)?.[1] ?? '';
      }
      note(/method="post"/.test(start) ? 'POST' : 'GET', /action="([^"]*)"/.exec(start)?.[1] ?? path, names);
    }
  }
  return [...known.values()];
}

const encode = (fields: Readonly<Record<string, unknown>>) =>
  new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString();

/** An administrator's browser, whose session is opened again when a request has ended it. */
async function signedIn(
  t: TestContext,
  { stateDir, url, a }: Awaited<ReturnType<typeof serve>>,
  database: DatabaseSettings,
) {
  const keys = createKeys(serverSecret(stateDir));
  const store = await openStore({ stateDir, database, retention: {} }, keys);
  t.after(() => store.close());
  const account = (await store.directory.read(0))?.directory.accounts.find(({ name }) => name === a.name);
  assert.ok(account);
  for (const name of ['Ann', 'Bert']) {
    const user = await addUser(store, { account, name, role: 'administrator', now: 0 });
    await store.users.change(user?.id ?? 0, { password: await createPasswords().hash('some words') });
  }
  let session: { cookie: string; token: string } | undefined;
  async function current() {
    if (session !== undefined) return session;
    const sessions = createSessions(store.users, Date.now);
    const ann = (await store.users.list(account?.id ?? 0)).find(({ name }) => name === 'Ann');
    assert.ok(ann, 'nothing removes the user of the session');
    // A list of all of them would be most of the work of the pages that show it.
    await store.users.closeSessions(ann.id, null);
    const cookie = `pbx-bridge-session=${await sessions.open(ann, { address: '', browser: '' })}`;
    const page = await (await request(`${url}/account`, { headers: { cookie } })).body.text();
    session = { cookie, token: /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '' };
    return session;
  }
  return {
    headers: async () => ({ cookie: (await current()).cookie, origin: url }),
    token: async () => (await current()).token,
    renew: () => {
      session = undefined;
    },
  };
}
