import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createKeys, serverSecret } from '../../src/service/accounts/keys.ts';
import { type DatabaseSettings, openStore } from '../../src/service/database/open-store.ts';
import type { Customer } from '../../src/service/people/customer-fields.ts';
import { importCustomers } from '../../src/service/people/customers-csv.ts';
import { forgetNumber } from '../../src/service/people/forget-number.ts';
import { startService } from '../../src/service/service.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { type Answer, event, options, serve } from '../tools/service/harness.ts';
import { browse, form, person, textOf } from '../tools/service/people.ts';

const ROUNDS = 25;

/** Whether a request was done, and what it said. */
type Done = { readonly ok: boolean; readonly said: string };

/** A round of a pair: customers A (a1, a2) and B (b1, b2) of their own, and numbers without a customer. */
type Round = {
  readonly a: string;
  readonly b: string;
  number(name: string): string;
  /** Calls from a number, which nobody answers. */
  miss(name: string): Promise<unknown>;
  /** The uid of a third user, Cay. */
  readonly cay: string;
  /** A form of a user's page; `colleague`: of another user. */
  send(path: string, fields: Record<string, string | readonly string[]>, who?: 'colleague'): Promise<Done>;
  admin(method: string, path: string, body?: unknown): Promise<Done>;
  /** A table by /admin, and by the command line beside the service. */
  table(csv: string): Promise<Done>;
  command: { table(csv: string): Promise<Done>; forget(number: string): Promise<Done> };
};

/** What there is after both. */
type After = {
  readonly first: Done;
  readonly second: Done;
  /** Of the round, by reference. */
  readonly customers: ReadonlyMap<string, Customer>;
  /** Numbers of all of them, by the names of `number`; a number that two customers have is an error. */
  readonly numbers: string;
  /** What users did about these, oldest first: `taken Ann`. */
  acts(...names: string[]): Promise<string[]>;
};

type Pair = {
  /** Made before each round, besides the customers. */
  before?(round: Round): Promise<unknown>;
  first(round: Round): Promise<Done>;
  second(round: Round): Promise<Done>;
  check(after: After, round: Round): void | Promise<void>;
};

const merge = ({ send }: Round, into: string, other: string, who?: 'colleague') =>
  send('/person/merge', { customer: into, other }, who);

/** A user's form of A or B as it is before the round, with one more number. */
const edit = ({ send, number }: Round, which: 'a' | 'b', reference: string, added: string) =>
  send(
    '/person/save',
    {
      customer: reference,
      name: `${which} edited`,
      number: [`${which}1`, `${which}2`, added].map(number),
      read: JSON.stringify({
        reference,
        name: reference,
        segment: null,
        numbers: [number(`${which}1`), number(`${which}2`)],
      }),
    },
    'colleague',
  );

const join = ({ send, a, number }: Round, stranger: string, who?: 'colleague') =>
  send('/person/name', { number: number(stranger), name: 'A', join: a }, who);

/** A button of Call back about a number; `taker`: whom the page showed as calling back. */
const callBack = (
  { send, number }: Round,
  kind: 'taken' | 'released' | 'done' | 'note' | 'tried 15' | 'remind 60',
  name: string,
  { taker = '', who, ...fields }: { taker?: string; who?: 'colleague'; to?: string; text?: string } = {},
) => send('/call-back', { number: number(name), kind, taker, ...fields }, who);

/** All numbers are there, those of the second request if it was done. */
const noneLost =
  (added: string) =>
  ({ first, second, numbers }: After) => {
    assert.ok(first.ok || second.ok, 'nobody was quicker');
    assert.equal(numbers, `a1 a2 b1 b2${second.ok ? ` ${added}` : ''}`);
  };

