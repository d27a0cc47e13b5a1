import { sameLine } from '../../shared/phone-number/same-line.ts';
import type { Database, Transaction } from '../store/postgres/database.ts';
import {
  type Customer,
  type CustomerChange,
  searchText,
  storedNames,
  withChange,
} from './customer-fields.ts';
import { type CustomerRow, customerOf, isUnchanged, overwrite, selectCustomers } from './customer-rows.ts';
import {
  type CustomerRefusal,
  type CustomerWriter,
  type PutCustomers,
  type ReplaceCustomers,
  refusalOf,
} from './customer-writer.ts';

/** With the account's id: one process at a time changes an account's customers. */
const LOCK = 5_727_004;

/** Adds, changes and replaces customers. */
export function customerWriter(database: Database): CustomerWriter {
  const alone = <T>(account: number, work: (transaction: Transaction) => Promise<T>): Promise<T> =>
    database.transaction(async (transaction) => {
      await transaction.rows('SELECT pg_advisory_xact_lock($1::integer, $2::integer)', LOCK, account);
      return work(transaction);
    });
  const put: PutCustomers = (account, given, before) =>
    alone(account, async (transaction) => {
      const known = await knownOf(transaction, account, given);
      const isSame = ({ reference }: CustomerChange, at: number) =>
        before === undefined || isUnchanged(known.get(reference), before[at]);
      const changes = given.filter(isSame);
      const { refusals, accepted } = await decide(transaction, account, changes, known);
      await write(transaction, account, accepted);
      const refusalOf = new Map(changes.map((change, at) => [change, refusals[at] ?? null]));
      return given.map((change) => refusalOf.get(change) ?? (refusalOf.has(change) ? null : 'changed'));
    });
  const replace: ReplaceCustomers = (account, { before, after }) =>
    alone(account, async (transaction) => {
      const known = await knownOf(transaction, account, [...before, ...after]);
      if (!before.every((one) => isUnchanged(known.get(one.reference), one))) return 'changed';
      const own = new Set(before.map(({ reference }) => reference));
      if (after.some(({ reference }) => !own.has(reference) && known.has(reference)))
        return { reason: 'reference-taken' };
      const { refusals, accepted } = await decide(transaction, account, after, known, own);
      const refusal = refusals.find((one) => one !== null);
      if (refusal) return refusal;
      const left = new Set(after.map(({ reference }) => reference));
      await transaction.rows(
        'DELETE FROM customers WHERE account_id = $1 AND reference = ANY($2::text[])',
        account,
        [...own].filter((reference) => !left.has(reference)),
      );
      await write(transaction, account, accepted);
      return null;
    });
  return { put, replace };
}

/** What is stored of these customers, by reference. */
async function knownOf(
  { rows }: Transaction,
  account: number,
  changes: readonly CustomerChange[],
): Promise<ReadonlyMap<string, CustomerRow>> {
  const found = await rows<CustomerRow>(
    `${selectCustomers} AND c.reference = ANY($2::text[])`,
    account,
    changes.map(({ reference }) => reference),
  );
  return new Map(found.map((row) => [row.reference, row]));
}

/**
 * Decides which customers are accepted, one after the other, as if each were written before the next is checked; those in
 * `free` as if they had no numbers. Their segments stay until the end of the transaction.
 */
