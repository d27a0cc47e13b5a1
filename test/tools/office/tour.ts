import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { fstatSync, openSync, readSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { Client } from 'pg';
import { Agent, request as httpRequest } from 'undici';
import { createKeys, serverSecret } from '../../../src/service/accounts/keys.ts';
import { noFilter } from '../../../src/service/calls/call-store.ts';
import { openStore } from '../../../src/service/database/open-store.ts';
import { everyMissedCall } from '../../../src/service/notifications/notification.ts';
import type { StoredAction } from '../../../src/service/people/caller-action-store.ts';
import { customer } from '../../../src/service/people/customer.fixture.ts';
import { forgetNumber } from '../../../src/service/people/forget-number.ts';
import { startService } from '../../../src/service/service.ts';
import { usual } from '../../../src/service/store/postgres/connections.ts';
import { numberDropper } from '../../../src/service/upkeep/drop-numbers.ts';
import { personEvents, standardOptions } from '../../../src/service/webhooks/webhook.ts';
import type { DeliveryResult } from '../../../src/shared/delivery/queue.ts';
import { silentLog } from '../../../src/shared/log/log.ts';
import { freePort } from '../free-port.ts';
import { certificate } from '../service/certificate.ts';
import { everyPage } from '../service/every-page.ts';
import { callers, event, options } from '../service/harness.ts';
import { form, visitor } from '../service/people.ts';
import { recorded } from '../service/recorded-request.ts';
import { type ScreenEvent, screenEvents } from '../service/stream.ts';
import {
  type Found,
  type Noted,
  type Statement,
  type Step,
  statementsIn,
  type Toured,
} from './statements.ts';
import { colleagues, crowdNumber, DAY_MS, MAIN, numberOf, SECOND, waitingNumber } from './years.ts';

/**
 * Does everything once that can be done with a service on a third year, and tells its parent which statements each step
 * ran: `tour.ts STATE_DIR LOG AUDITED_SINCE DELIVERED_SINCE [DATABASE_URL]`. LOG is the file in which statements are noted.
 */
const [stateDir = '', log = '', auditedSince, deliveredSince, url] = process.argv.slice(2);
const database = url === undefined ? null : { url, connections: 4 };
const now = Date.now();
const hour = 3_600_000;

/** Timers do nothing by themselves: each is a step. */
const timers: { ms: number; work: () => unknown }[] = [];
globalThis.setInterval = ((work: () => unknown, ms: number) => {
  const timer = { ms, work, unref: () => timer, ref: () => timer };
  timers.push(timer);
  return timer;
}) as never;
/** A renewal every ten minutes would come in the middle of any step. What comes within a second is a part of its step. */
const { setTimeout: later, clearTimeout: cancel } = globalThis;
const soon = new Set<unknown>();
globalThis.setTimeout = ((work: (...given: unknown[]) => unknown, ms = 0, ...given: unknown[]) => {
  const done = () => {
    soon.delete(timer);
    if (ms < 600_000) work(...given);
  };
  const timer = later(done, ms);
  if (ms <= 1_000) soon.add(timer);
  return timer;
}) as typeof setTimeout;
globalThis.clearTimeout = ((timer: never) => {
  soon.delete(timer);
  cancel(timer);
}) as typeof clearTimeout;
globalThis.clearInterval = ((timer: never) => void timers.splice(timers.indexOf(timer) >>> 0, 1)) as never;

const routes: RouteOptions[] = [];
channel('fastify.initialization').subscribe((message) =>
  (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => void routes.push(route)),
);

const steps: Step[] = [];
const noted = openSync(log, 'r');
let place = 0;
/** On PostgreSQL: the beginning of what somebody else was noting after the mark. */
let cut = '';
/** Each mark has a number of its own: it stands in the log twice, also as the statement that wrote it. */
let marked = 0;
const databaseName = url === undefined ? '' : new URL(url).pathname.slice(1);
/** In another database: what it asks is in no step. */
const marks =
  url === undefined
    ? undefined
    : new Client({ connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href });
await marks?.connect();

/** On SQLite: the statements so far, by their ids. */
const known = new Map<string, Noted>();

const bytes = Buffer.alloc(1 << 20);

/** What was noted since the last time: each statement once, with all of its work. */
async function statements(): Promise<Statement[]> {
  let text = cut;
  marked += 1;
  const mark = `mark ${marked} of ${process.pid} ends here`;
  await marks?.query(`DO $$ BEGIN RAISE LOG '${mark}'; END $$`);
  for (let read = 1; read > 0 || (marks !== undefined && !text.includes(mark)); ) {
    read = readSync(noted, bytes, 0, bytes.length, place);
    place += read;
    text += bytes.toString('latin1', 0, read);
    if (read === 0) await wait(5);
  }
  const end = text.indexOf(mark);
  cut = marks === undefined ? '' : text.slice(end + mark.length);
  const all =
    marks === undefined
      ? text.split('\n').filter(Boolean).map(statementOf)
      : statementsIn(text.slice(0, end), databaseName);
  return [...Map.groupBy(all, ({ sql }) => sql).values()].map((same) => ({
    ...(same[0] as Statement),
    work: same.reduce((sum, { work }) => sum + work, 0),
  }));
}

function statementOf(line: string): Statement {
  const { id, work, ...first } = JSON.parse(line) as Noted;
  if (first.sql !== undefined) known.set(id, { id, work, ...first });
  const { sql = '', plan = [] } = known.get(id) ?? {};
  return { sql, plan, work };
}

/** Some requests are written to the API log soon after their answers; what a timer has begun takes longer. */
const LATER_MS = { answer: 30, timer: 200 };

/** Waits until the database has had nothing to do at five looks, half that long apart. */
async function untilIdle(ms: number): Promise<void> {
  let before = -1;
  const isBusy = async () => {
    if (marks !== undefined) {
      const { rowCount } = await marks.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend' AND state <> 'idle'`,
        [databaseName],
      );
      return rowCount !== 0;
    }
    const { size } = fstatSync(noted);
    const isGrown = size !== before;
    before = size;
    return isGrown;
  };
  for (let looks = 0; looks < 5; looks = (await isBusy()) ? 0 : looks + 1) await wait(ms / 2);
}