const pairs: Readonly<Record<string, Pair>> = {
  'A takes B, and B takes A': {
    first: (round) => merge(round, round.a, round.b),
    second: (round) => merge(round, round.b, round.a, 'colleague'),
    check({ first, second, customers, numbers }) {
      assert.equal(numbers, 'a1 a2 b1 b2');
      assert.equal(customers.size, 1);
      assert.ok(first.ok !== second.ok, 'one of them gets an error');
    },
  },
  'two strangers are added to A': {
    first: (round) => join(round, 's1'),
    second: (round) => join(round, 's2', 'colleague'),
    check({ first, second, numbers }) {
      assert.ok(first.ok || second.ok);
      assert.equal(numbers, `a1 a2 b1 b2${first.ok ? ' s1' : ''}${second.ok ? ' s2' : ''}`);
    },
  },
  'A takes B, and B is edited': {
    first: (round) => merge(round, round.a, round.b),
    second: (round) => edit(round, 'b', round.b, 's1'),
    check: noneLost('s1'),
  },
  'A takes B, and A is edited': {
    first: (round) => merge(round, round.a, round.b),
    second: (round) => edit(round, 'a', round.a, 's1'),
    check(after) {
      noneLost('s1')(after);
      if (after.second.ok)
        assert.match([...after.customers.values()].map(({ name }) => name).join(), /a edited/);
    },
  },
  'A takes B, and a stranger is added to A': {
    first: (round) => merge(round, round.a, round.b),
    second: (round) => join(round, 's1', 'colleague'),
    check: noneLost('s1'),
  },
  'A takes B, and a table has B': {
    first: (round) => merge(round, round.a, round.b),
    second: ({ table, b, number }) =>
      table(`reference,numbers\n${b},${['b1', 'b2', 's1'].map(number).join('|')}\n`),
    check({ first, second, numbers }) {
      assert.ok(first.ok || second.ok, 'nobody was quicker');
      // After the merge, B is a new customer, without the numbers that A has now: they are named.
      assert.equal(numbers, `a1 a2 b1 b2${/"imported":1/.test(second.said) ? ' s1' : ''}`);
    },
  },
  'A takes B, and somebody writes a note about B': {
    first: (round) => merge(round, round.a, round.b),
    second: (round) => callBack(round, 'note', 'b1', { text: 'He will call again', who: 'colleague' }),
    async check({ first, second, numbers, acts }) {
      assert.ok(first.ok && second.ok, first.said + second.said);
      assert.equal(numbers, 'a1 a2 b1 b2');
      assert.deepEqual(await acts('b1'), ['note Ben']);
    },
  },
  'two take one missed person, who called from two numbers': {
    before: ({ miss }) => Promise.all([miss('a1'), miss('a2')]),
    first: (round) => callBack(round, 'taken', 'a1'),
    second: (round) => callBack(round, 'taken', 'a2', { who: 'colleague' }),
    async check({ first, second, acts }) {
      assert.ok(first.ok !== second.ok, 'one of them gets an error');
      if (first.ok) assert.match(second.said, /^409 Ann is calling back already/);
      else assert.match(first.said, /^409 Ben is calling back already/);
      assert.deepEqual(await acts('a1', 'a2'), [first.ok ? 'taken Ann' : 'taken Ben']);
    },
  },
  'a missed person is taken over, and given to a third user': {
    async before(round) {
      await round.miss('s1');
      await callBack(round, 'taken', 's1');
    },
    first: (round) => callBack(round, 'taken', 's1', { taker: 'Ann', to: round.cay }),
    second: (round) => callBack(round, 'taken', 's1', { taker: 'Ann', who: 'colleague' }),
    async check({ first, second, acts }) {
      assert.ok(first.ok !== second.ok, 'one of them gets an error');
      if (first.ok) assert.match(second.said, /^409 Cay is calling back already/);
      else assert.match(first.said, /^409 Ben is calling back already/);
      assert.deepEqual(await acts('s1'), ['taken Ann', first.ok ? 'taken Cay' : 'taken Ben']);
    },
  },
  'a missed person is taken over, and released': {
    async before(round) {
      await round.miss('s1');
      await callBack(round, 'taken', 's1');
    },
    first: (round) => callBack(round, 'released', 's1', { taker: 'Ann' }),
    second: (round) => callBack(round, 'taken', 's1', { taker: 'Ann', who: 'colleague' }),
    async check({ first, second, acts }) {
      assert.ok(second.ok, second.said);
      if (!first.ok) assert.match(first.said, /^409 Ben is calling back already/);
      assert.deepEqual(await acts('s1'), ['taken Ann', ...(first.ok ? ['released Ann'] : []), 'taken Ben']);
    },
  },
  'a missed person is done, and taken': {
    before: ({ miss }) => miss('s1'),
    first: (round) => callBack(round, 'done', 's1'),
    second: (round) => callBack(round, 'taken', 's1', { who: 'colleague' }),
    async check({ first, second, acts }) {
      assert.ok(first.ok, first.said);
      assert.deepEqual((await acts('s1')).toSorted(), ['done Ann', ...(second.ok ? ['taken Ben'] : [])]);
      if (!second.ok) assert.match(second.said, /^409 Somebody else changed this/);
    },
  },
  'a missed person is not reached, and taken over': {
    async before(round) {
      await round.miss('s1');
      await callBack(round, 'taken', 's1');
    },
    first: (round) => callBack(round, 'tried 15', 's1', { taker: 'Ann' }),
    second: (round) => callBack(round, 'taken', 's1', { taker: 'Ann', who: 'colleague' }),
    async check({ first, second, acts }) {
      assert.ok(second.ok, second.said);
      if (!first.ok) assert.match(first.said, /^409 Ben is calling back already/);
      assert.deepEqual(await acts('s1'), ['taken Ann', ...(first.ok ? ['tried Ann'] : []), 'taken Ben']);
    },
  },
  'two want to be reminded of one missed person': {
    before: ({ miss }) => miss('s1'),
    first: (round) => callBack(round, 'remind 60', 's1'),
    second: (round) => callBack(round, 'remind 60', 's1', { who: 'colleague' }),
    async check({ first, second, acts }) {
      assert.ok(first.ok !== second.ok, 'one of them gets an error');
      if (first.ok) assert.match(second.said, /^409 Ann is calling back already/);
      else assert.match(first.said, /^409 Ben is calling back already/);
      assert.deepEqual(await acts('s1'), [first.ok ? 'remind Ann' : 'remind Ben']);
    },
  },
  'a missed person is not reached, and done': {
    before: ({ miss }) => miss('s1'),
    first: (round) => callBack(round, 'tried 15', 's1'),
    second: (round) => callBack(round, 'done', 's1', { who: 'colleague' }),
    async check({ first, second, acts }) {
      assert.ok(second.ok, second.said);
      assert.deepEqual((await acts('s1')).toSorted(), ['done Ben', ...(first.ok ? ['tried Ann'] : [])]);
      if (!first.ok) assert.match(first.said, /^409 Somebody else changed this/);
    },
  },
  'a1 is forgotten, and A is edited': {
    first: ({ command, number }) => command.forget(number('a1')),
    second: (round) => edit(round, 'a', round.a, 's1'),
    check({ first, second, numbers }) {
      assert.ok(first.ok);
      assert.equal(numbers, `a2 b1 b2${second.ok ? ' s1' : ''}`);
    },
  },
  'a1 is forgotten, and a table has A': {
    first: ({ command, number }) => command.forget(number('a1')),
    second: ({ table, a, number }) =>
      table(`reference,numbers\n${a},${['a2', 's1'].map(number).join('|')}\n`),
    check({ first, second, numbers }) {
      assert.ok(first.ok && second.ok);
      assert.equal(numbers, 'a2 b1 b2 s1');
    },
  },
  'a table has the name of A, and another table its numbers': {
    first: ({ command, a }) => command.table(`reference,name\n${a},Imported\n`),
    second: ({ table, a, number }) =>
      table(`reference,numbers\n${a},${['a1', 's1'].map(number).join('|')}\n`),
    check({ first, second, customers, numbers }, { a }) {
      assert.ok(first.ok && second.ok);
      assert.equal(customers.get(a)?.name, 'Imported');
      assert.equal(numbers, 'a1 b1 b2 s1');
    },
  },
  'a table has the name of A, and a program puts its numbers': {
    first: ({ table, a }) => table(`reference,name\n${a},Imported\n`),
    second: ({ admin, a, number }) => admin('PUT', `/customers/${a}`, { numbers: [number('s1')] }),
    check({ first, second, customers, numbers }, { a }) {
      assert.ok(first.ok && second.ok, second.said);
      assert.equal(customers.get(a)?.name, 'Imported');
      assert.equal(numbers, 'b1 b2 s1');
    },
  },
  'A is edited, and a program puts its numbers': {
    first: (round) => edit(round, 'a', round.a, 's1'),
    second: ({ admin, a, number }) => admin('PUT', `/customers/${a}`, { numbers: ['a1', 's2'].map(number) }),
    check({ first, second, numbers }) {
      assert.ok(first.ok || second.ok);
      if (!first.ok) assert.equal(numbers, 'a1 b1 b2 s2');
      if (!second.ok) assert.equal(numbers, 'a1 a2 b1 b2 s1');
    },
  },
  'two programs put the numbers of A': {
    first: ({ admin, a, number }) => admin('PUT', `/customers/${a}`, { numbers: [number('s1')] }),
    second: ({ admin, a, number }) => admin('PUT', `/customers/${a}`, { numbers: [number('s2')] }),
    check({ first, second, numbers }) {
      assert.ok(first.ok || second.ok);
      assert.match(numbers, first.ok && second.ok ? /^b1 b2 s[12]$/ : first.ok ? /^b1 b2 s1$/ : /^b1 b2 s2$/);
      for (const { ok, said } of [first, second]) assert.ok(ok || said.startsWith('409'), said);
    },
  },
  'two programs put different fields of A': {
    first: ({ admin, a, number }) => admin('PUT', `/customers/${a}`, { numbers: [number('s1')] }),
    second: ({ admin, a }) => admin('PUT', `/customers/${a}`, { name: 'Put' }),
    check({ first, second, customers, numbers }, { a }) {
      assert.ok(first.ok && second.ok, first.said + second.said);
      assert.deepEqual([customers.get(a)?.name, numbers], ['Put', 'b1 b2 s1']);
    },
  },
  'a program removes A, and another puts its name': {
    first: ({ admin, a }) => admin('DELETE', `/customers/${a}`),
    second: ({ admin, a }) => admin('PUT', `/customers/${a}`, { name: 'Put' }),
    check({ first, second, customers, numbers }, { a }) {
      assert.ok(first.ok, first.said);
      // Put after it, it is another customer.
      if (customers.has(a)) assert.ok(second.ok);
      assert.equal(numbers, 'b1 b2');
    },
  },
  'a segment is removed, and A is put into it': {
    first: ({ admin, a }) => admin('DELETE', `/segments/${a}`),
    second: ({ admin, a }) => admin('PUT', `/customers/${a}`, { segment: a, name: 'Put' }),
    check({ first, second, customers, numbers }, { a }) {
      assert.ok(first.ok, first.said);
      assert.equal(numbers, 'a1 a2 b1 b2');
      assert.equal(customers.get(a)?.segment, null);
      assert.ok(second.ok || second.said.startsWith('422'), second.said);
      assert.equal(customers.get(a)?.name, second.ok ? 'Put' : a);
    },
  },
  'a segment is removed, and a user wants to hear of its missed calls': {
    first: ({ admin, a }) => admin('DELETE', `/segments/${a}`),
    second: ({ send, a }) => send('/notifications', { address: '', push: '0', segments: a }, 'colleague'),
    async check({ first, second }, { admin, send, a }) {
      // Who chose it first is named to who removes it; chosen and removed at once, it stays chosen, and matches nothing.
      assert.ok(first.ok || /^409 .*notifications of Ben/.test(first.said), first.said);
      assert.ok(second.ok || second.said.startsWith('422'), second.said);
      assert.ok(first.ok || second.ok);
      if (first.ok) await admin('PUT', `/segments/${a}`, { priority: 1 });
      const again = await admin('DELETE', `/segments/${a}`);
      assert.equal(again.ok, !second.ok, again.said);
      await send('/notifications', { address: '' }, 'colleague');
    },
  },
};

