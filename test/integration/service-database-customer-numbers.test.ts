import assert from 'node:assert/strict';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { MAX_NUMBERS } from '../../src/service/people/customer-fields.ts';
import { testOnEachDatabase } from '../tools/servers/each-database.ts';
import { serve } from '../tools/service/harness.ts';
import { browse, textOf, withStore } from '../tools/service/people.ts';

const numbers = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => `+4930901${from + n}`);
const full = customer({ reference: 'full', name: 'Full', numbers: numbers(1000, MAX_NUMBERS) });
const half = customer({ reference: 'half', name: 'Half', numbers: numbers(2000, 60) });
const other = customer({ reference: 'other', name: 'Other', numbers: numbers(3000, 41) });

testOnEachDatabase('no way of adding numbers to a customer makes more than 100', async (t, database) => {
  const served = { ...(await serve(t, { database })), database };
  const { url, ask, a } = served;
  const ada = await browse(served, 'Ada');
  await withStore(served, ({ customers }) => customers.put(1, [full, half, other]));
  const numbersOf = (reference: string) =>
    withStore(served, async ({ customers }) => (await customers.get(1, reference))?.numbers);
  const admin = async (method: string, path: string, body: unknown, headers = {}) =>
    (await ask(`${url}/admin${path}`, { token: a.admin, method, body, headers })).text;
  const send = async (path: string, fields: Record<string, string | readonly string[]>) =>
    textOf((await ada.send(path, fields)).text);

  const fresh = '+4930901999';
  const ways: Record<string, () => Promise<string>> = {
    'a merge': () => send('/person/merge', { customer: 'half', other: 'other' }),
    'a stranger who is a known customer': () =>
      send('/person/name', { number: fresh, name: 'Full', join: 'full' }),
    'the form of a customer': () =>
      send('/person/save', { customer: 'full', number: [...full.numbers, fresh] }),
    'the form of a new customer': () =>
      send('/person/save', { name: 'New', reference: 'new', number: numbers(4000, MAX_NUMBERS + 1) }),
    'a program, with a text for each': () =>
      admin('PUT', '/customers/full', { numbers: [...full.numbers, fresh] }),
    'a program, with several in a text': () =>
      admin('PUT', '/customers/full', { numbers: [...full.numbers.slice(1), `${full.numbers[0]}|${fresh}`] }),
    'a table of a program': () =>
      admin(
        'POST',
        '/customers',
        `reference,numbers\n${[...full.numbers, fresh].map((one) => `full,${one}\n`).join('')}`,
        {
          'content-type': 'text/csv',
        },
      ),
  };
  for (const [way, add] of Object.entries(ways)) {
    const answer = await add();
    assert.match(answer, /A customer can have at most 100 numbers\./, way);
    for (const one of [full, half, other]) assert.deepEqual(await numbersOf(one.reference), one.numbers, way);
    assert.equal(await numbersOf('new'), undefined);
  }
  assert.equal(
    (await ada.send('/person/save', { customer: 'half', number: [...half.numbers, fresh] })).status,
    303,
  );
  assert.equal((await numbersOf('half'))?.length, 61);
});

testOnEachDatabase(
  'a program that sends what is no number is refused, and the numbers stay',
  async (t, database) => {
    const served = { ...(await serve(t, { database })), database };
    const { url, ask, a } = served;
    const put = (all: string[]) =>
      ask(`${url}/admin/customers/7`, { token: a.admin, method: 'PUT', body: { numbers: all } });
    const known = '+4930901999';
    assert.equal((await put([known])).status, 200);
    for (const text of ['00', '+', 'anonymous', 'keine', '?', 'n/a'])
      for (const all of [[text], [text, '+4930901998']]) {
        const { status, text: answer } = await put(all);
        assert.equal(status, 422, text);
        assert.ok(answer.includes(`“${text}”`), answer);
      }
    const { numbers: kept } = JSON.parse((await ask(`${url}/admin/customers/7`, { token: a.admin })).text);
    assert.deepEqual(kept, [known]);
    assert.equal((await put([])).status, 200);
  },
);
