import type { DatabaseSync } from 'node:sqlite';
import { type Customer, type CustomerChange, searchText, textNames, withChange } from './customer-fields.ts';
import {
  type CustomerRefusal,
  type CustomerRow,
  customerOf,
  isUnchanged,
  overwrite,
  refusalOf,
  selectCustomers,
} from './customer-store.ts';

/** Adds or changes customers. */
export function customerWriter(db: DatabaseSync) {
  const segmentId = db.prepare('SELECT id FROM segments WHERE account_id = ? AND name = ?');
  const owner = db.prepare(
    `SELECT c.reference, c.name FROM customer_numbers n JOIN customers c ON c.id = n.customer_id
     WHERE n.account_id = ? AND n.number = ?`,
  );
  const upsert = db.prepare(
    `INSERT INTO customers (account_id, segment_id, search, reference, ${textNames.join(', ')})
     VALUES (?, ?, ?, ?${', ?'.repeat(textNames.length)}) ON CONFLICT DO UPDATE SET ${overwrite} RETURNING id`,
  );
  // A number that stays is not touched: kept figures would be deleted for it (see schema.sql).
  const removeOthers = db.prepare(
    'DELETE FROM customer_numbers WHERE customer_id = ? AND number NOT IN (SELECT value FROM json_each(?))',
  );
  const addNumber = db.prepare(
    'INSERT OR IGNORE INTO customer_numbers (account_id, number, customer_id) VALUES (?, ?, ?)',
  );

  const now = db.prepare(`${selectCustomers.replace('$1', '?')} AND c.reference = ?`);

  function put(
    account: number,
    change: CustomerChange,
    before: Customer | undefined,
  ): CustomerRefusal | null {
    const known = now.get(account, change.reference) as CustomerRow | undefined;
    if (before && !isUnchanged(known, before)) return null;
    const customer = withChange(known && customerOf(known), change);
    const { reference, segment, numbers } = customer;
    const texts = textNames.map((name) => customer[name]);
    const found = segment === null ? null : segmentId.get(account, segment);
    const ownerOf = (number: string) =>
      owner.get(account, number) as { reference: string; name: string } | undefined;
    const refusal = refusalOf(customer, () => found !== undefined, ownerOf);
    if (refusal) return refusal;
    const { id } = upsert.get(account, found?.id ?? null, searchText(customer), reference, ...texts) as {
      id: number;
    };
    removeOthers.run(id, JSON.stringify(numbers));
    for (const number of numbers) addNumber.run(account, number, id);
    return null;
  }

  return (
    account: number,
    changes: readonly CustomerChange[],
    before?: readonly Customer[],
  ): (CustomerRefusal | null)[] => changes.map((change, at) => put(account, change, before?.[at]));
}
