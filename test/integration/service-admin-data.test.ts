import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { customer } from '../../src/service/people/customer.fixture.ts';
import type { CallEvent, Listed } from '../tools/service/admin-data.ts';
import { callers, event, type Served, serve, startAgain } from '../tools/service/harness.ts';
import { withStore } from '../tools/service/people.ts';
import { until } from '../tools/until.ts';

/** A service, and GETs of /admin with the token of account Alpha. */
async function administered(t: TestContext) {
  const served = await serve(t);
  const { a, b, ask, url } = served;
  const get = (path: string, headers: Record<string, string> = {}, token = a.admin) =>
    ask(`${url}/admin${path}`, { token, headers });
  const list = async <Item = { id: string }>(path: string, token = a.admin) => {
    const answer = await get(path, {}, token);
    assert.equal(answer.status, 200, answer.text);
    return answer.json as Listed<Item>;
  };
  return {
    ...served,
    get,
    list,
    ids: async (path: string) => (await list(path)).data.map(({ id }) => id),
    b,
  };
}

/** A call of each kind; `answered` is of Alpha's customer. */
async function report({ post, a, b }: Pick<Served, 'post' | 'a' | 'b'>): Promise<void> {
  const send = (id: string, status: string, fields: object = {}, token = a.token) =>
    post(token, event({ id, status, from: '030 1111111', ...fields }));
  const ours = { from: '+4930901820' };
  await send('answered', 'ringing', ours);
  await send('missed', 'ringing');
  await send('open', 'ringing', {}, a.secondToken);
  await send('theirs', 'ringing', {}, b.token);
  await send('answered', 'answered', { ...ours, caller_id: '1001' });
  const end = { where: 'queue', name: 'sales', by: 'caller', after: 35 };
  await send('missed', 'completed', { extras: { number_called: '030 222222', missed: end } });
  await send('answered', 'completed', ours);
}

test('calls are listed, newest first, with who calls; filters choose, and no call of another account is there', async (t) => {
  const served = await administered(t);
  const { list, ids, get, b } = served;
  await report(served);
  const { data, next } = await list<Record<string, unknown>>('/calls');
  assert.deepEqual(
    data.map(({ id }) => id),
    ['open', 'missed', 'answered'],
  );
  assert.equal(next, null);
  const { started_at, ringing_at, answered_at, completed_at, updated_at, customer, ...call } = data[2] ?? {};
  assert.deepEqual(call, {
    id: 'answered',
    status: 'completed',
    from: '+4930901820',
    number: '+4930901820',
    segment: 'VIP',
    priority: 10,
    caller_id: '1001',
    answered_by: '1001',
    missed: false,
    integration: 'PBX 1',
    past: false,
  });
  assert.equal((customer as { name: string }).name, "Alpha's customer");
  assert.equal(started_at, ringing_at);
  assert.equal(updated_at, completed_at);
  assert.ok((answered_at as number) <= (completed_at as number));
  assert.deepEqual((await get('/calls/answered')).json, data[2]);
  for (const path of ['/calls/theirs', '/calls/nobody']) assert.equal((await get(path)).status, 404);
  assert.equal((await get('/calls/answered', {}, b.admin)).status, 404);

  const systems = (await get('/integrations')).json as { uid: string; name: string }[];
  const second = systems.find(({ name }) => name === 'PBX 2')?.uid;
  const at = new Date(started_at as number).toISOString();
  for (const [filter, expected] of [
    ['outcome=missed', 'missed'],
    ['outcome=open', 'open'],
    ['outcome=answered', 'answered'],
    ['number=030%201111111', 'open,missed'],
    ['number=%2B49301111111&outcome=missed', 'missed'],
    ['extension=1001', 'answered'],
    ['segment=VIP', 'answered'],
    [`customer=${(customer as { reference: string }).reference}`, 'answered'],
    [`integration=${second}`, 'open'],
    ['number_called=030222222', 'missed'],
    ['missed_where=queue', 'missed'],
    ['missed_where=ivr', ''],
    [`started_since=${at}`, 'open,missed,answered'],
    [`started_until=${at}`, ''],
    ['updated_since=2020-01-01T00:00:00Z', 'open,missed,answered'],
    ['updated_since=2020-01-01T00:00:00%2B02:00&outcome=missed', 'missed'],
    ['updated_since=2999-01-01T00:00:00Z', ''],
  ] as const)
    assert.equal((await ids(`/calls?${filter}`)).join(), expected, filter);
});

