import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createKeys, serverSecret } from '../../src/service/accounts/keys.ts';
import { maxWebhooks } from '../../src/service/webhooks/webhook.ts';
import { serve } from '../tools/service/harness.ts';
import { browse } from '../tools/service/people.ts';
import { screenEvents } from '../tools/service/stream.ts';
import { watchRoutes } from '../tools/service/watch-routes.ts';
import { until } from '../tools/until.ts';

const numbers = (count: number) =>
  `(WITH RECURSIVE counted(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM counted WHERE i < ${count}) SELECT i FROM counted) n`;

/**
 * An account that has more of everything than any page shows: each list, page, CSV and answer has a limit, and says that there
 * is more. The routes are those that Fastify registers.
 */

/** More than any page shows of a kind. */
const MANY = 3_000;
/** More than an account of today can have (see accountLimits), as one of version 1.0.0 may. */
const old = { segments: 260, extensions: 2_060, integrations: 260, users: 560 };

/** An account with more of everything than a page shows, as SQL. */
function fill(account: number, user: number, now: number): string {
  const pbx = `(SELECT min(id) FROM integrations WHERE account_id = ${account})`;
  const at = `${now} - i * 1000`;
  // For more than a day: until then they are not counted as never reached.
  const missed = `${now - 25 * 3_600_000} - i * 1000`;
  return `BEGIN;
    INSERT INTO segments (account_id, name, priority) SELECT ${account}, 'Seg ' || i, 0 FROM ${numbers(old.segments)};
    INSERT INTO extensions (account_id, extension, name) SELECT ${account}, '8' || i, 'Desk ' || i FROM ${numbers(old.extensions)};
    INSERT INTO integrations (uid, account_id, name, created_at) SELECT printf('%016x', i), ${account}, 'Phone ' || i, 0 FROM ${numbers(old.integrations)};
    INSERT INTO users (uid, account_id, name, sign_in_name, role, created_at)
      SELECT printf('%016x', i), ${account}, 'User ' || i, 'user ' || i, 'agent', 0 FROM ${numbers(old.users)};
    INSERT INTO customers (account_id, reference, name, search) SELECT ${account}, 'c' || i, 'Cust ' || i, 'cust ' || i FROM ${numbers(MANY)};
    INSERT INTO customer_numbers (account_id, number, customer_id)
      SELECT ${account}, '+4930' || (1000000 + i), (SELECT id FROM customers WHERE account_id = ${account} AND reference = 'c1') FROM ${numbers(MANY)};
    INSERT INTO calls (account_id, integration_id, call_id, status, from_number, number, number_called, started_at, ringing_at, completed_at, missed)
      SELECT ${account}, ${pbx}, 'missed' || i, 'completed', '+4940' || (1000000 + i), '+4940' || (1000000 + i), '+4989' || (1000000 + i), ${missed}, ${missed}, ${missed} + 500, 1 FROM ${numbers(MANY)};
    INSERT INTO calls (account_id, integration_id, call_id, status, from_number, number, caller_id, started_at, ringing_at, answered_at, completed_at, missed)
      SELECT ${account}, ${pbx}, 'answered' || i, 'completed', '+4941000001', '+4941000001', '8' || i, ${at}, ${at}, ${at} + 100, ${at} + 500, 0 FROM ${numbers(MANY)};
    INSERT INTO calls (account_id, integration_id, call_id, status, from_number, number, started_at, ringing_at)
      SELECT ${account}, ${pbx}, 'open' || i, 'ringing', '+4942' || (1000000 + i), '+4942' || (1000000 + i), ${at}, ${at} FROM ${numbers(600)};
    INSERT INTO history (account_id, integration_id, created_at, method, path, call_id, from_number, request, status, duration)
      SELECT ${account}, ${pbx}, ${at}, 'POST', '/api/v1/voice/call', 'missed1', '+4940' || 1000001, '{}', 200, 1 FROM ${numbers(MANY)};
    INSERT INTO history_counts (account_id, entries) VALUES (${account}, ${MANY}) ON CONFLICT DO UPDATE SET entries = ${MANY};
    INSERT INTO audit (account_id, at, what, who, source, target) SELECT ${account}, ${at}, 'settings', 'Who ' || i, 'web', 'Target ' || i FROM ${numbers(MANY)};
    INSERT INTO caller_actions (account_id, number, at, user_name, kind, text)
      SELECT ${account}, '+4941000001', ${at}, 'Ann', 'note', 'Note ' || i FROM ${numbers(MANY)};
    INSERT INTO sessions (id, user_id, opened_at, used_at, address, browser)
      SELECT 's' || i, ${user}, ${now}, ${now}, '192.0.2.1', 'Browser ' || i FROM ${numbers(300)};
    INSERT INTO webhooks (uid, account_id, url, events, since, enabled) SELECT printf('%016x', i), ${account}, 'https://hook' || i || '.example/', 'call.ringing', ${now}, 0 FROM ${numbers(maxWebhooks)};
    INSERT INTO webhook_deliveries (webhook_id, event, at, queued_at, state, answer)
      SELECT (SELECT min(id) FROM webhooks), 'test', ${at}, ${at}, 'failed', 'Answer ' || i FROM ${numbers(MANY)};
    INSERT INTO old_token_uses (integration_id, token_counter, address, last_at) SELECT ${pbx}, 0, '192.0.2.' || i, ${now} FROM ${numbers(200)};
    UPDATE accounts SET phone_book_counter = 1 WHERE id = ${account};
    COMMIT`;
}
/** How many different texts of an answer look so: rows are named once or several times. */
const named = (pattern: RegExp) => (text: string) => new Set(text.match(pattern)).size;
const count = (pattern: RegExp) => (text: string) => text.match(pattern)?.length ?? 0;
/** Rows of the only table, which has one row of heads. */
const rows = (text: string) => count(/<tr/g)(text) - 1;

