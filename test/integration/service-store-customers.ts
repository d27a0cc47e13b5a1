import assert from 'node:assert/strict';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { type Customer, textNames, withChange } from '../../src/service/people/customer-fields.ts';
import { importCustomers, importPlan } from '../../src/service/people/customers-csv.ts';
import { previewImport } from '../../src/service/people/customers-preview.ts';
import { readTable } from '../../src/service/people/import/table.ts';
import { changeAccount } from '../../src/service/settings/change-account.ts';
import type { StoreTests } from './service-store-conformance.ts';

/** What customers and segments ask of every store. */
export const customerTests: StoreTests = {
  async 'a segment of more customers than lose it in one go is removed, and only that one'({
    store: { customers },
    account,
  }) {
    for (const name of ['Gold', 'Lead']) await customers.putSegment(account, { name, priority: 1 });
    const many = Array.from({ length: 1_201 }, (_, n) =>
      customer({
        reference: `r${n}`,
        name: `N${n}`,
        segment: n === 0 ? 'Lead' : 'Gold',
        // Those of some are as many as are changed together, or more with those of the next.
        numbers: Array.from({ length: n % 100 === 0 ? 100 : 0 }, (_, at) => `+4930${900_000 + 100 * n + at}`),
      }),
    );
    await customers.put(account, many);
    assert.deepEqual(
      await Promise.all(['Gold', 'Gold'].map((name) => customers.removeSegment(account, name))).then((all) =>
        all.sort(),
      ),
      [false, true],
    );
    assert.deepEqual(await customers.segments(account), [{ name: 'Lead', priority: 1 }]);
    const stored = (await Array.fromAsync(customers.all(account))).flat();
    assert.equal(stored.length, many.length);
    assert.deepEqual(
      stored.filter(({ segment }) => segment !== null).map(({ reference }) => reference),
      ['r0'],
    );
  },

  async 'segments and customers: what is put is found, what is removed is gone'({
    store: { customers },
    account,
    other,
  }) {
    const priorityOf = async (number: string, of = account) => {
      const { name, segment, priority } = await customers.whoCalls(of, number, 0);
      return name === null ? undefined : { name, segment, priority };
    };
    await customers.putSegment(account, { name: 'Gold', priority: 5 });
    await customers.putSegment(account, { name: 'Gold', priority: 7 });
    await customers.putSegment(account, { name: 'Lead', priority: -1 });
    const [gold, lead] = [
      { name: 'Gold', priority: 7 },
      { name: 'Lead', priority: -1 },
    ];
    assert.deepEqual(await customers.segments(account), [gold, lead]);
    assert.deepEqual(await customers.segments(other), []);
    assert.deepEqual(await customers.missingSegments(account, ['Lead', 'gold', 'Gold', "N'one"]), [
      'gold',
      "N'one",
    ]);
    assert.deepEqual(await customers.missingSegments(other, ['Gold']), ['Gold']);

    const ann = customer({ reference: 'a', name: 'Ann', segment: 'Gold', numbers: ['+491', '+492'] });
    const bob = customer({ reference: 'b', name: 'Bob', numbers: ['+493'] });
    const put = await customers.put(account, [
      ann,
      bob,
      { ...bob, segment: 'None' },
      { ...bob, numbers: ['+491'] },
    ]);
    const taken = { reason: 'number-taken', number: '+491', by: 'Ann' };
    assert.deepEqual(put, [null, null, { reason: 'no-such-segment', segment: 'None' }, taken]);
    assert.deepEqual(await Array.fromAsync(customers.all(account)), [[ann, bob]]);
    const unsegmented = { segment: null, priority: null };
    assert.deepEqual(await priorityOf('+492'), { name: 'Ann', segment: 'Gold', priority: 7 });
    assert.deepEqual(await priorityOf('+493'), { name: 'Bob', ...unsegmented });
    assert.equal(await priorityOf('+492', other), undefined);

    assert.deepEqual(await customers.put(account, [{ ...ann, numbers: ['+494'] }]), [null]);
    assert.equal(await priorityOf('+491'), undefined);
    assert.equal(await customers.removeSegment(account, 'Gold'), true);
    assert.equal(await customers.removeSegment(account, 'Gold'), false);
    assert.deepEqual(await priorityOf('+494'), { name: 'Ann', ...unsegmented });
    assert.equal(await customers.remove(account, 'a'), true);
    assert.equal(await customers.remove(account, 'a'), false);
    assert.deepEqual(await Array.fromAsync(customers.all(account)), [[bob]]);
  },

  async 'customers with the longest texts are stored, found and listed in order, also those who share a name'({
    store: { customers },
    account,
  }) {
    // No two characters alike: a database may compress what repeats.
    const long = (first: number) =>
      String.fromCodePoint(...Array.from({ length: 255 }, (_, n) => first + 31 * n));
    const numbers = Array.from({ length: 100 }, (_, n) => `+49${30_123_456_789 + 7919 ** 2 * n}`);
    // What is searched of this name is many times as long.
    const sharedName = '\ufdfa'.repeat(255);
    const all = [
      customer({ reference: long(0x4e00), name: long(0x5000), numbers }),
      customer({ reference: long(0x20000), name: long(0x20007) }),
      ...['a', 'b', 'c', long(0x4e01)].map((reference) => customer({ reference, name: sharedName })),
    ];
    assert.deepEqual(await customers.put(account, all), Array(all.length).fill(null));
    const listed: string[] = [];
    for (let after: Parameters<typeof customers.page>[0]['after'] = null; ; ) {
      const page = await customers.page({ account, words: [], segment: null, after, limit: 2 });
      listed.push(...page.customers.map(({ reference }) => reference));
      after = page.next;
      if (after === null) break;
    }
    const order = [2, 3, 4, 5, 0, 1].map((at) => all[at]?.reference);
    assert.deepEqual(listed, order);
    const [last = ''] = numbers.slice(-1);
    const found = await customers.page({ account, words: [last], segment: null, after: null, limit: 2 });
    assert.deepEqual(
      found.customers.map(({ reference }) => reference),
      [long(0x4e00)],
    );
    for (const { reference } of all) assert.equal(await customers.remove(account, reference), true);
  },

  async 'a line that may call in two forms is one number of one customer, and found by both'({
    store: { customers },
    account,
  }) {
    const [short, long] = ['+541123456789', '+5491123456789'];
    const ann = customer({ reference: 'a', name: 'Ann', numbers: [long] });
    assert.deepEqual(await customers.put(account, [ann]), [null]);
    for (const number of [short, long]) {
      assert.equal((await customers.whoCalls(account, number, 0)).name, 'Ann', number);
      assert.equal((await customers.withNumber(account, number))?.reference, 'a', number);
      const [refusal] = await customers.put(account, [customer({ reference: 'b', numbers: [number] })]);
      assert.equal(refusal !== 'changed' && refusal?.reason, 'number-taken', number);
    }
    assert.deepEqual((await customers.get(account, 'a'))?.numbers, [short, long]);
    const searched = { account, words: [short.slice(1)], segment: null, after: null, limit: 2 };
    assert.equal((await customers.page(searched)).customers.length, 1);
    assert.deepEqual(await customers.put(account, [{ reference: 'a', numbers: [] }]), [null]);
    assert.equal((await customers.whoCalls(account, long, 0)).name, null);
    // As an earlier version stored a Mexican number.
    await customers.put(account, [{ reference: 'a', numbers: ['5215512345678'] }]);
    assert.equal((await customers.whoCalls(account, '+525512345678', 0)).name, 'Ann');
    await customers.remove(account, 'a');
  },

  async 'customers are replaced together or not at all, and only as they were read'({
    store: { customers },
    account,
    other,
  }) {
    await customers.putSegment(account, { name: 'Gold', priority: 5 });
    const ann = customer({ reference: 'a', name: 'Ann', segment: 'Gold', numbers: ['+491', '+492'] });
    const bob = customer({ reference: 'b', name: 'Bob', numbers: ['+493'] });
    const cid = customer({ reference: 'c', name: 'Cid', numbers: ['+494'] });
    for (const owner of [account, other]) await customers.put(owner, [{ ...ann, segment: null }, bob, cid]);
    await customers.put(account, [ann]);
    const replace = (before: Customer[], after: Customer[]) => customers.replace(account, { before, after });
    const all = async (of = account) => (await Array.fromAsync(customers.all(of))).flat();
    const refused = async (outcome: unknown, before: Customer[], after: Customer[]) => {
      assert.deepEqual(await replace(before, after), outcome);
      assert.deepEqual(await all(), [ann, bob, cid]);
    };
    const both = customer({ ...ann, numbers: [...ann.numbers, ...bob.numbers] });
    await refused('changed', [ann, { ...bob, name: 'Rob' }], [both]);
    await refused('changed', [ann, { ...bob, numbers: [] }], [both]);
    await refused('changed', [ann, customer({ reference: 'd' })], [both]);
    await refused({ reason: 'reference-taken' }, [ann], [{ ...ann, name: 'Anna' }, bob]);
    const taken = { reason: 'number-taken', number: '+494', by: 'Cid' };
    await refused(taken, [ann, bob], [{ ...both, numbers: [...both.numbers, '+494'] }]);
    await refused(taken, [], [customer({ reference: 'd', numbers: ['+494'] })]);
    const noSuch = { reason: 'no-such-segment', segment: 'Tin' };
    await refused(noSuch, [ann, bob], [{ ...both, segment: 'Tin' }]);
    const twice = { reason: 'number-taken', number: '+491', by: 'Ann' };
    await refused(twice, [ann, bob], [ann, { ...bob, numbers: ['+491'] }]);

    const [swapped, also] = [
      { ...ann, numbers: ['+493'] },
      { ...bob, numbers: ['+491', '+492'] },
    ];
    assert.equal(await replace([ann, bob], [swapped, also]), null);
    assert.deepEqual(await all(), [swapped, also, cid]);
    const dan = customer({ reference: 'd', name: 'Dan', numbers: ['+493', '+494'] });
    assert.equal(await replace([swapped, cid], [dan]), null);
    assert.deepEqual(await all(), [also, dan]);
    assert.equal((await customers.whoCalls(account, '+494', 0)).name, 'Dan');
    assert.equal((await all(other)).length, 3);
  },

  async 'a change of a customer leaves what it does not name as it is, also within one batch'({
    store: { customers },
    account,
  }) {
    await customers.putSegment(account, { name: 'Gold', priority: 5 });
    const ann = customer({ reference: 'a', name: 'Ann', segment: 'Gold', numbers: ['+491', '+492'] });
    const put = async (...changes: Parameters<typeof customers.put>[1]) => {
      assert.deepEqual(new Set(await customers.put(account, changes)), new Set([null]));
      return customers.get(account, 'a');
    };
    const a = { reference: 'a' };
    assert.deepEqual(await put(ann), ann);
    assert.deepEqual(await put(a), ann);
    assert.deepEqual(await put({ ...a, numbers: ['+493'] }), { ...ann, numbers: ['+493'] });
    const anna = { ...ann, name: 'Anna', numbers: ['+493'] };
    assert.deepEqual(await put({ ...a, name: 'Anna' }), anna);
    assert.deepEqual(await put({ ...a, segment: null }), { ...anna, segment: null });
    const all = await put({ ...a, segment: 'Gold' }, { ...a, name: 'Ann' }, { ...a, numbers: [] });
    assert.deepEqual(all, { ...ann, numbers: [] });
    // A number that is left where it is belongs to the customer; one that was given up is free for the next.
    await put(ann, { reference: 'b', numbers: ['+494'] });
    const taken = await customers.put(account, [{ reference: 'b', numbers: ['+491'] }]);
    assert.deepEqual(taken, [{ reason: 'number-taken', number: '+491', by: 'Ann' }]);
    await put({ ...a, numbers: ['+492'] }, { reference: 'b', numbers: ['+491'] });
    const named = customer({ reference: 'b', name: 'b', numbers: ['+491'] });
    assert.deepEqual(await customers.get(account, 'b'), named, 'a new customer is named by the reference');
    await put({ ...a, segment: null });
    const page = await customers.page({ account, words: ['ann'], segment: null, after: null, limit: 9 });
    assert.equal(page.customers.length, 1, 'found by the name that was left');
  },

  async 'customers are listed by name, found by every part of what is known of them, page by page'({
    store: { customers },
    account,
    other,
  }) {
    await customers.putSegment(account, { name: 'Gold', priority: 5 });
    const first = { account, words: [] as string[], segment: null, after: null, limit: 9 };
    const list = [
      customer({ reference: '3', name: 'Ärzte am Markt', segment: 'Gold', numbers: ['+4930901820'] }),
      customer({ reference: '1', name: 'bäcker' }),
      customer({ reference: '2', name: 'Bäcker', numbers: ['+4930901830', '123'] }),
      customer({ reference: 'x%_', name: 'Zoo 100% _', segment: 'Gold' }),
    ];
    await customers.put(account, list);
    for (const name of textNames) {
      const named = { reference: 'text', [name]: `its-${name}` };
      await customers.put(account, [named]);
      const { customers: found } = await customers.page({ ...first, words: [`its-${name}`] });
      assert.deepEqual(found, [withChange(undefined, named)]);
      await customers.remove(account, 'text');
    }
    await customers.put(other, [customer({ reference: '9', name: 'Theirs' })]);
    assert.deepEqual(await customers.get(account, '2'), list[2]);
    assert.equal(await customers.get(account, '9'), undefined);
    for (const [words, segment, found] of [
      [[], null, '3 1 2 x%_'],
      [['3090'], null, '3 2'],
      [['arzte', 'markt'], null, '3'],
      [['%'], null, 'x%_'],
      [['backer', '3090'], null, '2'],
      [[], 'Gold', '3 x%_'],
      [[], 'None', ''],
      [['nobody'], null, ''],
    ] as const) {
      const page = await customers.page({ ...first, words: [...words], segment });
      assert.deepEqual(
        [page.customers.map(({ reference }) => reference).join(' '), page.next],
        [found, null],
      );
    }
    const start = await customers.page({ ...first, limit: 2 });
    const rest = await customers.page({ ...first, limit: 2, after: start.next });
    assert.deepEqual([...start.customers, ...rest.customers], list);
    assert.equal(rest.next, null);
  },

  async 'of two changes of a customer as it was read, at the same moment, only one is written'({
    store: { customers },
    account,
  }) {
    const [ann, ...changes] = ['Ann', 'Anna', 'Anne'].map((name) =>
      customer({ reference: 'a', name, numbers: ['+491'] }),
    );
    for (const before of [undefined, ann]) {
      if (before) await customers.put(account, [before]);
      const outcomes = await Promise.all(changes.map((one) => customers.put(account, [one], [before])));
      assert.deepEqual(new Set(outcomes.flat()), new Set([null, 'changed']));
      const written = changes[outcomes.findIndex(([outcome]) => outcome === null)];
      assert.deepEqual(await customers.get(account, 'a'), written);
    }
    const [bob, cid] = ['b', 'c'].map((reference) => customer({ reference, name: reference }));
    assert.ok(ann && bob && cid);
    // What has changed refuses only itself.
    assert.deepEqual(await customers.put(account, [ann, bob], [ann, undefined]), ['changed', null]);
    assert.deepEqual(await customers.put(account, [bob], [undefined]), ['changed'], 'added since');
    assert.deepEqual(await customers.put(account, [cid], [cid]), ['changed'], 'gone');
    assert.equal(await customers.get(account, 'c'), undefined);
  },

  async 'of two imports at the same moment, none overwrites what the other has not seen'({
    store: { customers },
    account,
  }) {
    const names = Array.from({ length: 700 }, (_, n) => `Name ${n}`);
    const tableOf = (suffix: string) =>
      `reference,name\n${names.map((name, n) => `${n + 1},${name}${suffix}`).join('\n')}\n`;
    const mapping = ['reference', 'name'] as const;
    const into = { customers, account, country: null, mapping };
    const suffixes = [' A', ' B'];
    // Once all customers are new, once all are known.
    for (const known of [false, true]) {
      if (known) await importCustomers(tableOf(''), into);
      const previews = await Promise.all(
        suffixes.map((suffix) => previewImport(readTable(tableOf(suffix)), into)),
      );
      const reports = await Promise.all(
        previews.map(({ plan }) => importPlan(plan, { ...into, isSeen: true })),
      );
      const [one, other] = reports;
      assert.equal((one?.imported ?? 0) + (other?.imported ?? 0), names.length);
      assert.equal((one?.refused ?? 0) + (other?.refused ?? 0), names.length);
      for (const { errors } of reports)
        for (const { message } of errors) assert.match(message, /has changed the customer/);
      const all = (await Array.fromAsync(customers.all(account))).flat();
      assert.deepEqual(
        suffixes.map((suffix) => all.filter(({ name }) => name.endsWith(suffix)).length),
        reports.map(({ imported }) => imported),
      );
    }
    const { plan } = await previewImport(readTable(tableOf(' C')), into);
    await customers.put(account, [{ reference: '700', name: 'Edited' }]);
    const { imported, errors } = await importPlan(plan, { ...into, isSeen: true });
    assert.deepEqual([imported, errors.map(({ lines }) => lines)], [699, [[701]]]);
    assert.equal((await customers.get(account, '700'))?.name, 'Edited');
  },

  async 'numbers are read again with a new country, but not those of customers who are edited meanwhile'({
    store,
    account,
  }) {
    const { customers } = store;
    const made = ['a', 'b', 'c'].map((reference, n) =>
      customer({ reference, name: 'Before', numbers: [`0309018${n}`, `+3120123456${n}`] }),
    );
    await customers.put(account, made);
    await customers.putSegment(account, { name: 'Gold', priority: 1 });
    const edited = { ...(made[1] as Customer), name: 'After', numbers: ['+4940123456'] };
    const moved = { ...(made[2] as Customer), segment: 'Gold' };
    const all = async function* (of: number) {
      for await (const chunk of customers.all(of)) {
        await customers.put(account, [edited, moved]);
        yield chunk;
      }
    };
    const between = { ...store, customers: { ...customers, all } };
    await changeAccount(between, { id: account, name: 'A', country: null }, { country: 'DE' });
    const now = async (reference: string) => customers.get(account, reference);
    assert.deepEqual((await now('a'))?.numbers, ['+31201234560', '+493090180']);
    assert.deepEqual(await now('b'), edited);
    assert.equal((await now('c'))?.segment, 'Gold');
    const page = await customers.page({ account, words: ['309018'], segment: null, after: null, limit: 9 });
    assert.equal(page.customers.length, 2);
  },
};