test('pages follow each other by cursors that stay valid while calls come', async (t) => {
  const served = await administered(t);
  const { list, post, a } = served;
  for (const id of ['1', '2', '3', '4', '5']) await post(a.token, event({ id }));
  for (const [query, expected] of [
    ['limit=2', ['5,4', '3,2', '1']],
    ['limit=2&updated_since=2020-01-01T00:00:00Z', ['1,2', '3,4', '5,6']],
  ] as const) {
    const pages: string[] = [];
    let cursor: string | null = '';
    do {
      const page: Listed<{ id: string }> = await list(`/calls?${query}&cursor=${cursor}`);
      pages.push(page.data.map(({ id }) => id).join());
      cursor = page.next;
      if (pages.length === 1) await post(a.token, event({ id: '6' }));
    } while (cursor !== null);
    assert.deepEqual(pages, expected);
  }
});

test('what is asked for wrongly is refused in one line that names it', async (t) => {
  const { get, list, post, a } = await administered(t);
  for (const id of ['1', '2']) await post(a.token, event({ id }));
  const { next } = await list('/calls?limit=1');
  for (const [path, message] of [
    ['/calls?outcom=missed', /^There is no outcom field\.$/],
    ['/calls?number=', /^The number field must have a value, or be left out\.$/],
    ['/people?number=%20', /^The number field must have a value, or be left out\.$/],
    ['/calls?cursor=&customer=', /^The customer field must have a value, or be left out\.$/],
    ['/calls?outcome=lost', /^The selected outcome is invalid; it takes open, answered, missed, short\.$/],
    ['/calls?limit=0', /^The limit field must be a whole number from 1 to 200\.$/],
    ['/calls?limit=many', /^The limit field must be a whole number from 1 to 200\.$/],
    [
      '/calls?updated_since=yesterday',
      /^The updated_since field must be a date and time with Z or an offset, such as /,
    ],
    ['/calls?integration=nothing', /^The integration field names no phone system of the account\.$/],
    ['/calls?cursor=nothing', /^The cursor is none that this list has given\.$/],
    [`/calls?updated_since=2020-01-01T00:00:00Z&cursor=${next}`, /^The cursor is none/],
    [`/events?after=${next}`, /^The cursor is none/],
    ['/events?wait=51', /^The wait field must be a whole number from 0 to 50\.$/],
    ['/events?wait=soon', /^The wait field must be a whole number from 0 to 50\.$/],
  ] as const) {
    const { status, json } = await get(path);
    assert.equal(status, 422, path);
    const said = (json as { message: string }).message;
    assert.match(said, message);
    assert.doesNotMatch(said, /\n/);
  }
});

test('an answer that has not changed is not sent again', async (t) => {
  const { get, post, a } = await administered(t);
  await post(a.token, event({ id: '1' }));
  for (const path of ['/calls', '/calls/1', '/segments', '/account']) {
    const { headers, status } = await get(path);
    assert.equal(status, 200);
    const tag = `${headers.etag}`;
    assert.match(tag, /^"[\w-]+"$/);
    const same = await get(path, { 'if-none-match': `"other", W/${tag}` });
    assert.deepEqual([same.status, same.text, same.headers.etag], [304, '', tag]);
    assert.equal((await get(path, { 'if-none-match': '*' })).status, 304);
    assert.equal((await get(path, { 'if-none-match': '"other"' })).status, 200);
  }
  const { headers } = await get('/calls');
  await post(a.token, event({ id: '1', status: 'completed' }));
  assert.equal((await get('/calls', { 'if-none-match': `${headers.etag}` })).status, 200);
});