/** What two who act at the same moment make of an account's customers, with each engine. */
export function pairTests(engine: string, open: (t: TestContext) => Promise<DatabaseSettings>): void {
  test(`${engine}: whatever two do at the same moment, nothing is lost, and the later one gets an error`, async (t) => {
    const database = await open(t);
    const served = { ...(await serve(t, { database })), database };
    const { url, ask, post, a: account, stateDir } = served;
    const [ann, ben] = [await browse(served, 'Ann'), await browse(served, 'Ben')];
    const { user: cay } = await person(served, { name: 'Cay' });
    // With PostgreSQL, colleagues are at another process.
    const other = database && (await startService({ ...options(stateDir), database }, { log: silentLog }));
    t.after(() => other?.stop());
    const elsewhere = other?.url ?? url;
    // Beside the service, as a command.
    const store = await openStore({ stateDir, database, retention: {} }, createKeys(serverSecret(stateDir)));
    t.after(() => store.close());
    const id = ann.user.account;

    const done = ({ status, text, headers }: Answer): Done => {
      assert.ok(status < 500, `${status} ${text}`);
      const alert = /role="alert"[^>]*>([\s\S]*?)<\/p>/.exec(text)?.[1];
      const words = alert === undefined ? text : textOf(alert).trim();
      return { ok: status < 400, said: `${status} ${headers.location ?? words.slice(0, 300)}` };
    };
    const asAdmin = async (method: string, path: string, body?: unknown, headers = {}) =>
      done(
        await ask(`${url}/admin${path}`, {
          token: account.admin,
          method,
          headers,
          ...(body !== undefined && { body }),
        }),
      );
    const table = async (csv: string): Promise<Done> => {
      const answer = await asAdmin('POST', '/customers', csv, { 'content-type': 'text/csv' });
      return { ...answer, ok: answer.ok && /"refused":0,.*"warnings":\[\]/.test(answer.said) };
    };

    let pair = 0;
    for (const [name, { before, first, second, check }] of Object.entries(pairs)) {
      pair += 1;
      await t.test(name, async () => {
        const of = (n: number, index: number) => `+49309${100_000 + (pair * ROUNDS + n) * 10 + index}`;
        const names = ['a1', 'a2', 'b1', 'b2', 's1', 's2'];
        const rounds = Array.from(
          { length: ROUNDS },
          (_, n): Round => ({
            a: `A${pair}-${n}`,
            b: `B${pair}-${n}`,
            number: (one) => of(n, names.indexOf(one)),
            async miss(one) {
              const from = of(n, names.indexOf(one));
              for (const status of ['ringing', 'completed'])
                await post(account.token, event({ id: from, from, status }));
            },
            cay: cay.uid,
            async send(path, fields, who) {
              const { cookie, token } = who === 'colleague' ? ben : ann;
              const at = who === 'colleague' ? elsewhere : url;
              return done(await ask(at + path, form(at, { token, ...fields }, { cookie })));
            },
            admin: asAdmin,
            table,
            command: {
              async table(csv) {
                const into = { customers: store.customers, account: id, country: 'DE' };
                const { refused, left } = await importCustomers(csv, into);
                return { ok: refused + left === 0, said: `${refused} refused, ${left} numbers left out` };
              },
              async forget(number) {
                await forgetNumber(store, id, number);
                return { ok: true, said: '' };
              },
            },
          }),
        );
        const lines = rounds.flatMap(({ a, b, number }) => [
          `${a},${number('a1')}|${number('a2')}`,
          `${b},${number('b1')}|${number('b2')}`,
        ]);
        assert.ok((await table(`reference,numbers\n${lines.join('\n')}\n`)).ok);
        for (const round of rounds) await store.customers.putSegment(id, { name: round.a, priority: 1 });
        await Promise.all(rounds.map((round) => before?.(round)));

        for (const [n, round] of rounds.entries()) {
          // Who is first takes turns.
          const both = n % 2 === 0 ? [first(round), second(round)] : [second(round), first(round)];
          const outcomes = await Promise.all(both);
          const [one, two] = (n % 2 === 0 ? outcomes : outcomes.toReversed()) as [Done, Done];
          const customers = new Map<string, Customer>();
          for (const reference of [round.a, round.b]) {
            const customer = await store.customers.get(id, reference);
            if (customer !== undefined) customers.set(reference, customer);
          }
          const all = [...customers.values()].flatMap(({ numbers }) => numbers);
          const numbers = names.filter((each) => all.includes(round.number(each))).join(' ');
          const after = { first: one, second: two, customers, numbers };
          const acts = async (...names: string[]) => {
            const of = names.map((name) => store.callers.actions(id, { numbers: [round.number(name)] }, 9));
            return (await Promise.all(of)).flat().map(({ kind, user }) => `${kind} ${user}`);
          };
          try {
            await check({ ...after, acts }, round);
          } catch (error) {
            const what = JSON.stringify({ ...after, customers: [...customers.values()] });
            throw new Error(`round ${n}: ${(error as Error).message}\n${what}`, { cause: error });
          }
        }
        for (const round of rounds) await store.customers.removeSegment(id, round.a);
      });
    }
  });
}
