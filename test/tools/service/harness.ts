import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Agent, request } from 'undici';
import { newUid } from '../../../src/service/accounts/directory.ts';
import { createKeys, serverSecret } from '../../../src/service/accounts/keys.ts';
import { type DatabaseSettings, openStore } from '../../../src/service/database/open-store.ts';
import { customer } from '../../../src/service/people/customer.fixture.ts';
import type { Segment } from '../../../src/service/people/segment-store.ts';
import { type ServiceOptions, startService } from '../../../src/service/service.ts';
import type { HistoryEntry, HistoryPage } from '../../../src/shared/api/contract/history.ts';
import { type Log, silentLog } from '../../../src/shared/log/log.ts';
import { options } from './options.ts';

export { options };

/** An answer, its body as text and, if it is JSON, parsed. */
export type Answer = { status: number; headers: Record<string, unknown>; text: string; json: unknown };

type TestAccount = { token: string; secondToken: string; admin: string; name: string };

/** A folder of its own, kept if the test fails: it holds the data. */
export function stateFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'service-'));
  t.after(() => {
    if (t.passed) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    else t.diagnostic(`its data is kept in ${folder}`);
  });
  return folder;
}

type TestAccounts = { readonly a: TestAccount; readonly b: TestAccount };
let prepared: Promise<TestAccounts & { folder: string }> | undefined;

/** Two accounts, each with two integrations, the segment VIP (10) and one customer in it. */
export async function prepare(stateDir: string, database: DatabaseSettings = null): Promise<TestAccounts> {
  if (database !== null) return prepareAnew(stateDir, database);
  // A copy takes a tenth of the time.
  prepared ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'service-prepared-'));
    process.once('exit', () => rmSync(folder, { recursive: true }));
    return { folder, ...(await prepareAnew(folder, null)) };
  })();
  const { folder, ...accounts } = await prepared;
  cpSync(folder, stateDir, { recursive: true });
  return accounts;
}

async function prepareAnew(stateDir: string, database: DatabaseSettings): Promise<TestAccounts> {
  const keys = createKeys(serverSecret(stateDir));
  const store = await openStore({ stateDir, database, retention: {} }, keys);
  const make = async (name: string, number: string): Promise<TestAccount> => {
    const account = await store.directory.addAccount({ uid: newUid(), name, country: 'DE' });
    const [one, two] = await Promise.all(
      ['PBX 1', 'PBX 2'].map((integration) =>
        store.directory.addIntegration({
          uid: newUid(),
          account: account.id,
          name: integration,
          createdAt: 0,
        }),
      ),
    );
    const segment: Segment = { name: 'VIP', priority: 10 };
    await store.customers.putSegment(account.id, segment);
    await store.customers.put(account.id, [
      customer({ name: `${name}'s customer`, segment: 'VIP', numbers: [number] }),
    ]);
    return {
      name,
      token: keys.integrationToken(one as NonNullable<typeof one>),
      secondToken: keys.integrationToken(two as NonNullable<typeof two>),
      admin: keys.adminToken(account),
    };
  };
  const accounts = { a: await make('Alpha', '+4930901820'), b: await make('Beta', '+4930901830') };
  await store.close();
  return accounts;
}

/** The running service with its two accounts, stopped after the test. */
export async function serve(t: TestContext, change: Partial<ServiceOptions> = {}, log: Log = silentLog) {
  const stateDir = stateFolder(t);
  const accounts = await prepare(stateDir, change.database);
  /** The codes of what was logged. */
  const said: string[] = [];
  const heard: Log = {
    say: (code, fields) => {
      said.push(code);
      log.say(code, fields);
    },
    child: () => heard,
  };
  const service = await startService({ ...options(stateDir), ...change }, { log: heard });
  t.after(() => service.stop());
  return { ...accounts, ...callers(service.url), service, stateDir, said };
}

export type Served = Awaited<ReturnType<typeof serve>>;

/** Starts a service that was stopped again at its address, after `work` with one elsewhere, where its screens do not look. */
export async function startAgain(
  t: TestContext,
  { stateDir, url }: Pick<Served, 'stateDir' | 'url'>,
  work: (elsewhere: ReturnType<typeof callers>) => Promise<unknown>,
): Promise<void> {
  const elsewhere = await startService(options(stateDir), { log: silentLog });
  await work(callers(elsewhere.url));
  await elsewhere.stop();
  const listen = { host: '127.0.0.1', port: Number(new URL(url).port) };
  const again = await startService({ ...options(stateDir), listen }, { log: silentLog });
  t.after(() => again.stop());
}

/**
 * Fewer connections than may wait to be accepted (511): a busy machine would reset the others. One for each request: on a
 * busy machine an idle one may be closed as it is used again.
 */
const client = new Agent({ connections: 200, pipelining: 0 });

/** Ways to talk to a service at `url`. */
export function callers(url: string) {
  const base = `${url}/api/v1`;
  async function ask(
    path: string,
    {
      token = '',
      method = 'GET',
      body,
      headers = {},
    }: { token?: string; method?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const text =
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const answer = await request(path.startsWith('http') ? path : `${base}${path}`, {
      dispatcher: client,
      method: method as 'GET',
      headers: {
        accept: 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    });
    const answered = await answer.body.text();
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answered,
      json: isJson && answered !== '' ? JSON.parse(answered) : undefined,
    };
  }
  return {
    url,
    base,
    ask,
    post: (token: string, body: unknown, headers: Record<string, string> = {}) =>
      ask('/voice/call', { token, method: 'POST', body, headers }),
    history: async (token: string, query = ''): Promise<HistoryEntry[]> =>
      (await ask(`/voice${query}`, { token })).json as HistoryEntry[],
    page: async (token: string, query: string): Promise<HistoryPage> =>
      (await ask(`/voice${query}`, { token })).json as HistoryPage,
  };
}

/** A complete event. */
export const event = (fields: Record<string, unknown> = {}) => ({
  id: 'pbx-1',
  direction: 'inbound',
  status: 'ringing',
  from: '+4930901820',
  ...fields,
});

/** A call from this number that 1001 answers. */
export async function getsThrough({ post, a }: Pick<Served, 'post' | 'a'>, from: string): Promise<void> {
  const call = { id: 'through', from };
  await post(a.token, event(call));
  await post(a.token, event({ ...call, status: 'answered', caller_id: '1001' }));
}

/** All that the service answers to these bytes, each a character, until it closes the connection. */
export async function raw(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes, 'latin1');
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}