type Events = { events: CallEvent[]; cursor: string };

/** Reads the events of an account as a program does. */
function follower({ ask, url }: Pick<Served, 'ask' | 'url'>, token: string) {
  let cursor = '';
  const next = async (query = '') => {
    const answer = await ask(`${url}/admin/events?after=${cursor}${query}`, { token });
    assert.equal(answer.status, 200, answer.text);
    const { events, cursor: after } = answer.json as Events;
    cursor = after;
    return events.map(({ type, data: { id } }) => `${id} ${type}`);
  };
  return { next, cursor: () => cursor };
}

test('events come in order, each once, from the kept place on, also after a restart; and those of no one else', async (t) => {
  const served = await administered(t);
  const { a, b, url } = served;
  const [ours, theirs] = [a, b].map(({ admin }) => follower(served, admin));
  assert.ok(ours && theirs);
  assert.deepEqual(await ours.next(), []);
  assert.deepEqual(await theirs.next(), []);
  await report(served);
  const all: string[] = [];
  while (all.length < 6) all.push(...(await ours.next('&wait=50&limit=2')));
  assert.deepEqual(all, [
    'answered call.ringing',
    'missed call.ringing',
    'open call.ringing',
    'answered call.answered',
    'missed call.missed',
    'answered call.ended',
  ]);
  assert.deepEqual(await theirs.next('&wait=50'), ['theirs call.ringing']);
  assert.deepEqual(await ours.next(), []);
  // What happens to people comes, too: customers as they are now, and what is left of those who are gone.
  const customer = (method: string, body?: object) =>
    served.ask(`${url}/admin/customers/9`, { method, token: a.admin, body });
  await customer('PUT', { name: 'Zoe', numbers: ['+493088888888'] });
  const cursor = ours.cursor();
  assert.deepEqual(await ours.next('&wait=50'), ['undefined customer.added']);
  const added = (await served.get(`/events?after=${cursor}`)).json as {
    events: { data: Record<string, unknown> }[];
  };
  assert.partialDeepStrictEqual(added.events[0]?.data, {
    reference: '9',
    name: 'Zoe',
    numbers: ['+493088888888'],
  });
  await customer('DELETE');
  assert.deepEqual(await ours.next('&wait=50'), ['undefined customer.removed']);
  const removed = (await served.get(`/events?after=${cursor}`)).json as typeof added;
  assert.deepEqual(
    removed.events.map(({ data }) => data),
    [{ reference: '9' }],
    'what is gone is passed over',
  );

  await served.service.stop();
  await startAgain(t, served, async ({ post }) => {
    await post(a.token, event({ id: 'open', status: 'completed' }));
  });
  const again = follower({ ...callers(url) }, a.admin);
  assert.deepEqual(await again.next(), [], 'without a place, only what comes');
  const { ask } = callers(url);
  const kept = await until('the event that came elsewhere', async () => {
    const { json } = await ask(`${url}/admin/events?after=${ours.cursor()}`, { token: a.admin });
    const { events } = json as Events;
    return events.length > 0 && events;
  });
  const [{ type, timestamp, data } = assert.fail()] = kept;
  assert.equal(`${data.id} ${type}`, 'open call.missed');
  assert.equal(new Date(timestamp).toISOString(), timestamp);
});

test('a place that is not known here is gone', async (t) => {
  const served = await administered(t);
  const [ours, theirs] = [served.a, served.b].map(({ admin }) => follower(served, admin));
  await ours?.next();
  await theirs?.next();
  const { status, json } = await served.get(`/events?after=${theirs?.cursor()}`);
  assert.equal(status, 410);
  assert.match((json as { message: string }).message, /Begin again without one/);
});