let leasedAt = Number.NEGATIVE_INFINITY;
/** Another process delivers to the webhooks, however long this takes: ten minutes is the longest lease. */
async function leaseElsewhere(): Promise<void> {
  if (performance.now() - leasedAt < 240_000) return;
  leasedAt = performance.now();
  await store.webhooks.lease('elsewhere', Date.now(), Date.now() + 9 * 60_000);
  await statements();
}

async function step(name: string, work: () => unknown): Promise<string> {
  process.send?.(name);
  await leaseElsewhere();
  const result = await work();
  const begun = new Set(soon);
  while (begun.intersection(soon).size > 0) await wait(10);
  await untilIdle(begun.size > 0 ? LATER_MS.timer : LATER_MS.answer);
  const text = typeof result === 'string' ? result : '';
  steps.push({ name, size: text.length, statements: await statements() });
  return text;
}

// A busy machine takes long for a report; the service gives up what takes longer than this.
Object.assign(usual, { statement: 300_000, lock: 60_000 });
const store = await openStore(
  { stateDir, database: database && { ...database, listenUrl: undefined }, retention: {} },
  createKeys(serverSecret(stateDir)),
);
const metrics = { host: '127.0.0.1', port: await freePort() };
const keep = 3_000 * DAY_MS;
await leaseElsewhere();
await store.weekly.put(2, 'zoe@office.example', '2020-01-06');
await statements();

let service!: Awaited<ReturnType<typeof startService>>;
await step('the start', async () => {
  service = await startService(
    {
      ...options(stateDir),
      database: database && { ...database, listenUrl: undefined },
      metrics,
      retention: {
        maxAgeMs: keep,
        maxEntries: 1e9,
        callsMaxAgeMs: keep,
        auditMaxAgeMs: keep,
        webhooksMaxAgeMs: keep,
      },
      mail: { host: '127.0.0.1', port: 9, secure: false, login: undefined, from: 'pbx@office.example' },
      alerts: { mail: [], webhook: 'http://127.0.0.1:9', afterMs: 0 },
    },
    { log: silentLog },
  );
});
const client = callers(service.url);
const { directory } = (await store.directory.read(0)) ?? { directory: { integrations: [], accounts: [] } };
const keys = createKeys(serverSecret(stateDir));
const [token = '', extras = ''] = directory.integrations.map((one) => keys.integrationToken(one));
const workshop = directory.integrations[1]?.uid;
const admin = keys.adminToken(directory.accounts[0] as never);

