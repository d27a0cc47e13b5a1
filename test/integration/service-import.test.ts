import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { textNames } from '../../src/service/people/customer-fields.ts';
import { serve } from '../tools/service/harness.ts';
import { browse, withStore } from '../tools/service/people.ts';
import { until } from '../tools/until.ts';

const csv = [
  'Kundennr;Vorname;Nachname;Telefon;Handy;Bemerkung',
  '7;Jana;Weiß;040 66969199;0170 1234567;ruft oft an',
  '8;Tom;Ott;030 12345;;',
].join('\n');
const known = customer({ name: "Alpha's customer", segment: 'VIP', numbers: ['+4930901820'] });

/** A service, with its administrator: what they send, in this language, and what customers there are then. */
async function administered(t: TestContext) {
  const served = await serve(t);
  const { read, send } = await browse(served, 'Ada');
  const customers = () =>
    withStore(served, async (store) => (await Array.fromAsync(store.customers.all(1))).flat());
  return {
    ...served,
    read,
    send,
    customers,
    imports: async (fields: Record<string, string>, language = 'en') =>
      (await send('/customers/import', fields, { 'accept-language': language })).text,
    numbersOf: async (reference: string) =>
      (await customers()).find((one) => one.reference === reference)?.numbers.toSorted(),
  };
}

test("a table with somebody's own column names is understood, and each column can be chosen", async (t) => {
  const { read, imports, customers, numbersOf } = await administered(t);
  const text = await imports({ table: csv }, 'de');
  const chosen = [...text.matchAll(/<select id="f-column-\d" .*?<\/select>/gs)].map(
    ([select]) => /<option value(?:="(\w*)")? selected/.exec(select)?.[1] ?? '',
  );
  assert.deepEqual(chosen, ['reference', 'name', 'name', 'numbers', 'numbers', '']);
  assert.match(text, /2 neu, 0 geändert, 0 unverändert/);
  assert.match(text, /Jana Weiß/);

  const columns = Object.fromEntries(chosen.map((value, n) => [`column-${n}`, value]));
  const done = await imports({ table: csv, ...columns, 'column-1': '', confirmed: 'yes' }, 'de');
  assert.match(done, /2 Kunden importiert/);
  assert.equal((await customers()).find(({ reference }) => reference === '7')?.name, 'Weiß');
  assert.deepEqual(await numbersOf('7'), ['+491701234567', '+494066969199']);

  const unclear = await imports({ table: 'a,b\nAnn,1' }, 'de');
  assert.match(unclear, /Wählen Sie die Spalte mit den Telefonnummern/);
  const wrong = await imports({ table: 'Name,Telefon\nAnn,unleserlich' }, 'de');
  assert.match(wrong, /Telefon: „unleserlich“ ist keine gültige Telefonnummer\..* Zeile 2</);
  const template = await read('/customers/import/template');
  assert.match(String(template.headers['content-disposition']), /customers-template\.csv/);
  assert.match(await imports({ table: template.text }, 'de'), /1 neu/);
});

test('lines are refused by reason, and the segments that are missing are created on the way', async (t) => {
  const { read, imports } = await administered(t);
  const rows = Array.from({ length: 30 }, (_, n) => `c${n},Ann,${['VIP', 'Gold', 'Silver'][n % 3]}`);
  const table = ['reference,name,segment', ...rows].join('\n');
  const before = await imports({ table });
  assert.match(before, /20 lines with errors will be skipped/);
  assert.equal(before.match(/ does not exist/g)?.length, 2, 'once a reason');
  assert.match(before, /Gold.* does not exist\. Add it first\..* Line 3, 6, 9/);
  assert.match(before, /Create 2 missing segments/);
  const after = await imports({ table, create: 'yes' });
  assert.match(after, /30 new, 0 changed, 0 unchanged/);
  assert.doesNotMatch(after, /missing segment|will be skipped/);
  assert.match((await read('/audit')).text, /segment Silver: priority 0/);
});