test('a place goes past events whose calls are deleted: one waits behind it, and it stays', async (t) => {
  const served = await administered(t);
  const { a, post } = served;
  const [ours, witness] = [follower(served, a.admin), follower(served, a.admin)];
  await ours.next();
  await witness.next();
  const before = ours.cursor();
  await post(a.token, event({ id: 'gone' }));
  await until('it to be queued', async () => (await witness.next('&wait=5')).length > 0);
  await withStore(served, (store) => store.calls.trim(Date.now() + 86_400_000));
  assert.deepEqual(await ours.next(), []);
  assert.equal(ours.cursor(), witness.cursor());
  assert.notEqual(ours.cursor(), before);
  assert.deepEqual(await ours.next('&wait=1'), []);
  assert.equal(ours.cursor(), witness.cursor());
});

test('a few requests of an account wait at once; others go on, and all are answered at the end', async (t) => {
  const served = await administered(t);
  const { get, service, a } = served;
  const ours = follower(served, a.admin);
  await ours.next();
  const waiting = Array.from({ length: 10 }, () => get(`/events?after=${ours.cursor()}&wait=50`));
  await until('the eleventh to be refused', async () => {
    const answer = await Promise.race([
      get(`/events?after=${ours.cursor()}&wait=1`),
      new Promise<{ status: number }>((resolve) => setTimeout(resolve, 3_000, { status: 0 })),
    ]);
    return answer.status === 429;
  });
  assert.equal((await get('/calls')).status, 200);
  await service.stop();
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  assert.deepEqual(statuses, Array(10).fill(200));
});

test('people, notes and whom to call back are listed page by page, of the own account', async (t) => {
  const served = await administered(t);
  const { ask, url, a, b, list, post } = served;
  const accountOf = (name: string) =>
    withStore(served, async (store) => {
      const { accounts } = (await store.directory.read(0))?.directory ?? { accounts: [] };
      return accounts.find((one) => one.name === name)?.id ?? 0;
    });
  const account = await accountOf('Alpha');
  const put = (reference: string, body: object) =>
    ask(`${url}/admin/customers/${reference}`, { token: a.admin, method: 'PUT', body });
  await put('7', { name: 'Ann', numbers: ['030 1111111', '030 1111112'] });
  await put('8', { name: 'Bob', segment: 'VIP', numbers: ['030 2222222'] });
  const people = async (query: string) =>
    (await list<{ reference: string; name: string }>(`/people?${query}`)).data.map(({ name }) => name);
  const everybody: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Listed<{ name: string }> = await list(`/people?limit=2&cursor=${cursor}`);
    everybody.push(...page.data.map(({ name }) => name));
    cursor = page.next;
  }
  assert.deepEqual(everybody.toSorted(), ["Alpha's customer", 'Ann', 'Bob']);
  assert.deepEqual((await people('segment=VIP')).toSorted(), ["Alpha's customer", 'Bob']);
  assert.deepEqual(await people('number=%2B49301111112'), ['Ann']);
  assert.deepEqual(await people('number=0301111112&segment=VIP'), []);
  assert.deepEqual(await people('number=0309999999'), []);
  const [ann] = (await list('/people?number=0301111111')).data;
  assert.deepEqual(ann, (await served.get('/customers/7')).json);

  await withStore(served, async (store) => {
    const note = (number: string, at: number, text: string) =>
      store.callers.act(account, { number, at, user: 'Eve', kind: 'note', text });
    await note('+49301111111', 1_000, 'first');
    await note('+49301111112', 2_000, 'second');
    await note('+49303333333', 2_000, 'third');
    const taken = { number: '+49303333333', at: 3_000, user: 'Eve', kind: 'taken', text: null } as const;
    await store.callers.act(account, taken);
  });
  const notes = async (query: string) =>
    (await list<{ text: string }>(`/notes?${query}`)).data.map(({ text }) => text);
  const first = await list<object>('/notes?limit=1');
  assert.deepEqual(first.data, [
    { number: '+49303333333', customer: null, at: 2_000, user: 'Eve', text: 'third' },
  ]);
  assert.deepEqual(await notes(`cursor=${first.next}`), ['second', 'first']);
  assert.deepEqual(await notes('customer=7'), ['second', 'first']);
  assert.deepEqual(await notes('customer=7&number=0301111111'), ['first']);
  assert.deepEqual(await notes('customer=8&number=0301111111'), []);
  assert.deepEqual(await notes('customer=nobody'), []);
  assert.deepEqual(await notes('since=1970-01-01T00:00:02Z'), ['third', 'second']);

  const miss = async (id: string, from: string, token = a.token) => {
    for (const status of ['ringing', 'completed']) await post(token, event({ id, status, from }));
  };
  for (const [id, from] of [
    ['a', '030 1111111'],
    ['b', '030 3333333'],
    ['c', '030 2222222'],
    ['d', '030 1111112'],
  ] as const)
    await miss(id, from);
  await miss('theirs', '030 4444444', b.token);
  type Waiting = { numbers: string[]; times: number; call: { id: string }; closed: { how: string } | null };
  const waiting = await list<Waiting>('/call-backs');
  const shown = ({ data }: Listed<Waiting>) =>
    data.map(({ numbers, times, call }) => `${call.id} ${numbers.join('+')} ${times}`);
  assert.deepEqual(shown(waiting), ['c +49302222222 1', 'd +49301111112++49301111111 2', 'b +49303333333 1']);
  const page = await list<Waiting>('/call-backs?limit=2');
  assert.deepEqual(shown(page), shown(waiting).slice(0, 2));
  assert.deepEqual(shown(await list(`/call-backs?limit=2&cursor=${page.next}`)), shown(waiting).slice(2));
  assert.deepEqual((await list('/call-backs?state=closed')).data, []);
  await withStore(served, (store) =>
    store.callers.act(account, {
      number: '+49302222222',
      at: Date.now(),
      user: 'Eve',
      kind: 'done',
      text: null,
    }),
  );
  const closed = await list<Waiting>('/call-backs?state=closed');
  assert.deepEqual(shown(closed), ['c +49302222222 1']);
  assert.equal(closed.data[0]?.closed?.how, 'done');
  assert.equal((await list<Waiting>('/call-backs', b.admin)).data.length, 1);
});

