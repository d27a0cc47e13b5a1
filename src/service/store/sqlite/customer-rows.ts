import type { DatabaseSync } from 'node:sqlite';
import type { Customer, CustomerCursor, CustomerRefusal, CustomerStore, Segment } from '../customer-store.ts';
import { searchText } from '../shared/customer-search.ts';

/** Changes to customers and segments. */
export function customerWriter(db: DatabaseSync) {
  const segmentId = db.prepare('SELECT id FROM segments WHERE account_id = ? AND name = ?');
  const owner = db.prepare(
    `SELECT c.reference, c.name FROM customer_numbers n JOIN customers c ON c.id = n.customer_id
     WHERE n.account_id = ? AND n.number = ?`,
  );
  const upsert = db.prepare(
    `INSERT INTO customers (account_id, reference, name, segment_id, search) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET name = excluded.name, segment_id = excluded.segment_id, search = excluded.search
     RETURNING id`,
  );
  const clearNumbers = db.prepare('DELETE FROM customer_numbers WHERE customer_id = ?');
  const addNumber = db.prepare('INSERT OR IGNORE INTO customer_numbers VALUES (?, ?, ?)');
  const remove = db.prepare('DELETE FROM customers WHERE account_id = ? AND reference = ?');
  const putSegment = db.prepare(
    `INSERT INTO segments (account_id, name, priority) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET priority = excluded.priority`,
  );
  const removeSegment = db.prepare('DELETE FROM segments WHERE account_id = ? AND name = ?');

  function put(account: number, customer: Customer): CustomerRefusal | null {
    const { reference, name, segment, numbers } = customer;
    const found = segment === null ? null : segmentId.get(account, segment);
    if (segment !== null && !found) return { reason: 'no-such-segment', segment };
    for (const number of numbers) {
      const other = owner.get(account, number) as { reference: string; name: string } | undefined;
      if (other && other.reference !== reference) return { reason: 'number-taken', number, by: other.name };
    }
    const { id } = upsert.get(account, reference, name, found?.id ?? null, searchText(customer)) as {
      id: number;
    };
    clearNumbers.run(id);
    for (const number of numbers) addNumber.run(account, number, id);
    return null;
  }

  return {
    putCustomers: (account: number, customers: readonly Customer[]): (CustomerRefusal | null)[] =>
      customers.map((customer) => put(account, customer)),
    removeCustomer: (account: number, reference: string): boolean =>
      remove.run(account, reference).changes === 1,
    putSegment: (account: number, { name, priority }: Segment): void => {
      putSegment.run(account, name, priority);
    },
    removeSegment: (account: number, name: string): boolean => removeSegment.run(account, name).changes === 1,
  };
}

export function customerReader(db: DatabaseSync) {
  const segmentOf = db.prepare(
    `SELECT s.name, s.priority FROM customer_numbers n JOIN customers c ON c.id = n.customer_id
     JOIN segments s ON s.id = c.segment_id WHERE n.account_id = ? AND n.number = ?`,
  );
  const segments = db.prepare(
    'SELECT name, priority FROM segments WHERE account_id = ? ORDER BY priority DESC, name',
  );
  const select = `SELECT c.reference, c.name, s.name AS segment,
      (SELECT json_group_array(number) FROM customer_numbers n WHERE n.customer_id = c.id) AS numbers, c.search
    FROM customers c LEFT JOIN segments s ON s.id = c.segment_id WHERE c.account_id = ?`;
  const all = db.prepare(`${select} AND c.reference > ? ORDER BY c.reference LIMIT ?`);
  const one = db.prepare(`${select} AND c.reference = ?`);
  const page = db.prepare(
    `${select} AND (c.search, c.reference) > (?, ?) AND (? IS NULL OR s.name = ?)
       AND NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE instr(c.search, w.value) = 0)
     ORDER BY c.search, c.reference LIMIT ?`,
  );
  type Row = Omit<Customer, 'numbers'> & { numbers: string; search: string };
  const customerOf = ({ reference, name, segment, numbers }: Row): Customer => ({
    reference,
    name,
    segment,
    numbers: JSON.parse(numbers),
  });
  return {
    segmentOf: (account: number, number: string): Segment | undefined =>
      segmentOf.get(account, number) as Segment | undefined,
    segments: (account: number): Segment[] => segments.all(account) as unknown as Segment[],
    customers: (account: number, after: string, max: number): Customer[] =>
      (all.all(account, after, max) as unknown as Row[]).map(customerOf),
    customer(account: number, reference: string): Customer | undefined {
      const row = one.get(account, reference) as Row | undefined;
      return row && customerOf(row);
    },
    customerPage({ account, words, segment, after, limit }: Parameters<CustomerStore['page']>[0]) {
      const { text, reference } = after ?? { text: '', reference: '' };
      const list = JSON.stringify(words);
      const rows = page.all(account, text, reference, segment, segment, list, limit + 1) as unknown as Row[];
      const last = rows[limit - 1];
      const next: CustomerCursor | null =
        rows.length > limit && last ? { text: last.search, reference: last.reference } : null;
      return { customers: rows.slice(0, limit).map(customerOf), next };
    },
  };
}