test('a table of very many columns is refused before its columns are looked at', async (t) => {
  const { send } = await browse(await serve(t), 'Ann');
  const wide = (columns: number) => `reference,numbers${',x'.repeat(columns - 2)}\n1,030 901820\n`;
  const shown = await send('/customers/import', { table: wide(500) });
  assert.equal(shown.status, 200);
  const { status, text } = await send('/customers/import', { table: wide(501) });
  assert.equal(status, 422);
  assert.match(text, /The table has 501 columns/);
  assert.doesNotMatch(text, /name="column-/);
});

test('a form of very many fields is refused in one line, whatever it is encoded as', async (t) => {
  const served = await serve(t);
  const { url, ask } = served;
  const { cookie } = await browse(served, 'Ann');
  const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n';
  for (const [path, type, body] of [
    ['/sign-in', 'application/x-www-form-urlencoded', 'a&'.repeat(20_000)],
    ['/customers/import', 'application/x-www-form-urlencoded', 'a&'.repeat(20_000)],
    ['/customers/import', 'multipart/form-data; boundary=x', `${part.repeat(20_000)}--x--\r\n`],
  ] as const) {
    const headers = { cookie, origin: url, 'content-type': type };
    const { status, text } = await ask(`${url}${path}`, { method: 'POST', headers, body });
    assert.equal(status, 413, type);
    assert.match(text, /The form is too large\./);
  }
});

test('a form that does not name a field leaves it as it is', async (t) => {
  const { read, send, customers } = await administered(t);
  const status = async (fields: Record<string, string>) => (await send('/person/save', fields)).status;
  for (const [fields, change] of [
    [{}, {}],
    [{ name: 'Ann' }, { name: 'Ann' }],
    [{ number: '' }, { name: 'Ann', numbers: [] }],
    [{ segment: '' }, { name: 'Ann', segment: null, numbers: [] }],
  ] as [Record<string, string>, object][]) {
    assert.equal(await status({ customer: '1', ...fields }), 303);
    assert.deepEqual((await customers())[0], { ...known, ...change });
  }
  for (const name of textNames) {
    assert.equal(await status({ customer: '1', [name]: `Its ${name}` }), 303);
    assert.match((await read('/person?customer=1&edit=')).text, new RegExp(`value="Its ${name}"`));
  }
  assert.match((await read('/customers')).text, />Its name</);
  assert.equal(await status({ customer: '1', name: '' }), 422);
  assert.equal(await status({ number: '110' }), 422, 'a new customer needs a name');
});

test('national numbers without a country are warned about, and read again when the country is set', async (t) => {
  const { url, a, ask, send, imports, numbersOf } = await administered(t);
  const unset = { token: a.admin, method: 'PATCH', body: { country: null } };
  assert.equal((await ask(`${url}/admin/account`, unset)).status, 200);
  const preview = await imports({ table: csv });
  assert.match(preview, /3 numbers will not be recognised when they call, such as 04066969199/);
  await imports({ table: csv, confirmed: 'yes' });
  assert.deepEqual(await numbersOf('7'), ['01701234567', '04066969199']);
  const settings = { account: 'Alpha', zone: 'Europe/Berlin', within: '20', crm: '' };
  assert.equal((await send('/account/settings', { ...settings, country: 'DE' })).status, 303);
  assert.deepEqual(await numbersOf('7'), ['+491701234567', '+494066969199']);
  assert.equal((await send('/account/settings', { ...settings, country: 'XX' })).status, 422);
});

test('while a large table comes in, the page can ask how far it is', async (t) => {
  const { read, imports } = await administered(t);
  const lines = Array.from({ length: 10_000 }, (_, n) => `r${n},Ann ${n}\n`);
  const done = imports({ table: `reference,name\n${lines.join('')}`, confirmed: 'yes' });
  const far = async () => (await read('/customers/import/progress')).text;
  await until('the progress', async () => /^\d[\d,]* of 10,000 imported$/.test(await far()));
  assert.match(await done, /10,000 customers imported/);
  assert.equal(await far(), '');
});

/** A table of customers for /admin, whose lines are sent by and by. */
async function openTable({ url, a }: Awaited<ReturnType<typeof serve>>, name: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const chunk = (text: string) => socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  const head = { authorization: `Bearer ${a.admin}`, 'content-type': 'text/csv', connection: 'close' };
  const lines = Object.entries({ host: 'x', ...head, 'transfer-encoding': 'chunked' });
  socket.write(
    `POST /admin/customers HTTP/1.1\r\n${lines.map((pair) => pair.join(': ')).join('\r\n')}\r\n\r\n`,
  );
  let sent = 0;
  return {
    socket,
    send(count: number) {
      const some = Array.from({ length: count }, (_, n) => `${name}-${sent + n},Slow\n`);
      chunk(`${sent === 0 ? 'reference,name\n' : ''}${some.join('')}`);
      sent += count;
    },
    async end() {
      socket.write('0\r\n\r\n');
      await closed;
      return answer;
    },
  };
}

test('a table may take longer to arrive than any other body; one that breaks off stores nothing', async (t) => {
  const served = await serve(t, { requestTimeoutMs: 1_000 });
  const { ask, url, a, said } = served;
  /** What another import is answered: 429 while one is running. */
  const another = async () => {
    const headers = { 'content-type': 'text/csv' };
    const more = { method: 'POST', token: a.admin, body: 'name', headers };
    return (await ask(`${url}/admin/customers`, more)).status;
  };
  const stored = () =>
    withStore(served, async ({ customers }) => {
      const pages = await Array.fromAsync(customers.all(1));
      return pages.flat().filter(({ reference }) => reference.startsWith('slow')).length;
    });
  const slow = await openTable(served, 'slow');
  for (const count of [1_000, 2_000]) {
    slow.send(count);
    await setTimeout(2_500); // more than other bodies have
  }
  assert.match(await slow.end(), /^HTTP\/1\.1 200[\s\S]*"imported":3000/);
  assert.equal(await stored(), 3_000);

  const broken = await openTable(served, 'broken');
  broken.send(1_200);
  await until('its turn is taken', async () => (await another()) === 429);
  broken.socket.destroy();
  await until('its turn is given back', async () => (await another()) === 422);
  assert.equal((await ask(`${url}/admin/customers/broken-0`, { token: a.admin })).status, 404);
  assert.ok(!said.includes('service.failed'));
  const next = await openTable(served, 'next');
  next.send(1);
  assert.match(await next.end(), /^HTTP\/1\.1 200/, 'its turn is given back');
});