const segments = named(/Seg \d+/g);
const extensions = named(/Desk \d+/g);
const integrations = named(/Phone \d+/g);
const users = named(/User \d+/g);

type Shown = {
  /** How many there are of it in the answer. */
  readonly of: (text: string) => number;
  /** How many there are at most. */
  readonly most: number;
  /**
   * What says that there are others, or leads to them. `limited`: an account can have no more than those, and what
   * version 1.0.0 let it have is all there, or left out. `whole`: it is all there, and is written in pieces.
   */
  readonly more: RegExp | 'limited' | 'whole';
};

type Entry = { readonly path?: string; readonly shown: readonly Shown[] };

/** It has nothing of which an account has many: it is short. */
const short: Entry = { shown: [] };

const integrationList: Shown = { of: integrations, most: 50, more: /\/integrations\?page=2/ };
const userLists: readonly Shown[] = [
  { of: users, most: 200, more: /\/users\?page=2|page=2/ },
  { of: extensions, most: 200, more: /\/users\?extension-page=2/ },
  { of: named(/\+4989\d{7}|\+49 89 \d+/g), most: 400, more: /\/users\?called-page=2/ },
];

const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

/** By route, what an answer shows of an account that has more. A new route without a row fails. */
// biome-ignore format: one list a line
const answers: Readonly<Record<string, Entry>> = {
  '/': short,
  '/healthz': short,
  '/openapi.json': short,
  '/sign-in': short,
  '/welcome': short,
  '/settings': short,
  '/opening-hours': short,
  '/security/second-factor': short,
  '/customers/import': short,
  '/customers/phone-book': short,
  '/customers/import/template': short,
  '/customers/import/progress': short,
  '/calls/window': short,
  '/account': short,
  '/account/calls': { shown: [
    { of: segments, most: 200, more: 'limited' },
    { of: integrations, most: 200, more: 'limited' },
  ] },
  '/push-worker.js': short,
  '/notifications': { shown: [
    { of: segments, most: 200, more: 'limited' },
    { of: named(/value="\+4989\d+"/g), most: 200, more: 'limited' },
  ] },
  '/security': { shown: [{ of: rows, most: 50, more: /\/security\?page=2/ }] },
  '/call-back': { shown: [{ of: rows, most: 100, more: /\/call-back\?after=/ }] },
  '/call-back/give': { path: '/call-back/give?number=%2B49401000001', shown: [{ of: users, most: old.users, more: 'limited' }] },
  '/calls': { shown: [
    { of: rows, most: 50, more: /\/calls\?older=/ },
    { of: extensions, most: 2_000, more: 'limited' },
    { of: segments, most: 200, more: 'limited' },
    { of: named(/value="\+4989\d+"/g), most: 200, more: 'limited' },
  ] },
  '/calls.csv': { shown: [{ of: count(/\n/g), most: 2 * MANY + 601, more: 'whole' }] },
  '/calls/details': { path: '/calls/details?id=missed1', shown: [{ of: rows, most: 50, more: /All requests for this call/ }] },
  '/person': { path: '/person?customer=c1', shown: [{ of: named(/\+49 30 \d+/g), most: 200, more: /…, 2800 more/ }] },
  '/person/data': { path: '/person/data?number=%2B4941000001', shown: [{ of: named(/Note \d+/g), most: MANY, more: 'whole' }] },
  '/reports': { shown: [
    { of: named(/\+49 40 \d+/g), most: 400, more: /2,600 more are in the CSV/ },
    { of: extensions, most: 2_000, more: 'limited' },
    { of: named(/\+49 89 \d+/g), most: 1_000, more: /6\d\d more are in the CSV/ },
  ] },
  '/reports.csv': { path: '/reports.csv?table=never', shown: [{ of: count(/\n/g), most: MANY + 1, more: 'whole' }] },
  '/api-log': { shown: [
    { of: rows, most: 50, more: /\/api-log\?older=/ },
    { of: named(/<option[^>]*>Phone \d+/g), most: 200, more: 'limited' },
  ] },
  '/api-log/entry': { path: '/api-log/entry?at=1', shown: [] },
  '/customers': { shown: [
    { of: rows, most: 50, more: /\/customers\?after=/ },
    { of: segments, most: 200, more: 'limited' },
  ] },
  '/customers/new': { shown: [{ of: segments, most: 200, more: 'limited' }] },
  '/phonebook/:token/:file': { shown: [{ of: named(/\+4930\d{7}/g), most: MANY, more: 'whole' }] },
  '/customers/export': { shown: [{ of: named(/Cust \d+/g), most: MANY, more: 'whole' }] },
  '/segments': { shown: [{ of: rows, most: 200, more: /\/segments\?page=2/ }] },
  '/integrations': { shown: [integrationList] },
  '/integrations/:uid': { shown: [integrationList] },
  '/webhooks': { shown: [{ of: rows, most: maxWebhooks, more: 'limited' }] },
  '/webhooks/:uid': { shown: [{ of: (text) => rows(text) - 1 - maxWebhooks, most: 50, more: /\/webhooks\/0{15}1\?older=/ }] },
  '/users': { shown: userLists },
  '/users/:uid': { shown: userLists },
  '/audit': { shown: [{ of: rows, most: 50, more: /\/audit\?older=/ }] },
  '/api/v1/voice': { path: '/api/v1/voice?limit=100', shown: [{ of: count(/"created_at"/g), most: 100, more: /page=2/ }] },
  '/api/v1/voice/call': short,
  '/api/v1/voice/priority': short,
  '/api/v1/bridge/call-backs': { shown: [{ of: count(/"\+49/g), most: 1_000, more: 'limited' }] },
  '/api/v1/bridge/calls': { path: '/api/v1/bridge/calls?from=%21&to=z', shown: [{ of: count(/"status"/g), most: 2_000, more: /"next":"/ }] },
  '/admin/openapi.json': short,
  '/admin/account': short,
  '/admin/accounts': short,
  '/admin/fleet': { shown: [{ of: integrations, most: old.integrations, more: 'limited' }] },
  '/admin/users': { shown: [{ of: users, most: old.users, more: 'limited' }] },
  '/admin/users/:uid': short,
  '/admin/extensions': { shown: [{ of: extensions, most: old.extensions, more: 'limited' }] },
  '/admin/integrations': { shown: [{ of: integrations, most: old.integrations, more: 'limited' }] },
  '/admin/integrations/:uid': short,
  '/admin/segments': { shown: [{ of: segments, most: old.segments, more: 'limited' }] },
  '/admin/customers': { shown: [{ of: named(/Cust \d+/g), most: MANY, more: 'whole' }] },
  '/admin/customers/:reference': { shown: [{ of: named(/\+4930\d{7}/g), most: MANY, more: 'limited' }] },
  '/admin/webhooks': { shown: [{ of: named(/hook\d+/g), most: maxWebhooks, more: 'limited' }] },
  '/admin/webhooks/:uid': short,
  '/admin/calls': { path: '/admin/calls?limit=200', shown: [{ of: count(/"id":/g), most: 200, more: /"next":"/ }] },
  '/admin/calls/:id': { path: '/admin/calls/missed1', shown: [{ of: count(/"id":/g), most: 1, more: 'limited' }] },
  '/admin/events': short, // without a place, as here, it has none
  '/admin/people': { path: '/admin/people?limit=200', shown: [{ of: named(/Cust \d+/g), most: 200, more: /"next":"/ }] },
  '/admin/person': { path: '/admin/person?number=%2B4941000001', shown: [{ of: named(/Note \d+/g), most: MANY, more: 'whole' }] },
  '/admin/notes': { path: '/admin/notes?limit=200', shown: [{ of: named(/Note \d+/g), most: 200, more: /"next":"/ }] },
  '/admin/call-backs': { path: '/admin/call-backs?limit=200', shown: [{ of: count(/"times":/g), most: 200, more: /"next":"/ }] },
  '/admin/figures': { path: `/admin/figures?from=${yesterday}&to=${yesterday}`, shown: [{ of: count(/"service_level":/g), most: 5 * 1_001, more: 'limited' }] },
  '/admin/export': { shown: [{ of: named(/Cust \d+/g), most: MANY, more: 'whole' }] },
};
/** Streams: the first is looked at below, the other begins with nothing. */
const streams = ['/events', '/api-log/stream'];

/** What is short has no more characters: the document of /admin is the longest. */
const SHORT = 160_000;

test('every answer about an account that has very much has a limit, and says that there is more', async (t) => {
  const routes = watchRoutes(t);
  const served = await serve(t, { requestTimeoutMs: 60_000 });
  const ann = await browse(served, 'Ann');
  {
    using db = new DatabaseSync(join(served.stateDir, 'service.db'), { timeout: 10_000 });
    db.exec(fill(ann.user.account, ann.user.id, Date.now()));
  }
  const keys = createKeys(serverSecret(served.stateDir));
  const [, uid = ''] = /^adm_(.{16})/.exec(served.a.admin) ?? [];
  const phoneBook = keys.phoneBookToken({ uid, phoneBookCounter: 1 });
  await until('the directory', async () => integrations((await ann.read('/integrations')).text) > 0);
  const urls = routes.filter(({ method }) => method === 'GET').map(({ url }) => url);
  const looked = [...new Set(urls)].filter((url) => !url.startsWith('/assets/') && !streams.includes(url));
  assert.deepEqual(looked.toSorted(), Object.keys(answers).toSorted());

  const operator = keys.operatorToken(0);
  const tokenOf = (url: string) => {
    if (/^\/admin\/(accounts|fleet)/.test(url)) return operator;
    return url.startsWith('/admin/') ? served.a.admin : url.startsWith('/api/') ? served.a.token : '';
  };
  const wrong: string[] = [];
  for (const [url, { path, shown }] of Object.entries(answers)) {
    const asked =
      path ??
      url
        .replace(':uid', `${'0'.repeat(15)}1`)
        .replace(':reference', 'c1')
        .replace(':token/:file', `${phoneBook}/yealink.xml`);
    const headers = tokenOf(url) === '' ? { cookie: ann.cookie } : {};
    const { status, text } = await served.ask(served.url + asked, { token: tokenOf(url), headers });
    if (shown.length > 0 && status !== 200) wrong.push(`${url}: ${status}`);
    if (shown.length === 0 && text.length > SHORT) wrong.push(`${url}: ${text.length} characters`);
    for (const [at, { of, most, more }] of shown.entries()) {
      const list = `${url}, list ${at + 1}`;
      const there = of(text);
      if (there === 0 || there > most) wrong.push(`${list}: ${there} of ${most}`);
      if (more === 'whole' && there !== most) wrong.push(`${list}: ${there} are not all ${most}`);
      if (more instanceof RegExp && !more.test(text)) wrong.push(`${list}: nothing says that there are more`);
    }
  }
  assert.deepEqual(wrong, []);

  for await (const snapshot of screenEvents(served.url, { cookie: ann.cookie }))
    if (snapshot.event === 'calls') {
      assert.deepEqual([snapshot.calls.length, snapshot.missed.length, snapshot.count], [500, 50, MANY]);
      break;
    }
});
