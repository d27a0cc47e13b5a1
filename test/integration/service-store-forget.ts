import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import type { Store } from '../../src/service/database/store.ts';
import { everyMissedCall } from '../../src/service/notifications/notification.ts';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { type Customer, eachText, textNames } from '../../src/service/people/customer-fields.ts';
import { forgetNumber, forgetSummary } from '../../src/service/people/forget-number.ts';
import { personAsJson } from '../../src/service/people/person-data.ts';
import { numberDropper } from '../../src/service/upkeep/drop-numbers.ts';
import { writtenNumber } from '../../src/shared/phone-number/written-number.ts';
import { recorded, report } from '../tools/service/recorded-request.ts';
import type { StoreTests } from './service-store-conformance.ts';
import { entries } from './service-store-history.ts';

/** A column that can hold text or bytes, and all its values as text. */
export type TextColumn = { readonly table: string; readonly column: string; readonly values: string };

/** Columns with a caller's number, name or words about the caller: `forget` must clear each. */
const ofCallers = [
  'customers.reference',
  'customers.search',
  'customer_numbers.number',
  ...textNames.map((name) => `customers.${name}`),
  'calls.from_number',
  'calls.number',
  'calls.caller_id',
  'calls.number_called',
  'calls.line',
  'calls.missed_name',
  'calls.rang',
  'calls.talked',
  'bridge_health.report',
  'kept_figures.figures',
  'history.path',
  'history.from_number',
  'history.request',
  'history.request_bytes',
  'history.response',
  'caller_actions.number',
  'caller_actions.text',
  'caller_actions.user_name',
  'caller_actions.report',
  'certificates.certificate',
  'audit.target',
  'webhook_deliveries.answer',
  'person_events.about',
];

/** All others, by table: no caller is named in them. */
const others: Readonly<Record<string, string>> = {
  accounts: 'uid name country time_zone crm_url opening_hours',
  audit: 'what who source',
  call_events: 'event',
  caller_actions: 'kind',
  calls: 'call_id status missed_where missed_by closed_from changed',
  customers: 'language blocked',
  extensions: 'extension name',
  history: 'method call_id effect',
  integrations: 'uid name',
  old_token_uses: 'address',
  person_events: 'event',
  segments: 'name',
  sessions: 'id address browser',
  site: 'secret_mark',
  users: 'uid name sign_in_name role language password second_factor recovery_codes bar',
  missed_notices: 'medium',
  notifications: 'medium choice address',
  push_devices: 'endpoint session_id public_key auth browser',
  webhook_deliveries: 'event state',
  webhook_reader: 'holder place',
  webhooks: 'uid url events failure shape headers filter',
  weekly_reports: 'address sent_week',
  written_by: 'program version',
};

const number = '+4930901820';
/** In no name that people gave. */
const left = {
  callIds: 0,
  segments: 0,
  users: 0,
  integrations: 0,
  extensions: 0,
  webhooks: 0,
  weekly: 0,
  notifications: 0,
  accounts: 0,
};

/** What of each kind the file about a customer names. */
async function everythingAbout(store: Store, account: number, who: Customer) {
  const directory = { extensions: () => new Map(), integrations: () => [] };
  const whom = { account: { id: account, name: 'A', country: 'DE' }, customer: who, numbers: who.numbers };
  const file = personAsJson({ store, directory }, whom, 0);
  const {
    account: _,
    exported_at: __,
    customer,
    numbers,
    ...lists
  } = JSON.parse((await Array.fromAsync(file)).join(''));
  assert.deepEqual([customer.reference, numbers], [who.reference, who.numbers]);
  const nameOf = (one: Record<string, unknown>) =>
    one.user && one.call
      ? `${one.user} ${one.call}`
      : (one.target ?? one.kind ?? one.event ?? one.id ?? one.at);
  return Object.fromEntries(
    Object.entries(lists).map(([name, items]) => [name, (items as Record<string, unknown>[]).map(nameOf)]),
  );
}