test('figures are those of the days that are asked for, in the account’s time zone', async (t) => {
  const served = await administered(t);
  const { get, b } = served;
  await report(served);
  const today = new Date().toISOString().slice(0, 10);
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  type Figures = Record<string, unknown> & {
    all: { calls: number; missed: number; service_level: number | null };
    steps: { from: string; calls: number }[];
    extensions: { name: string; calls: number }[];
    missed_where: { name: string; calls: number }[];
  };
  const read = async (query: string, token?: string) => {
    const { status, json, text } = await get(`/figures?${query}`, {}, token);
    assert.equal(status, 200, text);
    return json as Figures;
  };
  const of = await read(`from=${day(-2)}&to=${day(1)}`);
  assert.deepEqual([of.all.calls, of.all.missed], [3, 1]);
  assert.equal(
    of.steps.reduce((sum, { calls }) => sum + calls, 0),
    3,
  );
  assert.deepEqual(
    of.extensions.map(({ name, calls }) => `${name} ${calls}`),
    ['1001 1'],
  );
  assert.deepEqual(
    of.missed_where.map(({ name, calls }) => `${name} ${calls}`),
    ['queue 1'],
  );
  assert.equal((await read(`from=${day(-2)}&to=${day(1)}`, b.admin)).all.calls, 1);
  for (const by of ['hour', 'week', 'month']) {
    const { steps } = await read(`from=${day(-2)}&to=${day(1)}&by=${by}`);
    assert.equal(
      steps.reduce((sum, { calls }) => sum + calls, 0),
      3,
      by,
    );
    if (by === 'hour') assert.ok(steps.length > 48, 'also those without calls');
  }
  for (const [query, message] of [
    [`from=${today}`, /^The to field must be a day such as 2026-11-20\.$/],
    [`from=yesterday&to=${today}`, /^The from field must be a day such as 2026-11-20\.$/],
    [`from=${day(-1)}&to=${day(-2)}`, /^The to field must not be before from\.$/],
    [`from=${day(5)}&to=${day(6)}`, /^The from field must not be in the future\.$/],
    [`from=2020-01-01&to=${today}&by=hour`, /^The by field cannot be hour for \d+ days\.$/],
    [`from=${today}&to=${today}&by=year`, /^The selected by is invalid; it takes hour, day, week, month\.$/],
  ] as const) {
    const { status, json } = await get(`/figures?${query}`);
    assert.equal(status, 422, query);
    assert.match((json as { message: string }).message, message);
  }
});

