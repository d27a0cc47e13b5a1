import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createKeys, serverSecret } from '../../src/service/accounts/keys.ts';
import type { DatabaseSettings } from '../../src/service/database/open-store.ts';
import { basePath } from '../../src/shared/api/contract/paths.ts';
import { certificate } from '../tools/service/certificate.ts';
import { event, serve } from '../tools/service/harness.ts';
import { browse, form, withStore } from '../tools/service/people.ts';
import { bearer, screenEvents } from '../tools/service/stream.ts';
import { until } from '../tools/until.ts';
import { orphans } from './service-upgrade-removed.ts';

type Database = {
  readonly settings: DatabaseSettings;
  /** Rows of the database itself. */
  sql(text: string): Promise<readonly Record<string, unknown>[]>;
};

/** A request of which half of the body is at the service; `finish` sends the rest and gives the status and the answer. */
async function sendHalf(
  url: string,
  { path, headers, body, method = 'POST' }: Request,
): Promise<{ finish(): Promise<string> }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  const head = Object.entries({ host: new URL(url).host, connection: 'close', ...headers });
  const length = Buffer.byteLength(body);
  const lines = [`${method} ${path} HTTP/1.1`, ...head.map((pair) => pair.join(': '))];
  socket.write(`${lines.join('\r\n')}\r\ncontent-length: ${length}\r\n\r\n${body.slice(0, body.length / 2)}`);
  return {
    async finish() {
      socket.write(body.slice(body.length / 2));
      await closed;
      return `${/^HTTP\/1.1 (\d+)/.exec(answer)?.[1]}${/\r\nlocation: (\S+)/.exec(answer)?.[1] ?? ''}`;
    },
  };
}

type Request = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly method?: string;
};

const json = 'application/json';

