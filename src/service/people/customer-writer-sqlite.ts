import type { DatabaseSync } from 'node:sqlite';
import {
  type Customer,
  type CustomerChange,
  searchText,
  storedNames,
  withChange,
} from './customer-fields.ts';
import { type CustomerRow, customerOf, isUnchanged, overwrite, selectCustomers } from './customer-rows.ts';
import { type PutRefusal, type Replacement, refusalOf } from './customer-writer.ts';

/** Adds, changes and replaces customers. */
export function customerWriter(db: DatabaseSync) {
  const segmentId = db.prepare('SELECT id FROM segments WHERE account_id = ? AND name = ?');
  const owner = db.prepare(
    `SELECT c.reference, c.name FROM customer_numbers n JOIN customers c ON c.id = n.customer_id
     WHERE n.account_id = ? AND n.number = ?`,
  );
  const upsert = db.prepare(
    `INSERT INTO customers (account_id, segment_id, search, reference, ${storedNames.join(', ')})
     VALUES (?, ?, ?, ?${', ?'.repeat(storedNames.length)}) ON CONFLICT DO UPDATE SET ${overwrite} RETURNING id`,
  );
  // A number that stays is not touched: cached figures would be deleted for it (see schema.sql).
  const removeOthers = db.prepare(
    'DELETE FROM customer_numbers WHERE customer_id = ? AND number NOT IN (SELECT value FROM json_each(?))',
  );
  const addNumber = db.prepare(
    'INSERT OR IGNORE INTO customer_numbers (account_id, number, customer_id) VALUES (?, ?, ?)',
  );

  const removeOne = db.prepare('DELETE FROM customers WHERE account_id = ? AND reference = ?');
  const now = db.prepare(`${selectCustomers.replace('$1', '?')} AND c.reference = ?`);

  type Owner = { readonly reference: string; readonly name: string };
  const segmentOf = (account: number, segment: string | null) =>
    segment === null ? null : segmentId.get(account, segment);
  const ownerOf = (account: number, number: string) => owner.get(account, number) as Owner | undefined;
  const read = (account: number, reference: string) => now.get(account, reference) as CustomerRow | undefined;

  /** All of a customer but the numbers that it gets; gives those with its id. */
  function write(account: number, customer: Customer): () => void {
    const { reference, segment, numbers } = customer;
    const texts = storedNames.map((name) => customer[name]);
    const segmentRow = segmentOf(account, segment);
    const { id } = upsert.get(account, segmentRow?.id ?? null, searchText(customer), reference, ...texts) as {
      id: number;
    };
    removeOthers.run(id, JSON.stringify(numbers));
    return () => {
      for (const number of numbers) addNumber.run(account, number, id);
    };
  }

  function put(
    account: number,
    change: CustomerChange,
    isExpected: (now: CustomerRow | undefined) => boolean,
  ): PutRefusal | null {
    const row = read(account, change.reference);
    if (!isExpected(row)) return 'changed';
    const known = row && customerOf(row);
    const customer = withChange(known, change);
    const refusal = refusalOf(
      customer,
      known,
      (segment) => segmentOf(account, segment) !== undefined,
      (number) => ownerOf(account, number),
    );
    if (refusal) return refusal;
    write(account, customer)();
    return null;
  }

  return {
    putCustomers: (
      account: number,
      changes: readonly CustomerChange[],
      before?: readonly (Customer | undefined)[],
    ): (PutRefusal | null)[] =>
      changes.map((change, at) => put(account, change, (now) => !before || isUnchanged(now, before[at]))),

    replaceCustomers(account: number, { before, after }: Replacement): PutRefusal | null {
      if (!before.every((one) => isUnchanged(read(account, one.reference), one))) return 'changed';
      const own = new Map(before.map((one) => [one.reference, one]));
      const given = new Map<string, Owner>();
      for (const customer of after) {
        const { reference, numbers } = customer;
        if (!own.has(reference) && read(account, reference)) return { reason: 'reference-taken' };
        const refusal = refusalOf(
          customer,
          own.get(reference),
          (segment) => segmentOf(account, segment) !== undefined,
          (number) => {
            const stored = given.get(number) ?? ownerOf(account, number);
            return stored && own.has(stored.reference) && !given.has(number) ? undefined : stored;
          },
        );
        if (refusal) return refusal;
        for (const number of numbers) given.set(number, customer);
      }
      const left = new Set(after.map(({ reference }) => reference));
      for (const reference of own.keys()) if (!left.has(reference)) removeOne.run(account, reference);
      for (const addNumbers of after.map((customer) => write(account, customer))) addNumbers();
      return null;
    },
  };
}
