import type { CallerAction } from '../people/caller-action-store.ts';
import type { Customer } from '../people/customer-fields.ts';
import { type CustomerRow, customerOf, selectCustomers } from '../people/customer-rows.ts';
import { keysOf, type Statements } from '../store/statements.ts';
import type { PersonEvent, PersonEventName } from './webhook.ts';

/** By their ids in `person_events`. */
export type PersonEvents = ReadonlyMap<number | null, PersonEvent>;

type Row = {
  readonly id: number;
  readonly account: number;
  readonly event: string;
  readonly about: string;
  readonly actionAt: number | null;
  readonly user: string | null;
  readonly text: string | null;
  readonly seconds: number | null;
  readonly due: number | null;
  readonly reference: string | null;
};

/** The reference of who has the number now, of a row of an account. */
const ownerOf = (row: string, number: string) => `(SELECT k.reference
  FROM customer_numbers n JOIN customers k ON k.id = n.customer_id
  WHERE n.account_id = ${row}.account_id AND n.number = ${row}.${number})`;

/** What happened to people, with who they are now, of rows that refer to it. */
export async function personEventsOf(
  { read }: Pick<Statements, 'read'>,
  rows: readonly { readonly event_row: number | null }[],
): Promise<PersonEvents> {
  const ids = rows.flatMap(({ event_row }) => event_row ?? []);
  if (ids.length === 0) return new Map();
  const found = await read<Row>(
    `SELECT e.id, e.account_id AS account, e.event, e.about, e.action_at AS "actionAt", a.user_name AS "user", a.text, a.seconds, a.due,
       CASE WHEN e.event LIKE 'customer.%' THEN e.about ELSE ${ownerOf('e', 'about')} END AS reference
     FROM json_each($1) m JOIN person_events e ON e.id = CAST(m.key AS bigint)
     LEFT JOIN caller_actions a ON a.id = e.action_row`,
    keysOf(ids),
  );
  const customers = await customersOf({ read }, found);
  return new Map(
    found.map(({ id, about, actionAt, user, text, seconds, due, reference }) => [
      id,
      {
        about,
        actionAt,
        action: user === null ? null : { user, text, seconds, due },
        customer: reference === null ? null : (customers.get(reference) ?? null),
      },
    ]),
  );
}

type NewestAction = NonNullable<PersonEvent['action']> &
  Pick<Row, 'account' | 'reference'> & {
    readonly number: string;
    readonly at: number;
    readonly kind: CallerAction['kind'];
  };

/** The newest thing that was done about, or noted of, somebody, as an event; undefined if there is none. */
export async function newestPersonEvent(
  { read }: Pick<Statements, 'read'>,
  account: number,
): Promise<
  { readonly event: PersonEventName; readonly at: number; readonly person: PersonEvent } | undefined
> {
  const rows = await read<NewestAction>(
    `SELECT a.account_id AS account, a.number, a.at, a.kind, a.user_name AS "user", a.text, a.seconds, a.due,
       ${ownerOf('a', 'number')} AS reference
     FROM caller_actions a WHERE a.account_id = $1 ORDER BY a.at DESC LIMIT 1`,
    account,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { number, at, kind, user, text, seconds, due, reference } = row;
  const customer = reference === null ? null : ((await customersOf({ read }, rows)).get(reference) ?? null);
  return {
    event: kind === 'note' ? 'note.added' : `call_back.${kind}`,
    at,
    person: { about: number, actionAt: at, action: { user, text, seconds, due }, customer },
  };
}

/** Those of these references; all are of one account. */
async function customersOf(
  { read }: Pick<Statements, 'read'>,
  rows: readonly Pick<Row, 'account' | 'reference'>[],
): Promise<ReadonlyMap<string, Customer>> {
  const references = new Set(rows.flatMap(({ reference }) => reference ?? []));
  const [first] = rows;
  if (first === undefined || references.size === 0) return new Map();
  const found = await read<CustomerRow>(
    `${selectCustomers} AND c.reference IN (SELECT m.key FROM json_each($2) m)`,
    ...[first.account, keysOf([...references])],
  );
  return new Map(found.map((row) => [row.reference, customerOf(row)]));
}