const asked: string[] = [];
/** A connection for each request: a server may close one that is idle at that moment. */
const dispatcher = new Agent({ pipelining: 0 });
async function get(path: string, headers: Record<string, string> = {}): Promise<string> {
  asked.push(new URL(path, service.url).pathname);
  const {
    statusCode,
    headers: { location },
    body,
  } = await httpRequest(path.startsWith('http') ? path : `${service.url}${path}`, { headers, dispatcher });
  const text = await body.text();
  if (statusCode === 303 && typeof location === 'string') return get(location, headers);
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text.slice(0, 300)}`);
  return text;
}

async function everyTimer(when: string): Promise<void> {
  for (const { ms, work } of [...timers])
    await step(`timer of ${ms} ms ${work.toString().replace(/\s+/g, ' ').slice(0, 50)} ${when}`, async () => {
      await work();
      await wait(LATER_MS.answer);
    });
}

let visit!: Awaited<ReturnType<typeof visitor>>;
await step('sign in', async () => {
  visit = await visitor(client, colleagues[0] as string);
});
const cookie = { cookie: visit.cookie };
const other = { cookie: (await visitor(client, 'Olga')).cookie };
await statements();

await everyTimer('after the start');
await everyTimer('again');

/** Where a page of a list leads: to the `next` or the previous (`prev`) one. */
const linkIn = (text: string, rel: 'next' | 'prev') =>
  new RegExp(`<a [^>]*rel="${rel}" href="([^"]+)"`).exec(text)?.[1]?.replaceAll('&amp;', '&');

/** A page, the next one, and the first again as the one before. */
async function page(path: string, headers: Record<string, string> = cookie): Promise<string> {
  const first = await step(`GET ${path}`, () => get(path, headers));
  const next = linkIn(first, 'next');
  if (next === undefined) return first;
  const back = linkIn(await step(`GET ${path}, next page`, () => get(next, headers)), 'prev');
  if (back !== undefined) await step(`GET ${path}, page before`, () => get(back, headers));
  return first;
}

/** What the expression finds in all pages of a list. */
async function inAll(path: string, what: RegExp, who = cookie): Promise<string[]> {
  const found: string[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const text = await get(next, who);
    found.push(...Array.from(text.matchAll(what), ([, one = '']) => one));
    next = linkIn(text, 'next');
  }
  return found;
}
const sum = (rows: readonly string[][], column: number) =>
  rows.reduce((all, row) => all + Number(row[column]), 0);
const waitingOnScreen = async (who: typeof cookie) => {
  const { value } = await screenEvents(service.url, who).next();
  const { missed, count } = value as ScreenEvent & { event: 'calls' };
  return { people: missed.map(({ person }) => person), count };
};
const rowsOf = async (path: string) => (await get(path, cookie)).trimEnd().split(/\r?\n/).slice(1);

const person = /<tr [^>]*data-key="([^"]+)"/g;
const day = (ago: number) => new Date(now - ago * DAY_MS).toISOString().slice(0, 10);
const [failing] = (await store.webhooks.list(MAIN)).slice(-1);
const month = (await rowsOf(`/reports.csv?from=${day(60)}&to=${day(31)}&by=day&table=series`)).map((row) =>
  row.split(','),
);
process.send?.('what is listed');
const onOthersScreen = await waitingOnScreen(other);
const found: Found = {
  logged: (await client.page(token, '?limit=1')).meta.total ?? 0,
  toCallBack: await inAll('/call-back', person),
  onScreen: await waitingOnScreen(cookie),
  // Two hundred pages of the whole office would take minutes.
  othersToCallBack: onOthersScreen.count > 3_900 ? null : await inAll('/call-back', person, other),
  onOthersScreen,
  calls: (await rowsOf('/calls.csv')).length,
  ofCustomer: (await rowsOf('/calls.csv?customer=10007')).length,
  customers: (await rowsOf('/customers/export')).length,
  failed: (await inAll(`/webhooks/${failing?.uid}?failed=1`, /(name="delivery")/g)).length,
  month: { calls: sum(month, 1), missed: sum(month, 3) },
};
await statements();
const pages = await everyPage(store, MAIN);
await statements();
for (const { path } of pages) await page(path);
for (const path of ['/', '/settings', '/welcome']) await page(path);
for (const path of ['/calls', '/calls/window', '/call-back', '/reports'])
  await step(`GET ${path}, second account`, () => get(path, other));