/** What every store forgets with a number. */
export const forgetTests: StoreTests = {
  async 'a mobile that only rang is forgotten in the figures of reports'({ store, account }) {
    const ended = { id: 'c', from: '+4930901821', status: 'completed' } as const;
    await report(store, { account, at: 1, ...ended, rang: [{ by: number, from: 1, for: 2 }] });
    const span = { since: 0, until: 900_000 };
    const figures = async () =>
      (await Array.fromAsync(store.reports.figures(account, [span], 900_000_000)))[0]?.shared[0]?.rang;
    assert.deepEqual(await figures(), [number]);
    await forgetNumber(store, account, number);
    assert.deepEqual(await figures(), ['forgotten']);
  },

  async 'a number is forgotten in calls, requests, customers and the audit log of its account alone'({
    store,
    account,
    other,
  }) {
    const ann = customer({ reference: number, name: 'Ann', numbers: [number, '+4930901821'] });
    for (const owner of [account, other]) {
      const keep = (request: string, change: object = { callId: null, event: null, method: 'GET' }) =>
        store.requests.record({
          ...recorded({ account: owner, id: `call-${owner}`, at: 2 }),
          request,
          ...change,
        });
      await store.customers.put(owner, [ann]);
      for (const status of ['ringing', 'completed'] as const)
        await report(store, {
          account: owner,
          id: `call-${owner}`,
          status,
          from: '030 901820',
          also: { name: 'Ann' },
        });
      await keep('number=%2B4930901820');
      await keep('search=request&search_term=4930901820', { callId: null, event: null, fromNumber: null });
      await report(store, { account: owner, id: 'else', at: 4, from: '+4930901821' });
      await store.callers.act(owner, { number, at: 1, user: 'Eve', kind: 'note', text: 'Ann calls' });
      const target = `customer ${number}`;
      await store.audit.write({ account: owner, at: 1, what: 'removal', who: 'Eve', from: '::1', target });
    }
    const all = async (of: number) =>
      JSON.stringify([
        await entries(store, of),
        await Array.fromAsync(store.customers.all(of)),
        await Array.fromAsync(store.calls.ofNumber(of, number)),
        await store.calls.get(of, `call-${of}`),
        await store.callers.actions(of, { since: 0 }, 9),
        await store.audit.page({ account: of, what: null, who: null, before: null, limit: 9 }),
      ]);
    const theirs = await all(other);
    const found = (await Array.fromAsync(store.calls.ofNumber(account, number))).flat();
    assert.deepEqual(
      found.map(({ id }) => id),
      [`call-${account}`],
    );
    assert.deepEqual(await forgetNumber(store, account, number), {
      calls: 1,
      requests: 4,
      customers: 1,
      texts: 1,
      left,
      isPurged: true,
    });
    assert.doesNotMatch(await all(account), /901820|030 9/);
    assert.equal(await all(other), theirs);

    const kept = (status: string) =>
      JSON.stringify({ id: `call-${account}`, direction: 'inbound', status, from: 'forgotten' });
    assert.deepEqual(
      (await entries(store, account)).map(({ request }) => request),
      [
        kept('ringing'),
        kept('completed'),
        'number=forgotten',
        'search=request&search_term=forgotten',
        recorded({ id: 'else', from: '+4930901821' }).request,
      ],
    );
    const call = await store.calls.get(account, `call-${account}`);
    assert.deepEqual([call?.from, call?.number, call?.customer], ['forgotten', 'forgotten', null]);
    assert.equal((await store.customers.withNumber(account, '+4930901821'))?.name, 'Ann');
    assert.deepEqual(await forgetNumber(store, account, number), {
      calls: 0,
      requests: 0,
      customers: 0,
      texts: 0,
      left,
      isPurged: true,
    });
    assert.equal((await forgetNumber(store, account, '+4930901821')).customers, 1);
    assert.deepEqual(await Array.fromAsync(store.customers.all(account)), []);
  },

  async 'an account with an age of its own loses callers and notes that are older, and keeps its figures'({
    store,
    account,
    other,
  }) {
    const day = 86_400_000;
    const now = 100 * day;
    await store.customers.putSegment(account, { name: 'VIP', priority: 9 });
    const ann = customer({ reference: 'ann', name: 'Ann', numbers: [number], segment: 'VIP' });
    for (const owner of [account, other]) {
      await store.customers.put(owner, [owner === account ? ann : { ...ann, segment: null }]);
      await store.webhooks.add({
        uid: `w${owner}`,
        account: owner,
        url: 'https://a.example/',
        since: 0,
        events: ['call.missed', 'note.added'],
      });
      for (const [id, at] of [
        ['old', 85],
        ['new', 95],
      ] as const) {
        for (const status of ['ringing', 'completed'] as const)
          await report(store, { account: owner, id, at: at * day, status, from: number });
        const note = { number, at: at * day, user: 'Eve', kind: 'note', text: `Note ${id}` } as const;
        await store.callers.act(owner, note);
        const target = `customer ann, ${id}`;
        const entry = { account: owner, at: at * day, who: 'Eve', from: '::1' };
        await store.audit.write({ ...entry, what: 'removal', target });
        await store.audit.write({ ...entry, what: 'role', target: 'Eve' });
      }
      await report(store, { account: owner, id: 'open', at: 85 * day, from: number });
      const promise = {
        number,
        at: 85 * day,
        user: 'Eve',
        kind: 'remind',
        text: null,
        due: now + 1,
      } as const;
      await store.callers.act(owner, promise);
    }
    const bo = {
      uid: 'bo',
      name: 'Bo',
      signInName: 'bo',
      role: 'agent',
      password: null,
      createdAt: 0,
    } as const;
    const user = (await store.users.add({ ...bo, account }))?.id as number;
    const choice = { choice: everyMissedCall, address: 'bo@a.example' };
    await store.notifications.put({ user, medium: 'mail', ...choice }, 90 * day);
    await store.webhooks.queueNew(null, 86 * day);
    await store.webhooks.queueNew(null, now);
    const days = Array.from({ length: 100 }, (_, n) => ({ since: n * day, until: (n + 1) * day }));
    const figures = async (of: number) =>
      JSON.stringify(await Array.fromAsync(store.reports.figures(of, days, now)));
    const all = async (of: number) => {
      const [webhook] = await store.webhooks.list(of);
      const page = { webhook: webhook?.id as number, failed: false, before: null, limit: 9 };
      return {
        calls: await Promise.all(
          ['old', 'open', 'new'].map(async (id) => {
            const call = await store.calls.get(of, id);
            return `${id} ${call?.from} ${call?.customer?.name} ${call?.segment}`;
          }),
        ),
        requests: (await entries(store, of)).map(({ at }) => at / day),
        actions: (await store.callers.actions(of, { since: 0 }, 9)).map(({ kind, text }) => text ?? kind),
        audit: (
          await store.audit.page({ account: of, what: null, who: null, before: null, limit: 9 })
        ).entries.map(({ target }) => target),
        deliveries: (await store.webhooks.page(page)).deliveries.map(
          ({ event, at }) => `${event} ${at / day}`,
        ),
      };
    };
    assert.deepEqual(await everythingAbout(store, account, ann), {
      calls: ['old', 'new', 'open'],
      call_backs_and_notes: ['note', 'remind', 'note'],
      notifications: ['Bo old', 'Bo new'],
      webhook_deliveries: ['call.missed', 'call.missed', 'note.added', 'note.added'],
      requests: [85, 85, 85, 95, 95].map((at) => at * day),
      audit_log: ['customer ann, new', 'customer ann, old'],
    });
    const before = [await figures(account), await figures(other), await all(other)];
    assert.match(`${before[0]}`, /"VIP"/);
    const drop = numberDropper(store);
    const accounts = [
      { id: account, numbersKeptDays: 10 },
      { id: other, numbersKeptDays: null },
    ];
    assert.equal(await drop(accounts, now), 1);
    const left = await all(account);
    assert.deepEqual(left, {
      calls: ['old forgotten undefined VIP', `open ${number} Ann VIP`, `new ${number} Ann VIP`],
      requests: [95, 95],
      actions: ['remind', 'Note new'],
      audit: ['Eve', 'customer ann, new', 'Eve', 'forgotten'],
      deliveries: ['note.added 95', 'call.missed 95'],
    });
    assert.deepEqual([await figures(account), await figures(other), await all(other)], before);
    // Counted again, they are the same.
    await report(store, { account, id: 'late', at: 85 * day + 1 });
    const counted = async () => {
      const { segments } = JSON.parse(await figures(account))[85];
      return segments.map(([name, { all }]: [string, { all: { calls: number } }]) => `${name} ${all.calls}`);
    };
    assert.deepEqual((await counted()).sort(), ['VIP 3']);
    // History that was added later loses its callers a day later, and all with another age.
    const past = { began: 80 * day, ended: 80 * day + 1 };
    await report(store, { account, id: 'past', at: now, status: 'completed', from: '110', past });
    assert.equal(await drop(accounts, now), 0);
    assert.equal(await drop(accounts, now + day), 1);
    assert.equal(await drop([{ id: account, numbersKeptDays: 7 }], now + 3 * day), 1);
    assert.equal((await store.calls.get(account, 'new'))?.number, 'forgotten');
    // A segment that is removed is in no figure any more.
    await store.customers.removeSegment(account, 'VIP');
    assert.deepEqual(await counted(), [' 3']);
  },

  /** Puts data of one caller into every column that may have some, forgets the number, and searches all columns. */
  async 'forgetting a number clears every column that names its caller'({ store, account, readColumns }) {
    const traces = /901820|Marker|marker|customer-of-crm/;
    const nameOf = ({ table, column }: TextColumn) => `${table}.${column}`;
    const named = async () => (await readColumns()).filter(({ values }) => traces.test(values)).map(nameOf);
    const columns = (await readColumns()).map(nameOf);
    const classified = Object.entries(others).flatMap(([table, names]) =>
      names.split(' ').map((name) => `${table}.${name}`),
    );
    assert.deepEqual(
      columns.filter((name) => !ofCallers.includes(name) && !classified.includes(name)),
      [],
      'a new column: does it name callers? Put it into one of the lists above, and let forget clear it if it does',
    );

    await store.customers.put(account, [
      { ...eachText(() => 'Ann Marker'), reference: 'customer-of-crm', numbers: [number] },
    ]);
    const webhook = { uid: 'forget', account, url: 'https://a.example/hook', since: 0 };
    await store.webhooks.add({ ...webhook, events: ['call.ringing', 'note.added', 'customer.removed'] });
    const request = {
      ...recorded({ account, at: 100, id: 'a' }),
      path: `/api/v1/voice/call?from=${number}`,
      response: `{"from":"${number}"}`,
    };
    const extras = { numberCalled: number, line: null, missed: null };
    await report(store, { account, at: 99, id: 'b', from: '+4930901821', callerId: number, extras });
    const missed = { where: 'queue', name: `Calls of ${number}`, by: null, after: null, at: null } as const;
    const line = { numberCalled: null, line: `trunk-${number}`, missed };
    const [rang, talked] = [[{ by: number, from: 1, for: 2 }], [{ by: number, from: 3, to: 4 }]];
    const ended = { id: 'c', from: '+4930901821', status: 'completed', extras: line } as const;
    await report(store, { account, at: 98, ...ended, rang, talked });
    const problem = {
      problems: [{ text: `the call of ${number}, 0049 30 90 18 20, hangs` }],
      queued: 30901820,
    };
    await store.directory.saveBridgeReport(1, 5, JSON.stringify(problem));
    await store.directory.saveCertificate(1, 5, JSON.stringify({ what: `not reported: ${number}` }));
    const calledBack = { number: '+4930901821', at: 1, user: number, kind: 'talked', text: null } as const;
    await store.callers.act(account, { ...calledBack, report: `pbx-${number}` });
    await store.callers.act(account, { ...calledBack, kind: 'note', user: 'Eve' });
    await store.requests.record(request);
    const bytes = new Uint8Array(Buffer.from(`{"from":"${number}","name":"\xff"}`, 'latin1'));
    await store.requests.record({ ...request, request: bytes, event: null });
    await store.callers.act(account, { number, at: 1, user: 'Eve', kind: 'note', text: 'Ms Marker calls' });
    const target = `customer ${number}`;
    await store.audit.write({ account, at: 1, what: 'removal', who: 'Eve', from: '::1', target });
    await store.webhooks.queueNew(null, 200);
    const id = (await store.webhooks.list(account))[0]?.id as number;
    const { deliveries } = await store.webhooks.page({ webhook: id, failed: false, before: null, limit: 1 });
    const seq = deliveries[0]?.id as number;
    const result = { seq, callId: 'a', outcome: 'delivered', at: 300, counted: true, durationMs: 1 } as const;
    await store.webhooks.record(id, result, `thanks for ${number}`);

    const span = { since: 0, until: 900_000 };
    await Array.fromAsync(store.reports.figures(account, [span], 900_000_000));

    const expected = ofCallers.filter((name) => columns.includes(name));
    assert.deepEqual((await named()).sort(), expected.sort(), 'each holds something of the caller before');
    assert.equal((await forgetNumber(store, account, number)).texts, 5);
    assert.deepEqual(await named(), ['bridge_health.report'], 'the figure');
    assert.equal(await store.directory.certificate(1), '{"what":"not reported: forgotten"}');
    const done = await store.callers.actions(account, { since: 0 }, 9);
    assert.deepEqual(
      done.map(({ user }) => user),
      ['forgotten', 'Eve'],
    );
    const call = await store.calls.get(account, 'c');
    const someone = { by: 'forgotten' };
    assert.deepEqual(
      [call?.rang, call?.talked],
      [[{ ...someone, from: 1, for: 2 }], [{ ...someone, from: 3, to: 4 }]],
    );
    const { report: rest = '' } = (await store.directory.bridgeReport(1)) ?? {};
    assert.deepEqual(JSON.parse(rest), {
      problems: [{ text: 'the call of forgotten, forgotten, hangs' }],
      queued: 30901820,
    });

    // A table of numbers alone has made the first number the customer's name.
    const nameless = { ...eachText(() => number), reference: 'b5', numbers: [number, '+4930111'] };
    await store.customers.put(account, [nameless]);
    await forgetNumber(store, account, number);
    assert.deepEqual(await named(), ['bridge_health.report']);
  },

  /** What is refused is stored as it came: any JSON, or none. */
  async 'a number is forgotten in refused requests, whatever JSON they are'({ store, account, readColumns }) {
    const deep = (inner: string) => `${'['.repeat(30_000)}${inner}${']'.repeat(30_000)}`;
    const refused = { status: 422, response: null, callId: null, fromNumber: null, event: null } as const;
    const bodies = [
      '{"number":{"toString":1}}',
      '{"from":{"toString":null,"valueOf":null}}',
      '{"number":{"__proto__":null}}',
      `{"number":${deep('')}}`,
      `{"id":${deep('1')},"from":"${number}"}`,
      `{"from":${deep(`"${number}"`)}}`,
      `{"from":["${number}"],"name":"Ann Marker"}`,
      `{"id":{"of":"${number}"},"from":"${number}"}`,
      `{"from":4930901820,"name":"Ann Marker"}`,
      'null',
      '"number"',
      '7',
      '{"from":',
      `{"note":"\0 ${number}`,
      '{"a":"\\',
      '{"note":"\\u0034\\u0039 30 901820 \\u0026"}',
      '{"note":"030\\t901820"}',
    ];
    await report(store, { account, at: 1, id: 'its-own' });
    for (const [n, request] of bodies.entries())
      await store.requests.record({ ...recorded({ account, at: n + 2 }), ...refused, request });
    await store.directory.saveBridgeReport(
      1,
      5,
      `{"problems":[{"text":"${number}"},${deep('')}],"queued":30901820}`,
    );

    assert.equal((await forgetNumber(store, account, number)).isPurged, true);
    const values = (await readColumns()).map((column) => column.values).join('\n');
    assert.doesNotMatch(values.replace('"queued":30901820', ''), /901820|Marker/);
    const left = (await entries(store, account)).map(({ request }) => `${request}`);
    assert.deepEqual(left.slice(1, 3), bodies.slice(0, 2));
    assert.ok(left.includes('{"note":"forgotten &"}'));
    assert.match(
      (await store.directory.bridgeReport(1))?.report ?? '',
      /"text":"forgotten".*"queued":30901820/,
    );
  },

  async 'of what a lookup of the number was answered, nothing about the caller stays, nor the number as who answered'({
    store,
    account,
  }) {
    const answer = { priority: 5, segment: 'VIP', name: 'Ann', language: 'de', blocked: true };
    const response = JSON.stringify({ ...answer, last_extension: '101', callback_extension: null });
    const nothing = { callId: null, event: null } as const;
    const base = recorded({ account });
    const lookUp = (text: string, method: 'GET' | 'POST' = 'GET') => {
      const request =
        method === 'GET' ? `number=${encodeURIComponent(text)}` : JSON.stringify({ number: text });
      return store.requests.record({ ...base, ...nothing, method, request, fromNumber: text, response });
    };
    await lookUp('030 901820');
    await lookUp(number, 'POST');
    await lookUp('+4930901821');
    await lookUp('forgotten'); // by an earlier version, which left the answer
    await report(store, { account, at: 2, id: 'mobile', from: number, callerId: number });
    await forgetNumber(store, account, number);
    const after = await entries(store, account);
    const clear = '{"priority":5,"segment":"VIP"}';
    assert.deepEqual(
      after.map(({ response }) => response),
      [clear, clear, response, clear, '{"result":"r"}'],
    );
    assert.deepEqual(JSON.parse(`${after.at(-1)?.request}`), {
      id: 'mobile',
      direction: 'inbound',
      status: 'ringing',
      from: 'forgotten',
      caller_id: 'forgotten',
    });
    assert.equal((await forgetNumber(store, account, number)).requests, 0);
  },

  async 'names that people gave stay, and are counted when a number is forgotten'({ store, account, other }) {
    for (const [owner, uid] of [
      [account, 'mine'],
      [other, 'theirs'],
    ] as const) {
      await store.customers.putSegment(owner, { name: `Line 030 901820 ${uid}`, priority: 5 });
      await store.directory.addIntegration({ uid, account: owner, name: `SIP +4930901820`, createdAt: 0 });
      await store.directory.putExtension(owner, { extension: number, name: 'Ann', user: null });
      await store.directory.putExtension(owner, { extension: '1001', name: `Ann ${number}`, user: null });
      await store.directory.changeAccount(owner, { crmUrl: `https://crm.example/030901820/{number}` });
      const user = await store.users.add({
        uid: `user-${uid}`,
        account: owner,
        name: `Eve ${uid}`,
        signInName: `030901820@${uid}.example`,
        role: 'agent',
        password: null,
        createdAt: 0,
      });
      await store.weekly.put(user?.id ?? 0, `030901820@${uid}.example`, '2026-11-16');
      await store.notifications.put(
        { user: user?.id ?? 0, medium: 'mail', choice: everyMissedCall, address: `030901820@${uid}.example` },
        0,
      );
    }
    const report = await forgetNumber(store, account, number);
    assert.deepEqual(report.left, {
      callIds: 0,
      segments: 1,
      users: 1,
      integrations: 1,
      extensions: 2,
      webhooks: 0,
      weekly: 1,
      notifications: 1,
      accounts: 1,
    });
    assert.equal(
      forgetSummary(report),
      'removed from calls (0), requests (0), customers (0) and other texts (0); still in names and addresses of segments (1), users (1), integrations (1), extensions (2), weekly reports (1), notifications (1), accounts (1), which people gave: change or remove them',
    );
    assert.deepEqual((await forgetNumber(store, account, '1001')).left.extensions, 1);
  },

  async 'a number is forgotten in requests that came as UTF-16'({ store, account }) {
    const base = { ...recorded({ account, id: 'utf-16', from: '+4930901821' }), callId: null, event: null };
    const bodies = [
      JSON.stringify({ from: number, name: 'Ann' }),
      JSON.stringify({ name: `Call ${number}` }),
    ];
    for (const body of bodies)
      for (const bytes of [Buffer.from(body, 'utf16le'), Buffer.from(body, 'utf16le').swap16()])
        await store.requests.record({
          ...base,
          fromNumber: null,
          // As the service stores it: as text where it is valid UTF-8.
          request: isUtf8(bytes) ? bytes.toString() : new Uint8Array(bytes),
        });
    assert.equal((await forgetNumber(store, account, number)).requests, 4);
    for (const { request } of await entries(store, account))
      assert.doesNotMatch(Buffer.from(request).toString().replaceAll('\0', ''), /901820/);
  },

  /** A number is written in as many ways as there are people; none of them may be left anywhere, but in the ids of calls. */
  async 'a forgotten number is nowhere, however it was written, and comes back as a stranger'({
    store,
    account,
    readColumns,
    readFiles,
  }) {
    const written = [
      '+4930901820',
      '004930901820',
      '(030) 90 18-20',
      '030-901-820',
      '%2B49%2030901820',
    ].concat('０３０－９０１８２０', '+٤٩٣٠٩٠١٨٢٠', '۰۳۰ ۹۰۱۸۲۰', '\u202a+49 30 901820\u202c');
    await store.customers.put(account, [
      { ...eachText(() => 'Ann'), reference: 'a', numbers: [number] },
      { ...eachText(() => `Bob, not ${written[2]}`), reference: '030901820', numbers: ['+4930901821'] },
    ]);
    let at = 0;
    const nothing = { callId: null, fromNumber: null, event: null } as const;
    for (const form of written) {
      at += 1;
      const id = `call-${at}`;
      const base = recorded({ account, at, id, from: '+4930901821' });
      await store.requests.record({
        ...base,
        path: `/api/v1/voice/call?from=${form}`,
        request: '{}',
        ...nothing,
      });
      await store.requests.record({
        ...base,
        ...nothing,
        request: JSON.stringify({ from: form, name: 'Ann' }),
        fromNumber: form,
        status: 422,
        response: `{"message":"${form} is no number."}`,
      });
      const also = { ...nothing, method: 'GET', request: `number=${encodeURIComponent(form)}` };
      await store.requests.record({ ...base, ...also });
      await report(store, {
        account,
        at,
        id,
        from: '+4930901821',
        callerId: form,
        status: 'completed',
        extras: { numberCalled: form, line: null, missed: null },
      });
      await report(store, { account, at, id: `own-${at}`, from: number, status: 'completed' });
      const note = { number: '+4930901821', at, user: 'Eve', kind: 'note', text: `ask at ${form}` } as const;
      await store.callers.act(account, note);
      const entry = {
        account,
        at,
        what: 'removal',
        who: 'Eve',
        from: '::1',
        target: `customer ${form}`,
      } as const;
      await store.audit.write(entry);
    }
    await report(store, { account, at, id: 'pbx-4930901820-1', from: number });
    const ids = /pbx-4930901820-1/g;
    const traces = () => writtenNumber(number);
    const named = async () =>
      (await readColumns())
        .filter(({ values }) => traces().test(values.replace(ids, '')))
        .map(({ column }) => column);
    const before = await named();
    for (const column of [
      'path',
      'request',
      'response',
      'text',
      'target',
      'caller_id',
      'number_called',
      'name',
    ])
      assert.ok(before.includes(column), `${column} held it`);

    const { left, texts } = await forgetNumber(store, account, number);
    assert.deepEqual([left.callIds, texts], [1, 2 * written.length]);
    assert.deepEqual(await named(), []);
    assert.equal((await store.customers.get(account, 'a'))?.name, undefined);
    if (readFiles) {
      const bytes = readFiles().replace(ids, '');
      for (const form of written) assert.equal(bytes.includes(form), false, `the files hold ${form}`);
    }
    const again = await report(store, { account, at: 99, id: 'again', from: number });
    assert.deepEqual([again?.number, again?.customer], [number, null], 'a stranger');
  },
};
