import { isDeepStrictEqual } from 'node:util';
import { storedForms } from '../../shared/phone-number/same-line.ts';
import { accountLimits, limitReached, tooManySegments } from '../accounts/limits.ts';
import { hasId, inStepsById, keysOf, type Statements, type Value } from '../store/statements.ts';
import {
  type Customer,
  type CustomerChange,
  listedNumbers,
  MAX_NUMBERS,
  textNames,
} from './customer-fields.ts';

export type Segment = { readonly name: string; readonly priority: number };

/** A customer's name, and its segment with the priority; null without a segment. */
type CustomerPriority = {
  readonly name: string;
  readonly segment: string | null;
  readonly priority: number | null;
};

export type CustomerRefusal =
  | { readonly reason: 'no-such-segment'; readonly segment: string }
  | { readonly reason: 'reference-taken' }
  | { readonly reason: 'too-many-numbers' }
  | { readonly reason: 'number-taken'; readonly number: string; readonly by: string };

export const isSameCustomer = (a: Customer, b: Customer): boolean =>
  isDeepStrictEqual({ ...a, numbers: a.numbers.toSorted() }, { ...b, numbers: b.numbers.toSorted() });

/**
 * Why a customer cannot be put: there is no such segment, another customer has one of the numbers, or they are too many.
 * 1.0.0 let a merge make more of them: `before` may have had so many.
 */
export function refusalOf(
  { reference, segment, numbers }: Customer,
  before: Customer | undefined,
  hasSegment: (name: string) => boolean,
  ownerOf: (number: string) => { readonly reference: string; readonly name: string } | undefined,
): CustomerRefusal | undefined {
  if (segment !== null && !hasSegment(segment)) return { reason: 'no-such-segment', segment };
  for (const number of numbers) {
    const owner = ownerOf(number);
    if (owner !== undefined && owner.reference !== reference)
      return { reason: 'number-taken', number, by: owner.name };
  }
  const count = listedNumbers(numbers).length;
  if (count > MAX_NUMBERS && count > listedNumbers(before?.numbers ?? []).length)
    return { reason: 'too-many-numbers' };
  return undefined;
}

/** A place in the list of customers, which is by the text that they are found by (see searchText). */
export type CustomerCursor = { readonly text: string; readonly reference: string };

/** Why a customer stays as it is. `changed`: it is not, or no longer, what it was when it was read. */
export type PutRefusal = CustomerRefusal | 'changed';

/**
 * Adds or changes customers by reference, each by itself: returns a refusal, or null, for each in order. `before`: what
 * each was when it was read, undefined if there was none.
 */
export type PutCustomers = (
  account: number,
  changes: readonly CustomerChange[],
  before?: readonly (Customer | undefined)[],
) => Promise<(PutRefusal | null)[]>;

/**
 * Customers as they were read, and what becomes of them: one who is not among `after` is removed, one who is not among
 * `before` is new.
 */
export type Replacement = { readonly before: readonly Customer[]; readonly after: readonly Customer[] };

/**
 * Replaces customers in one transaction, all or none of them. Null: it is done. `changed`: one of them has been changed or
 * removed since it was read. A number may go from one of them to another.
 */
export type ReplaceCustomers = (account: number, replacement: Replacement) => Promise<PutRefusal | null>;

/** How each engine writes customers. */
export type CustomerWriter = { readonly put: PutCustomers; readonly replace: ReplaceCustomers };

/** Customers that one statement of a search reads: some milliseconds. */
const SLICE = 5_000;
/** Customers per chunk. */
const PAGE = 1000;
/** Customers who lose their segment in one go. */
const LEAVING = 500;
/** References, or numbers, that one statement looks for. */
const MATCHES = 500;

/** The customers of the account $1, as rows of customerOf. No number has a line break. */
export const selectCustomers = `SELECT c.reference, ${textNames.map((name) => `c.${name}`).join(', ')}, s.name AS segment, c.search,
    (SELECT string_agg(n.number, '\n' ORDER BY n.number) FROM customer_numbers n WHERE n.customer_id = c.id) AS numbers
  FROM customers c LEFT JOIN segments s ON s.id = c.segment_id WHERE c.account_id = $1`;