test('a number of no country that is given back is the same number, and not one of the account’s country', async (t) => {
  const served = await administered(t);
  const { ask, url, a, list, ids, post } = served;
  const send = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(`${url}/admin${path}`, { token: a.admin, method, body, headers });
  await send('PUT', '/customers/office', { name: 'Office in Ratingen', numbers: ['02102 345678'] });
  const { cursor } = (await served.get('/events')).json as { cursor: string };
  for (const [id, from] of [
    ['stranger', '+2102345678'],
    ['office', '02102 345678'],
  ] as const)
    for (const status of ['ringing', 'completed'])
      await post(a.token, event({ id, status, from, extras: { number_called: from } }));
  await withStore(served, async (store) => {
    const { accounts } = (await store.directory.read(0))?.directory ?? { accounts: [] };
    const account = accounts.find(({ name }) => name === 'Alpha')?.id ?? 0;
    const stranger = customer({ reference: 'stranger', name: 'Stranger', numbers: ['2102345678'] });
    await store.customers.put(account, [stranger]);
    const note = { number: '2102345678', at: 1_000, user: 'Eve', kind: 'note', text: 'strange' } as const;
    await store.callers.act(account, note);
  });

  type Call = { id: string; number: string; number_called: string };
  const call = (await list<Call>('/calls')).data.find(({ id }) => id === 'stranger');
  assert.deepEqual([call?.number, call?.number_called], ['+2102345678', '+2102345678']);
  const filter = `number=${encodeURIComponent(call?.number ?? '')}`;
  assert.deepEqual(await ids(`/calls?${filter}`), ['stranger']);
  assert.deepEqual(await ids(`/calls?number_called=${encodeURIComponent(call?.number_called ?? '')}`), [
    'stranger',
  ]);
  const [person] = (await list<{ reference: string; numbers: string[] }>(`/people?${filter}`)).data;
  assert.deepEqual([person?.reference, person?.numbers], ['stranger', ['+2102345678']]);
  const notes = (await list<{ number: string; text: string }>(`/notes?${filter}`)).data;
  assert.deepEqual(
    notes.map(({ number, text }) => [number, text]),
    [['+2102345678', 'strange']],
  );
  const waiting = (await list<{ numbers: string[]; call: Call }>('/call-backs')).data;
  const strange = waiting.find((one) => one.call.id === 'stranger');
  assert.deepEqual([strange?.numbers, strange?.call.number], [['+2102345678'], '+2102345678']);
  type Events = { readonly events: readonly { readonly type: string; readonly data: Call }[] };
  const numbersOfCalls = async () => {
    const { events } = (await served.get(`/events?after=${cursor}`)).json as Events;
    return new Set(events.filter(({ type }) => type.startsWith('call.')).map(({ data }) => data.number));
  };
  await until('the events of both calls', async () => (await numbersOfCalls()).size === 2);
  assert.deepEqual([...(await numbersOfCalls())], ['+2102345678', '+492102345678']);

  const read = (await served.get('/customers/stranger')).json;
  const written = await send('PUT', '/customers/stranger', read);
  assert.deepEqual([written.status, written.json], [200, read]);
  const table = (await served.get('/customers')).text;
  assert.match(table, /2102345678/);
  const report = await send('POST', '/customers', table, { 'content-type': 'text/csv' });
  assert.partialDeepStrictEqual(report.json, { imported: 3, warnings: [], unsure: 0 });
  assert.equal((await served.get('/customers')).text, table);
  assert.deepEqual(await ids('/calls?customer=stranger'), ['stranger']);
  assert.deepEqual(await ids('/calls?customer=office'), ['office']);
});