async function decide(
  { rows }: Transaction,
  account: number,
  changes: readonly CustomerChange[],
  stored: ReadonlyMap<string, CustomerRow>,
  free: ReadonlySet<string> = new Set(),
) {
  const named = changes.map(({ reference, segment = stored.get(reference)?.segment ?? null }) => segment);
  const there = await rows<{ name: string }>(
    'SELECT name FROM segments WHERE account_id = $1 AND name = ANY($2::text[]) ORDER BY id FOR KEY SHARE',
    ...([account, named.filter((name) => name !== null)] as const),
  );
  const segments = new Set(there.map(({ name }) => name));
  const known = await rows<{ number: string; reference: string; name: string }>(
    // Each by its index: of one condition with OR it would make a scan of all customers.
    `SELECT n.number, c.reference, c.name FROM customer_numbers n JOIN customers c ON c.id = n.customer_id
     WHERE n.account_id = $1 AND n.number = ANY($2::text[])
     UNION SELECT n.number, c.reference, c.name FROM customers c JOIN customer_numbers n ON n.customer_id = c.id
     WHERE c.account_id = $1 AND c.reference = ANY($3::text[])`,
    account,
    changes.flatMap(({ numbers = [] }) => numbers.flatMap(sameLine)),
    changes.map(({ reference }) => reference),
  );
  const owners = new Map(
    known.flatMap(({ number, reference, name }) =>
      free.has(reference) ? [] : [[number, { reference, name }] as const],
    ),
  );
  const numbersOf = Map.groupBy(owners.keys(), (number) => owners.get(number)?.reference as string);
  const accepted = new Map<string, Customer>();

  const refusals = changes.map((change): CustomerRefusal | null => {
    const { reference } = change;
    const row = stored.get(reference);
    const known = accepted.get(reference) ?? (row && customerOf(row));
    // A segment that was removed since it was read is removed from its customers, too.
    const before = known && segments.has(known.segment ?? '') ? known : known && { ...known, segment: null };
    const customer = withChange(before, change);
    const { numbers } = customer;
    const refusal = refusalOf(
      customer,
      known,
      (name) => segments.has(name),
      (number) => owners.get(number),
    );
    if (refusal) return refusal;
    for (const number of numbersOf.get(reference) ?? []) owners.delete(number);
    for (const number of numbers) owners.set(number, customer);
    numbersOf.set(reference, [...numbers]);
    accepted.set(reference, customer);
    return null;
  });
  return { refusals, accepted: [...accepted.values()] };
}

async function write({ rows }: Transaction, account: number, customers: readonly Customer[]): Promise<void> {
  const ids = await rows<{ id: number; reference: string }>(
    `INSERT INTO customers AS c (account_id, segment_id, search, reference, ${storedNames.join(', ')})
     SELECT $1, s.id, g.search, g.reference, ${storedNames.map((name) => `g.${name}`).join(', ')}
     FROM unnest($2::text[], $3::text[], $4::text[], ${storedNames.map((_, at) => `$${5 + at}::text[]`).join(', ')})
       AS g(segment, search, reference, ${storedNames.join(', ')})
     LEFT JOIN segments s ON s.account_id = $1 AND s.name = g.segment
     ON CONFLICT (account_id, reference) DO UPDATE SET ${overwrite} RETURNING c.id, c.reference`,
    account,
    customers.map(({ segment }) => segment) as string[],
    customers.map(searchText),
    customers.map(({ reference }) => reference),
    ...storedNames.map((name) => customers.map((customer) => customer[name])),
  );
  const idOf = new Map(ids.map(({ id, reference }) => [reference, id]));
  const numbers = customers.flatMap(({ reference, numbers }) =>
    numbers.map((number) => [number, idOf.get(reference) as number] as const),
  );
  const given = [numbers.map(([number]) => number), numbers.map(([, id]) => id)] as const;
  // A number that stays is not touched: cached figures would be deleted for it (see schema.sql).
  await rows(
    `DELETE FROM customer_numbers n WHERE n.customer_id = ANY($3::bigint[]) AND NOT EXISTS
       (SELECT FROM unnest($1::text[], $2::bigint[]) AS g(number, id) WHERE g.number = n.number AND g.id = n.customer_id)`,
    ...given,
    [...idOf.values()],
  );
  await rows(
    `INSERT INTO customer_numbers (account_id, number, customer_id)
     SELECT $3, * FROM unnest($1::text[], $2::bigint[]) ON CONFLICT DO NOTHING`,
    ...given,
    account,
  );
}
