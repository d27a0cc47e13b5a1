import assert from 'node:assert/strict';
import { testOnEachDatabase } from '../tools/servers/each-database.ts';
import { serve } from '../tools/service/harness.ts';
import { browse, withStore } from '../tools/service/people.ts';

testOnEachDatabase('a reference is taken as the list of customers gives it', async (t, database) => {
  const { ask, url, a } = await serve(t, { database });
  const put = (address: string, body: unknown) =>
    ask(`${url}/admin/customers/${address}`, { token: a.admin, method: 'PUT', body });
  for (const body of [
    'reference,name,numbers\n,Ann,030 3333333\n',
    "reference,name,numbers\n'n/a,Bob,030 3333334\n",
  ])
    await ask(`${url}/admin/customers`, {
      token: a.admin,
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body,
    });
  const listed = async () =>
    (await ask(`${url}/admin/customers`, { token: a.admin })).text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',').slice(0, 2));
  const before = await listed();
  assert.ok(before.some(([reference]) => reference === "'+49303333333"));
  for (const [reference = '', name] of before) {
    const address = encodeURIComponent(reference);
    assert.equal((await put(address, { reference, name: `${name} X` })).status, 200, reference);
    const { json } = await ask(`${url}/admin/customers/${address}`, { token: a.admin });
    assert.equal((json as { name: string }).name, `${name} X`);
  }
  assert.deepEqual(
    await listed(),
    before.map(([reference, name]) => [reference, `${name} X`]),
  );
  const { json } = await ask(`${url}/admin/customers/${encodeURIComponent('+49303333333')}`, {
    token: a.admin,
  });
  assert.deepEqual((json as { numbers: string[] }).numbers, ['+49303333333']);
  // A customer who is called so is meant before any other.
  assert.equal((await put("''x", { name: 'Eve' })).status, 200);
  assert.equal((await put(encodeURIComponent("'=1"), { name: 'New' })).status, 200);
  assert.ok((await listed()).some(([reference]) => reference === "'=1"));
  assert.equal(
    (await ask(`${url}/admin/customers/${encodeURIComponent("'=1")}`, { token: a.admin, method: 'DELETE' }))
      .status,
    204,
  );
});

testOnEachDatabase('the names of imported lines are stored as they are put together', async (t, database) => {
  const served = { ...(await serve(t, { database })), database };
  const ada = await browse(served, 'Ada');
  const namesAfter = async (table: string) => {
    await ada.send('/customers/import', { table, confirmed: 'yes' });
    return withStore(served, async ({ customers }) =>
      (await Array.fromAsync(customers.all(1)))
        .flat()
        .flatMap(({ reference, name }) => (/^K/.test(reference) ? [name] : [])),
    );
  };
  const firms = 'No.;Company;Contact;Phone No.\nK1;Ott KG;Eve Ott;030 3333331\nK2;;Max Fox;030 3333332';
  for (let time = 0; time < 2; time += 1) assert.deepEqual(await namesAfter(firms), ['Ott KG', 'Max Fox']);
  assert.deepEqual(
    await namesAfter(
      'Código;Nombre;Apellidos;Nombre comercial;Teléfono\nK1;Ana;García;Bar García;030 3333331',
    ),
    ['Ana García Bar García', 'Max Fox'],
  );
});