/** Those of the references, or of the numbers, that are the names in the JSON $2. */
const byReferences = `${selectCustomers} AND c.reference IN (SELECT m.key FROM json_each($2) m)`;
const byNumbers = `${selectCustomers} AND c.id IN (SELECT n.customer_id FROM customer_numbers n
    WHERE n.account_id = $1 AND n.number IN (SELECT m.key FROM json_each($2) m))`;

/** What a change of a customer writes, as SQL. */
export const overwrite = [...textNames, 'search', 'segment_id']
  .map((name) => `${name} = excluded.${name}`)
  .join(', ');

export type CustomerRow = Omit<Customer, 'numbers'> & {
  readonly search: string;
  readonly numbers: string | null;
};

export const customerOf = ({ search: _, numbers, ...row }: CustomerRow): Customer => ({
  ...row,
  numbers: numbers?.split('\n') ?? [],
});

/** Whether a customer is still as it was read; undefined: there is none. */
export const isUnchanged = (now: CustomerRow | undefined, before: Customer | undefined): boolean =>
  now === undefined || before === undefined ? now === before : isSameCustomer(customerOf(now), before);

function* chunks<T>(all: Iterable<T>, size: number): Generator<T[]> {
  let some: T[] = [];
  for (const one of all) {
    if (some.push(one) < size) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

function* unique<T>(all: Iterable<T>): Generator<T> {
  const seen = new Set<T>();
  for (const one of all) {
    if (seen.has(one)) continue;
    seen.add(one);
    yield one;
  }
}

/** Customers and segments; `writer` is each engine's own, since thousands come at once. `changed` is called after a change. */
export function customerRows(
  { read, lookup, write, writeAlone, contains, indexed, along }: Statements,
  writer: CustomerWriter,
  changed: (account: number) => void,
) {
  const putAndTell: PutCustomers = async (account, changes, before) => {
    const refusals = await writer.put(account, changes, before);
    changed(account);
    return refusals;
  };
  const replace: ReplaceCustomers = async (account, replacement) => {
    const outcome = await writer.replace(account, replacement);
    if (outcome === null) changed(account);
    return outcome;
  };
  const get = async (account: number, reference: string): Promise<Customer | undefined> => {
    const [row] = await read<CustomerRow>(`${selectCustomers} AND c.reference = $2`, account, reference);
    return row && customerOf(row);
  };
  const segments = (account: number) =>
    read<Segment>(
      'SELECT name, priority FROM segments WHERE account_id = $1 ORDER BY priority DESC, name',
      account,
    );
  return {
    /** The customer with this number, for a priority lookup; undefined if there is none. */
    async priorityOf(account: number, number: string): Promise<CustomerPriority | undefined> {
      const [known] = await lookup<CustomerPriority>(
        `SELECT c.name, s.priority, s.name AS segment FROM customer_numbers n JOIN customers c ON c.id = n.customer_id
         LEFT JOIN segments s ON s.id = c.segment_id WHERE n.account_id = $1 AND n.number IN ($2, $3) ORDER BY n.number = $2 DESC LIMIT 1`,
        ...[account, ...storedForms(number)],
      );
      return known;
    },
    put: putAndTell,
    replace,
    /** False if there is none. A change at the same moment comes before it, or finds the customer gone. */
    async remove(account: number, reference: string): Promise<boolean> {
      for (let outcome: unknown = 'changed'; outcome === 'changed'; ) {
        const known = await get(account, reference);
        if (known === undefined) return false;
        outcome = await replace(account, { before: [known], after: [] });
      }
      return true;
    },
    get,
    async withNumber(account: number, number: string): Promise<Customer | undefined> {
      const [row] = await read<CustomerRow>(
        `${selectCustomers} AND c.id = (SELECT customer_id FROM customer_numbers WHERE account_id = $1 AND number IN ($2, $3)
           ORDER BY number = $2 DESC LIMIT 1)`,
        ...[account, ...storedForms(number)],
      );
      return row && customerOf(row);
    },
    /** Those with one of these references, and those with one of these numbers, each once. Unordered. */
    async matching(
      account: number,
      references: Iterable<string>,
      numbers: Iterable<string>,
    ): Promise<Customer[]> {
      const found = new Map<string, Customer>();
      for (const [keys, sql] of [
        [references, byReferences],
        [numbers, byNumbers],
      ] as const)
        for (const some of chunks(unique(keys), MATCHES))
          for (const row of await read<CustomerRow>(sql, account, keysOf(some)))
            found.set(row.reference, customerOf(row));
      return [...found.values()];
    },
    /** The next `limit` after a place in the list (null: from its start) whose text holds all of the words (see searchWords). */
    async page({
      account,
      words,
      segment,
      after,
      limit,
    }: {
      account: number;
      words: readonly string[];
      segment: string | null;
      after: CustomerCursor | null;
      limit: number;
    }): Promise<{ customers: Customer[]; next: CustomerCursor | null }> {
      const isSearch = words.length > 0 || segment !== null;
      const rows: CustomerRow[] = [];
      let from: CustomerCursor | null = after ?? { text: '', reference: '' };
      while (from !== null && rows.length <= limit) {
        const begin: Value[] = [account, from.text, from.reference];
        // The last customer that this slice reads, by the index alone.
        const places: CustomerCursor[] = isSearch
          ? await read(
              `SELECT search AS text, reference FROM customers ${along('customers_by_search')}
           WHERE account_id = $1 AND (${indexed('search')}, reference) > (${indexed('$2')}, $3)
           ORDER BY ${indexed('search')}, reference LIMIT 1 OFFSET $4`,
              ...[...begin, SLICE - 1],
            )
          : [];
        const reached: CustomerCursor | null = places[0] ?? null;
        const values: Value[] = [...begin, limit + 1 - rows.length];
        const also = words.map((word) => `AND ${contains('c.search', `$${values.push(word)}`)}`);
        if (segment !== null) also.push(`AND s.name = $${values.push(segment)}`);
        if (reached !== null)
          also.push(
            `AND (${indexed('c.search')}, c.reference) <= (${indexed(`$${values.push(reached.text)}`)}, $${values.push(reached.reference)})`,
          );
        const found = await read<CustomerRow>(
          `${selectCustomers} AND (${indexed('c.search')}, c.reference) > (${indexed('$2')}, $3) ${also.join(' ')}
           ORDER BY ${indexed('c.search')}, c.reference LIMIT $4`,
          ...values,
        );
        rows.push(...found);
        from = reached;
      }
      const last = rows[limit - 1];
      return {
        customers: rows.slice(0, limit).map(customerOf),
        next: rows.length > limit && last ? { text: last.search, reference: last.reference } : null,
      };
    },
    /** All of an account, by reference, in chunks. */
    async *all(account: number): AsyncGenerator<Customer[]> {
      for (let after = '', page: Customer[] = []; ; after = page.at(-1)?.reference ?? '') {
        const sql = `${selectCustomers} AND c.reference > $2 ORDER BY c.reference LIMIT $3`;
        page = (await read<CustomerRow>(sql, account, after, PAGE)).map(customerOf);
        if (page.length > 0) yield page;
        if (page.length < PAGE) return;
      }
    },
    /** The highest priority first. */
    segments,
    /** The first of them that a page can offer, and those of these names. */
    offeredSegments: (account: number, names: readonly string[]) =>
      read<Segment>(
        `SELECT name, priority FROM segments WHERE account_id = $1 AND (name IN (${names.map((_, at) => `$${at + 3}`).join() || 'NULL'})
           OR id IN (SELECT id FROM segments WHERE account_id = $1 ORDER BY priority DESC, name LIMIT $2))
         ORDER BY priority DESC, name`,
        ...[account, accountLimits.segments, ...names],
      ),
    async segment(account: number, name: string): Promise<Segment | undefined> {
      const sql = 'SELECT name, priority FROM segments WHERE account_id = $1 AND name = $2';
      return (await read<Segment>(sql, account, name))[0];
    },
    /** The first `most` after `skipped`, and how many customers have each. */
    async segmentPage(
      account: number,
      most: number,
      skipped: number,
    ): Promise<(Segment & { readonly size: number })[]> {
      const rows = await read<Segment & { size: number }>(
        `SELECT s.name, s.priority, (SELECT count(*) FROM customers c WHERE c.segment_id = s.id) AS size
         FROM (SELECT id, name, priority FROM segments WHERE account_id = $1
           ORDER BY priority DESC, name LIMIT $2 OFFSET $3) s ORDER BY s.priority DESC, s.name`,
        ...[account, most, skipped],
      );
      return rows.map((row) => ({ ...row, size: Number(row.size) }));
    },
    /** @throws ChangeRefused if it is new, and the account has as many as it can have */
    async putSegment(account: number, { name, priority }: Segment): Promise<void> {
      const put = await writeAlone(
        account,
        `INSERT INTO segments (account_id, name, priority) SELECT $1, $2, $3
         WHERE (SELECT count(*) FROM segments WHERE account_id = $1) < $4
           OR EXISTS (SELECT 1 FROM segments WHERE account_id = $1 AND name = $2)
         ON CONFLICT (account_id, name) DO UPDATE SET priority = excluded.priority RETURNING id`,
        ...[account, name, priority, accountLimits.segments],
      );
      if (put.length === 0) throw limitReached('segments');
      changed(account);
    },
    /**
     * Adds those of these segments that do not exist, all or none; returns them.
     * @throws ChangeRefused if there would be more than the account can have
     */
    async addSegments(account: number, names: Iterable<string>, priority: number): Promise<string[]> {
      const wanted = new Set(names);
      if (wanted.size === 0) return [];
      for (let before = -1; ; ) {
        const missing = [...wanted.difference(new Set((await segments(account)).map(({ name }) => name)))];
        if (missing.length === 0) return [];
        // Others may have added some of them since they were read.
        if (missing.length > accountLimits.segments || missing.length === before)
          throw tooManySegments(missing.length);
        const added = await writeAlone(
          account,
          `INSERT INTO segments (account_id, name, priority) SELECT $1, column1, $2
           FROM (VALUES ${missing.map((_, at) => `($${at + 4})`).join()}) AS missing
           WHERE (SELECT count(*) FROM segments WHERE account_id = $1) <= $3
           ON CONFLICT (account_id, name) DO NOTHING RETURNING id`,
          ...[account, priority, accountLimits.segments - missing.length, ...missing],
        );
        if (added.length > 0) {
          changed(account);
          return missing;
        }
        before = missing.length;
      }
    },
    /**
     * Its customers stay, without a segment. False if there is none. They lose it some at a time, since each may change the
     * figures of a time in which it called, and the segment goes last: a removal that was broken off is finished by another.
     */
    async removeSegment(account: number, name: string): Promise<boolean> {
      const own = 'SELECT id FROM segments WHERE account_id = $1 AND name = $2';
      const isIn = `segment_id = (${own})`;
      await inStepsById(
        LEAVING,
        () => read(`SELECT id FROM customers WHERE ${isIn} LIMIT ${LEAVING}`, account, name),
        (ids) =>
          write(
            `UPDATE customers SET segment_id = NULL WHERE ${hasId(3)} AND ${isIn} RETURNING id`,
            ...[account, name, ids],
          ),
      );
      const removed = await write(
        'DELETE FROM segments WHERE account_id = $1 AND name = $2 RETURNING id',
        account,
        name,
      );
      if (removed.length === 1) changed(account);
      return removed.length === 1;
    },
  };
}

export type CustomerStore = ReturnType<typeof customerRows>;
