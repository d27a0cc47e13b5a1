import type { Customer, CustomerRefusal, CustomerStore, Segment } from '../customer-store.ts';
import { searchText } from '../shared/customer-search.ts';
import type { Conversation, Database, Row } from './database.ts';

/** Customers per chunk. */
const PAGE = 1000;
/** With the account's id: one process at a time changes an account's customers. */
const LOCK = 5_727_004;

const select = `SELECT c.reference, c.name, s.name AS segment, c.search,
    ARRAY(SELECT number FROM customer_numbers n WHERE n.customer_id = c.id ORDER BY number) AS numbers
  FROM customers c LEFT JOIN segments s ON s.id = c.segment_id WHERE c.account_id = $1`;

function customerOf({ reference, name, segment, numbers }: Row): Customer {
  return { reference, name, segment, numbers } as Customer;
}

export function customerRows(database: Database): CustomerStore {
  return {
    async segmentOf(account, number) {
      const [rows] = await database.look([
        [
          `SELECT s.name, s.priority FROM customer_numbers n JOIN customers c ON c.id = n.customer_id
           JOIN segments s ON s.id = c.segment_id WHERE n.account_id = $1 AND n.number = $2`,
          account,
          number,
        ],
      ]);
      return rows?.[0] as Segment | undefined;
    },
    put: (account, customers) =>
      database.converse(async (conversation) => {
        await conversation.rows('SELECT pg_advisory_xact_lock($1::integer, $2::integer)', LOCK, account);
        const { refusals, accepted } = await decide(conversation, account, customers);
        await write(conversation, account, accepted);
        return refusals;
      }),
    async remove(account, reference) {
      const removed = await database.rows(
        'DELETE FROM customers WHERE account_id = $1 AND reference = $2 RETURNING id',
        account,
        reference,
      );
      return removed.length === 1;
    },
    async get(account, reference) {
      const [row] = await database.rows(`${select} AND c.reference = $2`, account, reference);
      return row && customerOf(row);
    },
    async page({ account, words, segment, after, limit }) {
      const { text, reference } = after ?? { text: '', reference: '' };
      const rows = await database.rows(
        `${select} AND (c.search, c.reference) > ($2, $3) AND ($4::text IS NULL OR s.name = $4)
           AND NOT EXISTS (SELECT FROM unnest($5::text[]) w WHERE strpos(c.search, w) = 0)
         ORDER BY c.search, c.reference LIMIT $6`,
        account,
        text,
        reference,
        segment,
        words,
        limit + 1,
      );
      const last = rows[limit - 1];
      return {
        customers: rows.slice(0, limit).map(customerOf),
        next:
          rows.length > limit && last
            ? { text: last.search as string, reference: last.reference as string }
            : null,
      };
    },
    async *all(account) {
      for (let after = '', page: Customer[] = []; ; after = page.at(-1)?.reference ?? '') {
        const rows = await database.rows(
          `${select} AND c.reference > $2 ORDER BY c.reference LIMIT $3`,
          account,
          after,
          PAGE,
        );
        page = rows.map(customerOf);
        if (page.length > 0) yield page;
        if (page.length < PAGE) return;
      }
    },
    segments: (account) =>
      database.rows<Segment>(
        'SELECT name, priority FROM segments WHERE account_id = $1 ORDER BY priority DESC, name',
        account,
      ),
    async putSegment(account, { name, priority }) {
      await database.rows(
        `INSERT INTO segments (account_id, name, priority) VALUES ($1, $2, $3)
         ON CONFLICT (account_id, name) DO UPDATE SET priority = excluded.priority`,
        account,
        name,
        priority,
      );
    },
    async removeSegment(account, name) {
      const removed = await database.rows(
        'DELETE FROM segments WHERE account_id = $1 AND name = $2 RETURNING id',
        account,
        name,
      );
      return removed.length === 1;
    },
  };
}

/** Which customers can be taken, one after the other, as if each were written before the next is looked at. */
async function decide({ rows }: Conversation, account: number, customers: readonly Customer[]) {
  const segments = new Set(
    (await rows<{ name: string }>('SELECT name FROM segments WHERE account_id = $1', account)).map(
      ({ name }) => name,
    ),
  );
  const known = await rows<{ number: string; reference: string; name: string }>(
    `SELECT n.number, c.reference, c.name FROM customer_numbers n JOIN customers c ON c.id = n.customer_id
     WHERE n.account_id = $1 AND (n.number = ANY($2::text[]) OR c.reference = ANY($3::text[]))`,
    account,
    customers.flatMap(({ numbers }) => numbers),
    customers.map(({ reference }) => reference),
  );
  const owners = new Map(known.map(({ number, reference }) => [number, reference]));
  const names = new Map(known.map(({ reference, name }) => [reference, name]));
  const numbersOf = Map.groupBy(owners.keys(), (number) => owners.get(number) as string);
  const accepted = new Map<string, Customer>();

  const refusals = customers.map((customer): CustomerRefusal | null => {
    const { reference, name, segment, numbers } = customer;
    if (segment !== null && !segments.has(segment)) return { reason: 'no-such-segment', segment };
    for (const number of numbers) {
      const owner = owners.get(number);
      if (owner !== undefined && owner !== reference)
        return { reason: 'number-taken', number, by: names.get(owner) ?? '' };
    }
    for (const number of numbersOf.get(reference) ?? []) owners.delete(number);
    for (const number of numbers) owners.set(number, reference);
    numbersOf.set(reference, [...numbers]);
    names.set(reference, name);
    accepted.set(reference, customer);
    return null;
  });
  return { refusals, accepted: [...accepted.values()] };
}

async function write({ rows }: Conversation, account: number, customers: readonly Customer[]): Promise<void> {
  const ids = await rows<{ id: number; reference: string }>(
    `INSERT INTO customers AS c (account_id, reference, name, segment_id, search)
     SELECT $1, g.reference, g.name, s.id, g.search
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS g(reference, name, segment, search)
     LEFT JOIN segments s ON s.account_id = $1 AND s.name = g.segment
     ON CONFLICT (account_id, reference) DO UPDATE SET name = excluded.name, segment_id = excluded.segment_id,
       search = excluded.search
     RETURNING c.id, c.reference`,
    account,
    customers.map(({ reference }) => reference),
    customers.map(({ name }) => name),
    customers.map(({ segment }) => segment) as string[],
    customers.map(searchText),
  );
  const idOf = new Map(ids.map(({ id, reference }) => [reference, id]));
  await rows('DELETE FROM customer_numbers WHERE customer_id = ANY($1::bigint[])', [...idOf.values()]);
  const numbers = customers.flatMap(({ reference, numbers }) =>
    numbers.map((number) => [number, idOf.get(reference) as number] as const),
  );
  await rows(
    `INSERT INTO customer_numbers SELECT $1, * FROM unnest($2::text[], $3::bigint[]) ON CONFLICT DO NOTHING`,
    account,
    numbers.map(([number]) => number),
    numbers.map(([, id]) => id),
  );
}
