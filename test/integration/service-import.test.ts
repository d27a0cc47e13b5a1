import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languages } from '../../src/service/pages/words/words.ts';
import { customer } from '../../src/service/store/customer.fixture.ts';
import { form, person, visitor, withStore } from './people.ts';
import { type Served, serve } from './service-harness.ts';

const csv = [
  'Kundennr;Vorname;Nachname;Telefon;Handy;Bemerkung',
  '7;Jana;Weiß;040 66969199;0170 1234567;ruft oft an',
  '8;Tom;Ott;030 12345;;',
].join('\n');

/** Sends forms as an administrator of Alpha. */
async function administrator(served: Served, language = 'en') {
  await person(served, { name: 'Ada', role: 'administrator' });
  const { cookie, token } = await visitor(served, 'Ada');
  const headers = { cookie, 'accept-language': language };
  return {
    get: (path: string) => served.ask(`${served.url}${path}`, { headers }),
    post: (path: string, fields: Record<string, string>) =>
      served.ask(`${served.url}${path}`, form(served.url, { token, ...fields }, headers)),
  };
}
const customersOf = (served: Served) =>
  withStore(served, async (store) => (await Array.fromAsync(store.customers.all(1))).flat());

test("a table with somebody's own column names is understood, and each column can be chosen", async (t) => {
  const served = await serve(t);
  const { post, get } = await administrator(served, 'de');
  const { text } = await post('/customers/import', { table: csv });
  const chosen = [...text.matchAll(/<select id="f-column-\d" .*?<\/select>/gs)].map(
    ([select]) => /<option value(?:="(\w*)")? selected/.exec(select)?.[1] ?? '',
  );
  assert.deepEqual(chosen, ['reference', 'name', 'name', 'numbers', 'numbers', '']);
  assert.match(text, /2 neu, 0 geändert, 0 unverändert/);
  assert.match(text, /Jana Weiß/);

  const columns = Object.fromEntries(chosen.map((value, n) => [`column-${n}`, value ?? '']));
  const done = await post('/customers/import', { table: csv, ...columns, 'column-1': '', confirmed: 'yes' });
  assert.match(done.text, /2 Kunden importiert/);
  const jana = (await customersOf(served)).find(({ reference }) => reference === '7');
  assert.deepEqual([jana?.name, jana?.numbers.toSorted()], ['Weiß', ['+491701234567', '+494066969199']]);

  const unclear = await post('/customers/import', { table: 'a,b\nAnn,1' });
  assert.match(unclear.text, /Wählen Sie die Spalte mit den Telefonnummern/);
  const wrong = await post('/customers/import', { table: 'Name,Telefon\nAnn,keine' });
  assert.match(wrong.text, /Zeile 2: .*Keine gültige Telefonnummer: „keine“/);

  const template = await get('/customers/import/template');
  assert.match(String(template.headers['content-disposition']), /customers-template\.csv/);
  assert.match((await post('/customers/import', { table: template.text })).text, /1 neu/);
});

test('a table without names and segments leaves them, and the preview names each change in every language', async (t) => {
  const served = await serve(t);
  const { post } = await administrator(served);
  const known = customer({ name: "Alpha's customer", segment: 'VIP', numbers: ['+4930901820'] });
  assert.deepEqual(await customersOf(served), [known]);
  const same = { table: 'Customer no;Phone\n1;030 901820' };
  const preview = await post('/customers/import', same);
  assert.match(preview.text, /0 new, 0 changed, 1 unchanged/);
  assert.doesNotMatch(preview.text, / → /);
  assert.match((await post('/customers/import', { ...same, confirmed: 'yes' })).text, /1 customer imported/);
  assert.deepEqual(await customersOf(served), [known]);

  const table = 'reference;name;segment;numbers\n2;Bob;;110\n1;;;030 901821|030 901820';
  const { cookie, token } = await visitor(served, 'Ada');
  for (const { language, customers, common, segments, importing } of languages.values()) {
    const headers = { cookie, 'accept-language': language };
    const sent = form(served.url, { token, table }, headers);
    const { text } = await served.ask(`${served.url}/customers/import`, sent);
    const cells = text.replaceAll(/<\/?bdi[^>]*>/g, '').replaceAll('&#39;', "'");
    const changes = [...cells.matchAll(/<div>([^<]+ → [^<]+)<\/div>/g)].map(([, change]) => change);
    assert.deepEqual(
      changes,
      [
        `${common.name}: Alpha's customer → 1`,
        `${segments.segment}: VIP → ${importing.empty}`,
        `${customers.numbers}: +4930901820 → +4930901820, +4930901821`,
      ],
      language,
    );
  }
  await post('/customers/import', { table, confirmed: 'yes' });
  assert.deepEqual(
    (await customersOf(served)).find(({ reference }) => reference === '1'),
    {
      ...{ reference: '1', name: '1', segment: null, numbers: ['+4930901820', '+4930901821'] },
    },
  );
});

test('a form that does not name a field leaves it as it is', async (t) => {
  const served = await serve(t);
  const { post } = await administrator(served);
  const after = async (fields: Record<string, string>) => {
    assert.equal((await post('/customers/save', { before: '1', ...fields })).status, 303);
    return (await customersOf(served))[0];
  };
  const known = customer({ name: "Alpha's customer", segment: 'VIP', numbers: ['+4930901820'] });
  assert.deepEqual(await after({}), known);
  assert.deepEqual(await after({ name: 'Ann' }), { ...known, name: 'Ann' });
  assert.deepEqual(await after({ numbers: '' }), { ...known, name: 'Ann', numbers: [] });
  assert.deepEqual(await after({ segment: '' }), { ...known, name: 'Ann', segment: null, numbers: [] });
  const again = await post('/customers/save', { before: '1', name: '' });
  assert.equal(again.status, 422);
  const nameless = await post('/customers/save', { before: '', numbers: '110' });
  assert.equal(nameless.status, 422, 'a new customer needs a name');
});

test('national numbers without a country are warned about, and read again when the country is set', async (t) => {
  const served = await serve(t);
  const { url, a } = served;
  const sent = { token: a.admin, method: 'PATCH', body: { country: null } };
  assert.equal((await served.ask(`${url}/admin/account`, sent)).status, 200);
  const { post } = await administrator(served);
  const preview = await post('/customers/import', { table: csv });
  assert.match(preview.text, /3 numbers will not be recognised when they call, such as 04066969199/);
  await post('/customers/import', { table: csv, confirmed: 'yes' });
  const numbers = async () =>
    (await customersOf(served)).find(({ reference }) => reference === '7')?.numbers.toSorted();
  assert.deepEqual(await numbers(), ['01701234567', '04066969199']);
  const settings = { account: 'Alpha', country: 'DE', zone: 'Europe/Berlin', within: '20', crm: '' };
  assert.equal((await post('/account/settings', settings)).status, 303);
  assert.deepEqual(await numbers(), ['+491701234567', '+494066969199']);
  assert.equal((await post('/account/settings', { ...settings, country: 'XX' })).status, 422);
});