const [someCall] = (
  await store.calls.page({
    account: MAIN,
    filter: { ...noFilter, outcome: 'answered' },
    towards: 'older',
    from: null,
    limit: 1,
  } as const)
).calls;
const [colleague, called, from] = [colleagues[3], numberOf(90_001), someCall?.from].map((text) =>
  encodeURIComponent(text ?? ''),
);
const number = encodeURIComponent(numberOf(0));
const entry = /\/api-log\/entry\?[^"]+/.exec(await get('/api-log', cookie))?.[0]?.replaceAll('&amp;', '&');
const [fortnight, year] = [`from=${day(13)}&to=${day(1)}`, `from=${day(365)}&to=${day(0)}&by=month`];
const addresses = `
  /calls?q=Petersen /calls?q=10007 /calls?q=30000 /calls?q=${number} /calls?q=${colleague} /calls?q=nobody+is+so
  /calls?customer=10007 /calls?extension=1001 /calls?extension=1001%7C1002 /calls?mine=1 /calls?segment=Notfall
  /calls?integration=${workshop} /calls?called=${called} /calls?place=queue /calls?place=menu /calls?hours=in
  /calls?hours=out /calls?outcome=open /calls?outcome=answered /calls?outcome=missed /calls?outcome=short
  /calls?from=${day(30)}&to=${day(20)} /calls?outcome=missed&customer=10000&from=${day(30)}
  /customers?q=Weiß /customers?q=nobody /customers?q=040+3000 /customers?segment=Owners
  /call-back?q=Petersen /call-back?q=nobody+is+so /call-back?which=mine /call-back?which=free&segment=Notfall
  /person?number=${encodeURIComponent(waitingNumber(0))} /person?number=${number} /person?customer=10007
  /person?customer=10007&show=notes /person?customer=10007&show=calls /person?customer=10007&show=missed
  /person?customer=10007&q=nobody+says+so /person?customer=10007&week=${day(20)} /person?number=${number}&show=missed
  /audit?kind=import /audit?who=Olga /audit?kind=import&who=${encodeURIComponent(colleagues[7] ?? '')}
  /api-log?in=call&term=pbx1 /api-log?in=call&term=${someCall?.id} /api-log?in=number&term=${from}
  /api-log?in=request&term=nothing /api-log?in=response&term=xxx /api-log?integration=${workshop}
  /api-log?outcome=accepted /api-log?outcome=refused /api-log?outcome=discarded /api-log?until=${day(5)}T12:00 ${entry}
  /webhooks/${failing?.uid}?failed=1 /webhooks/${failing?.uid}?call=${someCall?.id} /customers/import/template /customers/import/progress
  /reports?${fortnight} /reports?${fortnight}&by=month /reports?${fortnight}&of=segment:Notfall
  /reports?${fortnight}&of=integration:${workshop} /reports?${fortnight}&of=hours:in /reports?${fortnight}&of=called:${called}
  /reports?${fortnight}&of=place:queue /reports?${fortnight}&of=answered:1001 /reports?${year} /reports?${year}
  /reports.csv?from=${day(6)}&to=${day(0)} /calls.csv?from=${day(6)} /calls.csv /customers/export /customers/phone-book
  /person/data?customer=10007`;
await page('/sign-in', {});
for (const path of addresses.trim().split(/\s+/)) await page(path);

const bearer = { authorization: `Bearer ${token}`, accept: 'application/json' };
const api = (path: string, headers: Record<string, string> = bearer) =>
  step(`GET ${path}`, () => get(path, headers));
const v1 = '/api/v1/voice';
const searches = `
  ${v1}?limit=50 ${v1}?limit=50&page=3 ${v1}?limit=50&page=400 ${v1}?limit=50&sort=-created_at
  ${v1}?limit=50&page=400&sort=-created_at ${v1}?search=request&search_term=${someCall?.id}&limit=20
  ${v1}?search=request&search_term=nothing&limit=20&sort=-created_at ${v1}?search=request&search_term=${number}&limit=20
  ${v1}?search=response&search_term=nothing&limit=20&sort=-created_at ${v1} ${v1}?search=request&search_term=nothing
  ${v1}/priority?number=${number} ${v1}/priority?number=110
  /healthz /openapi.json http://127.0.0.1:${metrics.port}/metrics`;
for (const path of searches.trim().split(/\s+/)) await api(path);
await step('POST priority', () =>
  client.ask('/voice/priority', { token, method: 'POST', body: { number: numberOf(1) } }),
);
const byAdmin = { authorization: `Bearer ${admin}` };
for (const path of [
  'openapi.json',
  'account',
  'segments',
  'integrations',
  `integrations/${workshop}`,
  'customers',
  'customers/10007',
  'users',
  'extensions',
  'webhooks',
])
  await api(`/admin/${path}`, byAdmin);
for (const list of ['users', 'webhooks']) {
  const [one] = JSON.parse(await get(`/admin/${list}`, byAdmin)) as { uid: string }[];
  await api(`/admin/${list}/${one?.uid}`, byAdmin);
}
const [moment, until] = [`${day(30)}T00:00:00Z`, `${day(20)}T00:00:00Z`];
const lists = `
  calls calls?limit=200 calls?number=${number} calls?customer=10007 calls?segment=Notfall calls?extension=1001
  calls?integration=${workshop} calls?number_called=${called} calls?missed_where=queue calls?outcome=missed
  calls?started_since=${moment}&started_until=${until} calls?updated_since=${moment}
  calls?updated_since=${moment}&outcome=answered&segment=Notfall
  people people?segment=Owners people?number=${number} notes notes?number=${number} notes?customer=10007
  call-backs call-backs?state=closed`;
for (const path of lists.trim().split(/\s+/)) {
  const { next } = JSON.parse(await api(`/admin/${path}`, byAdmin)) as { next: string | null };
  const cursor = `${path.includes('?') ? '&' : '?'}cursor=${next}`;
  if (next !== null)
    await step(`GET /admin/${path}, next page`, () => get(`/admin/${path}${cursor}`, byAdmin));
}
await api(`/admin/calls/${someCall?.id}`, byAdmin);
await api(`/admin/figures?${fortnight}`, byAdmin);
await api(`/admin/person?number=${number}`, byAdmin);
const { cursor: start } = JSON.parse(await api('/admin/events', byAdmin)) as { cursor: string };
await step('GET /admin/events after the last', () => get(`/admin/events?after=${start}`, byAdmin));
const leaves = await store.directory.addAccount({ uid: '00000000000001ea', name: 'Leaves', country: null });
const leaving = await store.directory.addIntegration({
  uid: '00000000000001eb',
  account: leaves.id,
  name: 'PBX',
  createdAt: now,
});
await store.customers.put(leaves.id, [customer({ reference: '1', numbers: [numberOf(0)] })]);
for (const status of ['ringing', 'completed'] as const) {
  const one = recorded({ account: leaves.id, at: now, status, from: numberOf(0) });
  await store.requests.record({ ...one, integration: leaving.id });
}
await statements();
for (const list of ['accounts', 'fleet'])
  await api(`/admin/${list}`, { authorization: `Bearer ${keys.operatorToken(0)}` });

await api('/admin/export', { authorization: `Bearer ${keys.adminToken(leaves)}` });

/** The first events of a stream. */
const stream = async (path: string, headers: Record<string, string>) => {
  asked.push(path);
  const { body } = await httpRequest(`${service.url}${path}`, { headers, dispatcher });
  body.on('error', () => {});
  let text = '';
  for await (const chunk of body) {
    text += chunk;
    if (text.includes('\n\n')) break;
  }
  return text;
};
for (const [name, path, headers] of [
  ['of the office', '/events', cookie],
  ['of the shop', '/events', other],
  ['of a phone system', '/events', bearer],
  ['of the API log', '/api-log/stream', cookie],
] as const)
  await step(`stream ${name}`, async () => await stream(path, headers));

// A call while screens are open, and what colleagues do.
const screen = screenEvents(service.url, cookie);
await screen.next();
async function send(path: string, fields: Record<string, string>): Promise<void> {
  const { status, text } = await client.ask(
    `${service.url}${path}`,
    form(service.url, { token: visit.token, ...fields }, cookie),
  );
  if (status >= 400) throw new Error(`POST ${path}: ${status} ${text.slice(0, 2000)}`);
}
await statements();
await send('/customers/phone-book', { counter: '0' });
const phoneBook = keys.phoneBookToken({ uid: directory.accounts[0]?.uid ?? '', phoneBookCounter: 1 });
await step('GET phone book', () => get(`/phonebook/${phoneBook}/yealink.xml`));
for (const [status, callerId] of [
  ['ringing', ''],
  ['answered', '1001'],
  ['completed', '1001'],
])
  await step(`POST ${status}`, () =>
    client.post(
      token,
      event({ id: 'tour', status, from: numberOf(3), ...(callerId && { caller_id: callerId }) }),
    ),
  );
await step('a repeated event', () =>
  client.post(token, event({ id: 'tour', status: 'ringing', from: numberOf(3) })),
);
await step('GET ringing', () =>
  client.ask(`/voice/call?id=tour-2&direction=inbound&status=ringing&from=${number}`, { token }),
);
asked.push(`${v1}/call`);
await step('POST completed with extras', () =>
  client.post(
    extras,
    event({ id: 'tour-2', status: 'completed', extras: { line: 'trunk-2', missed: { where: 'menu' } } }),
  ),
);
await step('POST health', () => client.ask('/bridge/health', { token, method: 'POST', body: {} }));
await step('POST calls', () =>
  client.ask('/bridge/calls', {
    token,
    method: 'POST',
    body: { calls: [{ id: 'tour-2', rings: ['101'], talks: [] }] },
  }),
);
await step('GET call backs', () => client.ask('/bridge/call-backs', { token }));
asked.push('/api/v1/bridge/call-backs');
await step('POST call back', () =>
  client.ask('/bridge/call-backs', {
    token,
    method: 'POST',
    body: { id: 'tour-1', number: waitingNumber(6), ended_ago: 0, talked: 9, by: '101' },
  }),
);
await step('POST call back, not reached', () =>
  client.ask('/bridge/call-backs', {
    token,
    method: 'POST',
    body: { id: 'tour-2', number: waitingNumber(7), ended_ago: 0 },
  }),
);
await step('GET held calls', () => client.ask('/bridge/calls?from=%21&to=z', { token }));
asked.push('/api/v1/bridge/calls');
await step('POST certificate', () =>
  client.ask('/bridge/certificate', { token, method: 'POST', body: certificate() }),
);
// One step: the screens hear of it later, on a busy machine by seconds; it must not count as the next step's work.
await step('call-backs are done, tried and put off, a caller gets a name, on screens, too', async () => {
  await send('/call-back', { number: waitingNumber(3), kind: 'done' });
  await send('/call-back', { number: waitingNumber(4), kind: 'taken' });
  await send('/call-back', { number: waitingNumber(5), kind: 'tried 15' });
  await send('/call-back', { number: waitingNumber(7), kind: 'remind morning' });
  await send('/person/save', {
    name: 'Tour',
    reference: 'tour',
    number: crowdNumber(5),
    segment: 'Owners',
  });
  await wait(8_000);
});
await everyTimer('beside a screen');

// Beside a screen, each change would be followed by its pictures, in whichever step they come.
await screen.return(undefined);
await wait(300);

await writes();
const notAsked = routes.filter(
  ({ method, url: route }) =>
    method === 'GET' &&
    !/^\/(assets|favicon|push-worker)/.test(route) &&
    !asked.some((path) => new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`).test(path)),
);
process.send?.({ steps, found, notAsked: notAsked.map(({ url: route }) => route) } satisfies Toured, () =>
  process.exit(),
);

/** What else the store can do, in an order in which each finds something to do. */
async function writes(): Promise<void> {
  const {
    audit,
    calls,
    callers: notes,
    customers,
    directory: accounts,
    requests,
    users,
    webhooks,
    weekly,
  } = store;
  const works = async (name: string, work: () => unknown) => void (await step(name, work));
  await works('a note, and without it', async () => {
    const written = { number: numberOf(5), at: now, user: 'Zoë' };
    await notes.act(MAIN, { ...written, kind: 'note', text: 'Hi' });
    const note = (await notes.actions(MAIN, { numbers: [written.number] }, 1))[0] as StoredAction;
    await notes.editNote(MAIN, { ...note, read: 'Hi' }, { by: note.user, text: 'Hello' });
    await notes.removeNote(MAIN, { ...note, read: 'Hello' });
  });
  await works('opening hours', () => store.directory.replaceOpeningHours(MAIN, null, null));
  await works('a segment', async () => {
    await customers.putSegment(MAIN, { name: 'New', priority: 3 });
    await customers.segment(MAIN, 'New');
    await customers.missingSegments(MAIN, ['New', 'None']);
  });
  await works('a customer of another segment', () =>
    customers.put(MAIN, [{ reference: '10000', segment: 'Owners' }]),
  );
  await works('a customer without a number', () =>
    customers.put(MAIN, [{ reference: '10001', numbers: [], segment: 'New' }]),
  );
  await works('a customer is removed', () => customers.remove(MAIN, '10002'));
  await works('segments', async () => {
    await customers.removeSegment(MAIN, 'New');
    await customers.addSegments(MAIN, ['Newer'], 3);
    await customers.removeSegment(MAIN, 'Newer');
  });
  await works('a user', async () => {
    const user = await users.add({
      uid: 'u',
      account: MAIN,
      name: 'U',
      signInName: 'u',
      role: 'administrator',
      password: null,
      createdAt: now,
    });
    const id = user?.id ?? 0;
    await users.change(id, { name: 'V' });
    await users.setBar(id, null);
    for (const wanted of [['98', '99'], []]) await accounts.giveExtensions(MAIN, id, wanted);
    await accounts.giveExtensions(MAIN, id, []);
    await users.setSecondFactor(id, 'x', ['a', 'b']);
    await users.useCodeStep(id, 7, 7);
    await users.useRecoveryCode(id, 'a');
    await users.useLink('u', await users.newLink(id));
    const checked = await users.find({ uid: 'u' });
    if (checked === undefined) throw new Error('the user is gone');
    for (const session of ['s', 't'])
      await users.openSession({ id: session, user: checked, at: now, address: '', browser: '' });
    await users.useSession('s', now + 1);
    await users.sessions(id);
    await users.openSessions(['s']);
    const device = { endpoint: 'https://push.example/1', publicKey: 'key', auth: 'secret' };
    await store.notifications.addDevice(device, 's', now);
    await store.notifications.renewDevice(device, 's');
    await store.notifications.devices(id);
    await store.notifications.removeDevice(id, device.endpoint);
    await users.expireSession('t');
    await users.closeSession('s');
    await users.closeSessions(id, null);
    await users.trimSessions({ openedBefore: 0, usedBefore: 0, usedAfter: now });
    await users.setRole(id, 'agent');
    await weekly.put(id, 'v@office.example', '2026-01-05');
    await weekly.address(id);
    await weekly.due(MAIN, '2026-02-02');
    await weekly.move(id, '2026-01-05', '2026-01-12');
    await weekly.put(id, null, '');
    await users.remove(id);
  });
  await works('accounts and integrations', async () => {
    const { id } = await accounts.addAccount({ uid: 'third', name: 'Third', country: 'NL' });
    await accounts.renameAccount(id, 'Third office');
    await accounts.changeAccount(id, { country: 'BE' });
    await accounts.rotateAdminToken(id, null);
    await accounts.replacePhoneBookToken(id, 0, true);
    const made = await accounts.addIntegration({ uid: 'i', account: id, name: 'PBX', createdAt: now });
    await accounts.changeIntegration(made.id, { replaces: 1, oldTokenUntil: now + hour });
    await accounts.oldTokenUsed(made, '192.0.2.1', now);
    await accounts.oldTokenUses(made);
    await accounts.saveBridgeReport(made.id, now, '{}');
    await accounts.bridgeReport(made.id);
    await accounts.saveCertificate(made.id, now, '{}');
    await accounts.certificate(made.id);
    await accounts.rewriteBridgeReports(id, () => '{"version":"1"}');
    await accounts.rotateSiteToken('fleet', 0);
    await assert.rejects(accounts.addIntegration({ uid: 'j', account: id, name: 'PBX', createdAt: now }));
    for (const name of ['Door', '']) await accounts.putExtension(id, { extension: '9', name, user: null });
  });
  await works('use', async () => {
    await requests.use(MAIN, now - hour);
    await requests.usedIn(1, [{ since: now - 8 * DAY_MS, until: now - 7 * DAY_MS }]);
  });
  const [delivers, fails] = (await webhooks.list(MAIN)).map(({ id }) => id) as [number, number];
  const times = { now, freshSince: now - hour, limit: 136, except: [] };
  const result = (seq: number): DeliveryResult => ({
    seq,
    callId: '',
    outcome: 'delivered',
    at: now,
    counted: false,
    durationMs: 1,
  });
  for (const priority of ['fresh', 'backlog', 'retry'] as const)
    await works(`due: ${priority}`, async () => {
      for (const { id } of (await webhooks.due(fails, { ...times, priority })).slice(0, 3)) {
        await webhooks.record(fails, result(id), null);
      }
    });
  await works('due of a webhook that works', () => webhooks.due(delivers, { ...times, priority: 'backlog' }));
  await works('the next retry', () => webhooks.nextDue(fails, now));
  await works('how many wait', () => webhooks.waiting(null));
  await works('deliveries that are too old', () => webhooks.expire(fails, now - 90 * DAY_MS));
  await works('a webhook changes', async () => {
    await webhooks.add({ uid: 'new', account: MAIN, url: 'https://x.example', events: [], since: now });
    await webhooks.change(fails, { failingSince: now });
    await webhooks.addTest(fails, now);
  });
  await works('new deliveries', async () => {
    const { cursor } = await webhooks.queueNew(null, now);
    await client.post(token, event({ id: 'tour-3', from: numberOf(8) }));
    await webhooks.queueNew(cursor, now);
  });
  await works('events of people', async () => {
    const [webhook] = (await webhooks.list(MAIN)).slice(-1);
    const { id } = webhook ?? assert.fail();
    await webhooks.change(id, { events: personEvents, options: { ...standardOptions, headers: 'x' } });
    for (const at of [now, now + 1])
      await notes.act(MAIN, { number: numberOf(8), at, user: 'Zoë', kind: 'note', text: 'x' });
    await webhooks.queueNew(null, now);
    const [next] = await webhooks.due(id, { ...times, priority: 'fresh' });
    await webhooks.record(id, { ...result(next?.id ?? 0), counted: true }, null);
    const [last] = await webhooks.due(id, { ...times, priority: 'fresh' });
    await webhooks.skip(id, [last?.id ?? 0]);
    await webhooks.newest(MAIN);
    await webhooks.failedCounts(MAIN);
  });
  await works('events for programs', async () => {
    const first = await webhooks.events.begin(SECOND, now);
    await webhooks.events.isKnown(SECOND, first, now + 2 * hour);
    await notes.act(SECOND, { number: numberOf(8), at: now, user: 'Zoë', kind: 'taken', text: null });
    await webhooks.queueNew(null, now);
    await webhooks.events.after(SECOND, 0, 100);
    await webhooks.forget(SECOND, [numberOf(8)], (text) => text);
    await webhooks.events.after(MAIN, 0, 100);
    await webhooks.events.newest([MAIN]);
  });
  await works('notifications of missed calls', async () => {
    const { notifications } = store;
    const whose = { user: 2, medium: 'mail' } as const;
    await notifications.put(
      { ...whose, choice: everyMissedCall, address: 'zoe@office.example' },
      now - DAY_MS,
    );
    await webhooks.hasOtherReaders();
    const { cursor } = await webhooks.queueNew(null, now);
    await client.post(token, event({ id: 'tour-3', from: numberOf(8), status: 'completed' }));
    await webhooks.queueNew(cursor, now);
    await notifications.ofUser(whose.user);
    await notifications.texts(MAIN);
    await notifications.usersOf(MAIN, 'New');
    await notifications.recipients('mail', now);
    await notifications.claim(whose, now);
    const notices = await notifications.notices(whose);
    assert.ok(notices.length > 0);
    const numbers = notices.map(({ call }) => call.number);
    await notes.numbersOfPeople(MAIN, numbers.slice(0, 100));
    const calls = notices.map(({ row }) => row);
    await notifications.done(whose, calls, now);
    await notifications.release(whose, now);
    await notifications.remove(whose);
  });
  await works('one is sent again', async () =>
    webhooks.sendAgain(
      fails,
      (await webhooks.page({ webhook: fails, failed: true, before: null, limit: 1 })).deliveries[0]?.id ?? 0,
      now,
    ),
  );
  await works('all that failed are sent again', () => webhooks.sendAgain(fails, null, now));
  await works('a webhook is switched off and on', async () => {
    await webhooks.switchOff(fails, null);
    await webhooks.switchOn(fails, now);
  });
  await works('deliveries of a day are deleted', async () => webhooks.trim(Number(deliveredSince) + DAY_MS));
  await works('nobody reads events for programs any more', () => webhooks.events.trimEvents(now + DAY_MS));
  await works('a webhook is removed', () => webhooks.remove(fails));
  await works('an entry of the audit log', () =>
    audit.write({ account: MAIN, at: now, what: 'user', who: 'Zoë', from: '', target: '' }),
  );
  await works('old entries of the audit log are deleted', () =>
    audit.trim(Number(auditedSince) + 3 * DAY_MS),
  );
  await works('a number is forgotten', () => forgetNumber(store, MAIN, numberOf(11)));
  await works('an account is removed', () => store.accountData.remove(leaves.id));
  const first = await calls.page({
    account: MAIN,
    filter: noFilter,
    towards: 'newer',
    from: null,
    limit: 1,
  });
  await works('a number is forgotten that the trunk of one call names', () => {
    let changed = 0;
    const without = (text: string) => (text === 'trunk-1' && changed++ === 0 ? 'forgotten' : text);
    return calls.forget(MAIN, numberOf(12), without);
  });
  const age = Math.floor((now - (first.calls[0]?.startedAt ?? 0)) / DAY_MS);
  await works('an account loses the callers of its first days', () =>
    numberDropper(store)([{ id: MAIN, numbersKeptDays: age - 2 }], now),
  );
  await works('the calls of a day are deleted', () => calls.trim((first.calls[0]?.startedAt ?? 0) + DAY_MS));
  const oldest = await requests.page({ account: MAIN, order: 'oldest', offset: 0, limit: 1 });
  const [[old] = []] = await Array.fromAsync(oldest.chunks);
  await statements();
  await works('requests of a day are deleted', () => requests.trim({ before: (old?.at ?? 0) + DAY_MS }));
  await works('requests above a number are deleted', () => requests.trim({ keep: oldest.total - 2_500 }));
  // Whole partitions; on SQLite the oldest of a tenth of the office are younger.
  if (url !== undefined)
    await works('requests of a month are deleted', () => requests.trim({ before: now - 45 * DAY_MS }));
}
