import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { DatabaseSettings } from '../../src/service/database/open-store.ts';
import type { PriorityResult } from '../../src/shared/api/contract/phone-number.ts';
import { event, serve } from '../tools/service/harness.ts';
import { browse, withStore } from '../tools/service/people.ts';
import { report } from '../tools/service/recorded-request.ts';

const [known, mobile, stranger] = ['+4930901820', '+491713920000', '+4940669690109'];

/** What lookups say of callers besides the priority, on a database. */
export function lookupTests(engine: string, freshDatabase: () => Promise<DatabaseSettings>): void {
  const scene = async (t: TestContext) => {
    const database = await freshDatabase();
    const served = { ...(await serve(t, { database })), database };
    const { ask, post, a, url } = served;
    const lookUp = async (number: string) => {
      const { status, json } = await ask(`/voice/priority?number=${encodeURIComponent(number)}`, a);
      assert.equal(status, 200);
      return json as PriorityResult;
    };
    let calls = 0;
    const call = async (from: string, extension?: string) => {
      const id = `call-${++calls}`;
      await post(a.token, event({ id, from }));
      if (extension) await post(a.token, event({ id, from, status: 'answered', caller_id: extension }));
      await post(a.token, event({ id, from, status: 'completed' }));
    };
    const admin = async (method: string, path: string, body: unknown) => {
      const answer = await ask(`${url}/admin${path}`, { token: a.admin, method, body });
      assert.ok(answer.status < 300, answer.text);
      return answer.json as Record<string, unknown>;
    };
    const [customer] = (await ask(`${url}/admin/customers`, { token: a.admin })).text.split('\r\n').slice(1);
    const [reference = ''] = (customer ?? '').split(',');
    return { ...served, lookUp, call, admin, reference };
  };

  test(`${engine}: who spoke last with a stranger, or with a customer by whichever number`, async (t) => {
    const { lookUp, call, admin, reference, post, a } = await scene(t);
    assert.deepEqual(await lookUp(known), {
      priority: 10,
      segment: 'VIP',
      name: "Alpha's customer",
      language: null,
      blocked: false,
      last_extension: null,
      last_answered_at: null,
      callback_extension: null,
    });
    await admin('PUT', `/customers/${reference}`, { numbers: [known, mobile] });
    await call(known, '1001');
    await call(mobile, '1002');
    await call(known);
    await call(stranger, '1003');
    const before = Date.now();
    assert.equal((await lookUp(known)).last_extension, '1002', 'a missed call is none');
    assert.equal((await lookUp(mobile)).last_extension, '1002');
    const { last_extension, last_answered_at, name } = await lookUp(stranger);
    assert.deepEqual([last_extension, name], ['1003', null]);
    assert.ok(last_answered_at !== null && last_answered_at <= before && last_answered_at > before - 600_000);
    assert.equal((await lookUp('+4940669690108')).last_extension, null);
    await call('0', '1001');
    assert.equal((await lookUp('0')).last_extension, null, 'stands for a withheld number');
    const handed = event({ id: 'handed', from: '+4940669690106', status: 'answered', caller_id: '1001' });
    await post(a.token, handed);
    const talked = [
      { by: '1001', from: 1_000, to: 20_000 },
      { by: '1002', from: 20_000, to: 60_000 },
      { by: '1003', from: 30_000, to: 31_000 },
    ];
    await post(a.token, { ...handed, status: 'completed', extras: { talked } });
    assert.equal((await lookUp('+4940669690106')).last_extension, '1002', 'the caller was handed on');
    await call('+4940669690107', 'forgotten');
    assert.equal((await lookUp('+4940669690107')).last_extension, null, 'stands for a forgotten mobile');
  });

  test(`${engine}: who has promised to call back, until that is done`, async (t) => {
    const served = await scene(t);
    const { lookUp, call, admin, reference } = served;
    const extension = async (number: string) => (await lookUp(number)).callback_extension;
    const anna = await browse(served, 'Anna', { role: 'agent' });
    const act = (kind: string, number: string) => anna.send('/call-back', { kind, number });
    for (const number of [known, stranger]) {
      await call(number);
      assert.equal(await extension(number), null);
      await act('taken', number);
      assert.equal(await extension(number), null, 'Anna has no extension');
    }
    await admin('PUT', '/extensions/1007', { name: '', user: anna.user.uid });
    for (const number of [known, stranger]) assert.equal(await extension(number), '1007');
    await act('released', known);
    assert.equal(await extension(known), null);
    await act('taken', known);
    await call(known, '1001');
    assert.equal(await extension(known), null, 'the caller got through');
    await call(known);
    assert.equal(await extension(known), '1007', 'and was missed again: as under Call back');
    await admin('PUT', `/customers/${reference}`, { numbers: [known, mobile] });
    assert.equal(await extension(mobile), '1007', 'from another number');
    await act('done', stranger);
    assert.equal(await extension(stranger), null);
    await act('reopened', stranger);
    assert.equal(await extension(stranger), '1007', 'the promise is open again');
  });

  test(`${engine}: a lookup reads the newest of very many missed calls and actions of a number`, async (t) => {
    const served = await scene(t);
    const { lookUp, call, admin } = served;
    const anna = await browse(served, 'Anna', { role: 'agent' });
    await admin('PUT', '/extensions/1007', { name: '', user: anna.user.uid });
    for (const number of [known, stranger]) {
      await call(number);
      await anna.send('/call-back', { kind: 'taken', number });
    }
    const isKept = async (number: string) => (await lookUp(number)).callback_extension === '1007';
    await withStore(served, async (store) => {
      const account = anna.user.account;
      let at = Date.now();
      const fax = async () => {
        const id = `fax-${++at}`;
        const missed = { where: 'fax', name: null, by: null, after: null, at: null } as const;
        const extras = { missed, numberCalled: null, line: null };
        await report(store, { account, id, status: 'ringing', at, from: known });
        await report(store, { account, id, status: 'completed', at, from: known, extras });
      };
      const act = (kind: 'note' | 'tried') =>
        store.callers.act(account, { number: stranger, at: ++at, user: '101', kind, text: null });
      for (let n = 1; n < 100; n += 1) await fax();
      assert.equal(await isKept(known), true, 'the one before 99 of a fax machine');
      await fax();
      assert.equal(await isKept(known), false);
      for (let n = 1; n <= 200; n += 1) await act('tried');
      assert.equal(await isKept(stranger), true, 'however often she was not reached');
      for (let n = 1; n < 100; n += 1) await act('note');
      assert.equal(await isKept(stranger), true, 'before 299 others');
      await act('note');
      assert.equal(await isKept(stranger), false);
    });
  });

  test(`${engine}: language and blocked, set at /admin, by a table and on the customer's page`, async (t) => {
    const served = await scene(t);
    const { lookUp, admin, ask, url, a, reference } = served;
    const said = async (number: string) => {
      const { language, blocked } = await lookUp(number);
      return [language, blocked];
    };
    const put = await admin('PUT', `/customers/${reference}`, { language: 'DE', blocked: true });
    assert.deepEqual([put.language, put.blocked], ['de', true]);
    assert.deepEqual(await said(known), ['de', true]);
    const wrong = { token: a.admin, method: 'PUT', body: { language: 'xx' } };
    assert.equal((await ask(`${url}/admin/customers/${reference}`, wrong)).status, 422);
    await admin('PUT', `/customers/${reference}`, { name: 'Ann' });
    assert.deepEqual(await said(known), ['de', true], 'what is not named stays');

    const table = `reference,numbers,language,blocked\n${reference},,fr-CH,no\nx1,${stranger},German,yes\n`;
    const headers = { 'content-type': 'text/csv' };
    const { json } = await ask(`${url}/admin/customers`, {
      token: a.admin,
      method: 'POST',
      body: table,
      headers,
    });
    const { imported, warnings } = json as { imported: number; warnings: { message: string }[] };
    assert.equal(imported, 2);
    assert.match(warnings.map(({ message }) => message).join(), /language: “German” is none of its values/);
    assert.deepEqual(await said(stranger), [null, true]);
    const exported = (await ask(`${url}/admin/customers`, { token: a.admin })).text;
    assert.match(exported, /^reference,name,segment,numbers,language,blocked\r\n/);
    assert.match(exported, /,fr,\r\n/);
    assert.match(exported, /,,yes\r\n/);

    const boss = await browse(served, 'Boss');
    const eve = await browse(served, 'Eve', { role: 'agent' });
    await eve.send('/person/save', { customer: reference, language: 'nl', blocked: 'yes' });
    await admin('PUT', `/customers/${reference}`, { numbers: [known] });
    assert.deepEqual(await said(known), ['nl', true]);
    const { plain } = await eve.read(`/person?customer=${reference}`);
    assert.match(plain, /Language Dutch/);
    assert.match(plain, /Calls blocked Yes/);
    assert.equal((await eve.send('/person/save', { customer: reference, language: 'Dutch' })).status, 422);
    await eve.send('/person/save', { customer: reference, blocked: '' });
    assert.deepEqual(await said(known), ['nl', false]);
    await eve.send('/person/name', { number: mobile, name: 'Robot', blocked: 'yes' });
    assert.deepEqual(await said(mobile), [null, true]);
    const robot = /customer=([^"&]+)/.exec(
      (await boss.read(`/person?number=${encodeURIComponent(mobile)}&edit=`)).text,
    )?.[1];
    const merge = await boss.send('/person/merge', { customer: reference, other: robot ?? '' });
    assert.equal(merge.status, 409);
    assert.match(merge.text, /Calls of only one of the two are blocked/);
    await eve.send('/person/name', {
      number: '+4940669690105',
      name: 'Ann',
      blocked: 'yes',
      join: reference,
    });
    assert.deepEqual(await said('+4940669690105'), ['nl', true], 'it was chosen for whoever it is');
  });
}