/** Every kind of request with a body: by an integration's token, by the administration token, by a session. */
function requests(token: string, admin: string, session: { cookie: string; token: string; url: string }) {
  const bearer = (which: string, type = json) => ({
    authorization: `Bearer ${which}`,
    'content-type': type,
    accept: json,
  });
  const byToken = (path: string, body: unknown) => ({
    path: basePath + path,
    headers: bearer(token),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const byAdmin = (method: string, path: string, body: unknown, type = json) => ({
    path: `/admin${path}`,
    method,
    headers: bearer(admin, type),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const byForm = (path: string, fields: Record<string, string>) => ({
    path,
    ...form(session.url, { token: session.token, ...fields }, { cookie: session.cookie }),
  });
  const csv = `numbers,name\n${Array.from({ length: 2_000 }, (_, n) => `+4930${700_000 + n},Row`).join('\n')}\n`;
  return {
    integration: {
      event: byToken('/voice/call', event({ id: 'late', from: '+4930777001' })),
      'broken event': byToken('/voice/call', '{"id": "late", "from": "+4930777002'),
      'no route': byToken('/voice/nothing', { id: 'late' }),
      health: byToken('/bridge/health', { problems: [] }),
      certificate: byToken('/bridge/certificate', certificate()),
    },
    administration: {
      customer: byAdmin('PUT', '/customers/late', { name: 'Late', numbers: ['+4930777003'] }),
      segment: byAdmin('PUT', '/segments/late', { priority: 3 }),
      table: byAdmin('POST', '/customers', csv, 'text/csv'),
      user: byAdmin('POST', '/users', { name: 'Late' }),
      integration: byAdmin('POST', '/integrations', { name: 'Late' }),
      account: byAdmin('PATCH', '/account', { name: 'Late' }),
      extension: byAdmin('PUT', '/extensions/77', { name: 'Late' }),
    },
    // One import of an account at a time: not together with `table`.
    importForm: { 'import form': byForm('/customers/import', { table: csv, confirmed: 'yes' }) },
    session: {
      'customer form': byForm('/person/save', { name: 'Late', number: '+4930777004' }),
      'segment form': byForm('/segments', { name: 'Late', priority: '3' }),
    },
  };
}

/** What every engine must do with requests whose sender is gone when they have arrived. */
export function lateRequestTests(
  engine: string,
  open: (t: TestContext, stateDir: () => string) => Promise<Database>,
): void {
  async function site(t: TestContext) {
    let stateDir = '';
    const database = await open(t, () => stateDir);
    const served = { ...(await serve(t, { database: database.settings })), database: database.settings };
    stateDir = served.stateDir;
    const user = await browse(served, 'Bea', { account: 'Beta' });
    return {
      ...served,
      ...database,
      user,
      all: requests(served.b.token, served.b.admin, { ...user, url: served.url }),
    };
  }
  const halves = async (url: string, all: Readonly<Record<string, Request>>) =>
    Object.entries(all).map(([name, request]) => [name, sendHalf(url, request)] as const);
  async function finished(sent: Awaited<ReturnType<typeof halves>>): Promise<Record<string, string>> {
    const answers: Record<string, string> = {};
    for (const [name, half] of sent) answers[name] = await (await half).finish();
    return answers;
  }
  const each = (all: object, answer: string) =>
    Object.fromEntries(Object.keys(all).map((name) => [name, answer]));

  test(`${engine}: whatever arrives after its account was removed is refused, and leaves nothing`, async (t) => {
    const { url, ask, all, b, sql, stateDir } = await site(t);
    const operator = createKeys(serverSecret(stateDir)).operatorToken(0);
    const admin = (path: string, method = 'GET', body?: unknown) =>
      ask(`${url}/admin${path}`, { token: operator, method, ...(body !== undefined && { body }) });
    const stream = screenEvents(url, bearer(b.token));
    await stream.next();
    const sent = await halves(url, { ...all.integration, ...all.administration, ...all.session });
    const accounts = (await admin('/accounts')).json as { uid: string; name: string }[];
    const beta = accounts.find(({ name }) => name === 'Beta');
    const [{ id = 0 } = {}] = (await sql("SELECT id FROM accounts WHERE name = 'Beta'")) as { id: number }[];
    assert.equal((await admin(`/accounts/${beta?.uid}`, 'DELETE')).status, 204);
    assert.deepEqual(await finished(sent), {
      ...each({ ...all.integration, ...all.administration }, '401'),
      ...each(all.session, '303/sign-in'),
    });
    for await (const _ of stream); // its screens are closed
    assert.deepEqual(await orphans(sql), {});

    const made = (await admin('/accounts', 'POST', { name: 'Next' })).json as { admin_token: string };
    const [next] = (await sql("SELECT id FROM accounts WHERE name = 'Next'")) as { id: number }[];
    assert.ok(Number(next?.id) > Number(id), `the id ${id} is given out again`);
    const exported = await ask(`${url}/admin/export`, { token: made.admin_token });
    const tables = exported.text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { table: string }).table);
    assert.deepEqual(new Set(tables), new Set(['accounts', 'audit']));
    assert.doesNotMatch(exported.text, /late|import/i);
  });

  test(`${engine}: a token that was replaced, or an integration switched off, while the body arrived is refused`, async (t) => {
    const { url, ask, all, b, sql, database, stateDir } = await site(t);
    const sent = await halves(url, all.integration);
    const list = (await ask(`${url}/admin/integrations`, { token: b.admin })).json as { uid: string }[];
    const uid = list.find((one) => b.token.includes(one.uid))?.uid;
    await ask(`${url}/admin/integrations/${uid}`, {
      token: b.admin,
      method: 'PATCH',
      body: { enabled: false },
    });
    assert.deepEqual(await finished(sent), each(all.integration, '401'));
    const byAdmin = await halves(url, all.administration);
    await withStore({ stateDir, database }, async ({ directory }) => {
      const beta = (await directory.read(0))?.directory.accounts.find(({ name }) => name === 'Beta');
      await directory.rotateAdminToken(beta?.id ?? 0, null);
    });
    const refused = async () => (await ask(`${url}/admin/account`, { token: b.admin })).status === 401;
    await until('the service to know', refused);
    assert.deepEqual(await finished(byAdmin), each(all.administration, '401'));
    assert.deepEqual(await sql("SELECT call_id FROM history WHERE call_id = 'late'"), []);
    assert.deepEqual(await sql("SELECT name FROM customers WHERE name = 'Late'"), []);
  });

  test(`${engine}: a form of a user who was removed while it arrived leads to the sign-in page`, async (t) => {
    const { url, all, sql, user, database, stateDir } = await site(t);
    const forms = { ...all.session, ...all.importForm };
    const sent = await halves(url, forms);
    await withStore({ stateDir, database }, async ({ users }) => {
      await users.add({
        uid: 'other',
        account: user.user.account,
        name: 'Other',
        signInName: 'other',
        role: 'administrator',
        password: null,
        createdAt: 0,
      });
      assert.ok(await users.remove(user.user.id));
    });
    assert.deepEqual(await finished(sent), each(forms, '303/sign-in'));
    assert.deepEqual(await sql("SELECT name FROM customers WHERE name = 'Late'"), []);
  });
}
