import { Readable } from 'node:stream';
import { z } from 'zod';
import { limits } from '../../shared/api/contract/decisions.ts';
import { errorSchema } from '../../shared/api/contract/errors.ts';
import { text } from '../../shared/api/contract/text.ts';
import { exportedNumber, normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import { monotonicMs } from '../../shared/process/clock.ts';
import type { AdminAccess } from '../accounts/admin-access.ts';
import {
  atAndId,
  cursorText,
  filterText,
  listOperation,
  momentField,
  msOf,
  placeIn,
} from '../kit/admin-list.ts';
import { operation, type ZodInstance } from '../kit/administration.ts';
import type { Budgets } from '../kit/budget.ts';
import { whenClosed } from '../kit/closed-with.ts';
import { isHead } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { customerSchema, customerView } from './admin-customers.ts';
import type { CallerStore } from './caller-store.ts';
import type { Customer } from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import { exportedPerson, type PersonDataParts, personAsJson } from './person-data.ts';
import { readWhom } from './person-data-page.ts';

/** Time limit of a page, ms; then it goes on from there. */
const TIME_LIMIT_MS = 400;

const operations = {
  people: listOperation('listPeople', 'List the customers, by reference', customerSchema, {
    segment: filterText('segment').optional().describe('By name.'),
    number: filterText('number')
      .optional()
      .describe('Who has this number: one, or none.')
      .meta({ examples: ['+49301234567'] }),
  }),
  notes: listOperation(
    'listNotes',
    'List the notes about callers, the newest first',
    z
      .object({
        number: z.string().describe('The number of the caller with whom it is kept.'),
        customer: z.string().nullable().describe('The reference of the customer who has the number now.'),
        at: z.int().describe('When it was written, Unix milliseconds.'),
        user: z.string().describe('Who wrote it, or changed it last.'),
        text: z.string(),
      })
      .meta({ id: 'Note' }),
    {
      since: momentField('since').optional().describe('Written then or later.'),
      number: filterText('number').optional(),
      customer: filterText('customer').optional().describe('By reference.'),
    },
  ),
};

const exportPerson = operation(
  'exportPerson',
  'Read everything that is stored about a person: a customer with all numbers, or a number that no customer has',
  {
    querystring: z.object({
      customer: filterText('customer').optional().describe('By reference.'),
      number: filterText('number').optional().describe('Instead of the customer; that of whoever has it.'),
    }),
    response: {
      200: z
        .string()
        .describe(
          'application/json: an object with `customer` and `numbers`, and lists of `calls`, `call_backs_and_notes`, `notifications`, `webhook_deliveries`, `requests` and `audit_log`. Times are Unix milliseconds.',
        ),
      404: errorSchema.describe('There is no such customer.'),
    },
  },
);

type Parts = AdminAccess &
  PersonDataParts & {
    readonly store: { readonly customers: CustomerStore; readonly callers: CallerStore };
    readonly budgets: Budgets;
    readonly clock: () => number;
  };

/** An account's customers and notes, page by page. */
export function adminPeopleRoutes(app: ZodInstance, parts: Parts): void {
  const { store, accountOf, audit, budgets, clock } = parts;
  const { customers, callers } = store;
  app.get('/people', operations.people, async (request) => {
    const { id: account, country } = accountOf(request);
    const { cursor, limit, segment, number } = request.query;
    if (number !== undefined) {
      const found = await customers.withNumber(account, normaliseNumber(number, country));
      const isChosen = found !== undefined && (segment === undefined || found.segment === segment);
      return { data: isChosen ? [customerView(found, country)] : [], next: null };
    }
    const [after] = placeIn('people', cursor, z.tuple([text('cursor', limits.referenceLength)])) ?? [''];
    const page = await pageOf(customers, { account, after, limit, segment });
    return {
      data: page.customers.map((customer) => customerView(customer, country)),
      next: page.next === null ? null : cursorText('people', [page.next]),
    };
  });
  app.get('/person', exportPerson, async (request, reply) => {
    const account = accountOf(request);
    const { customer, number } = request.query;
    if ((customer === undefined) === (number === undefined))
      throw new Refusal(422, 'Give the customer field, or the number field.');
    const compared = number && (normaliseNumber(number, account.country) || number);
    const whom = await readWhom(customers, account, { customer, number: compared });
    if (whom === undefined) throw new Refusal(404, 'There is no such customer.');
    whenClosed(reply, budgets.readers.take(account.id));
    if (!isHead(request)) await audit(request, 'export', exportedPerson(whom));
    return reply.type('application/json').send(Readable.from(personAsJson(parts, whom, clock())) as never);
  });
  app.get('/notes', operations.notes, async (request) => {
    const { id: account, country } = accountOf(request);
    const { cursor, limit, since, number, customer } = request.query;
    const own = customer === undefined ? null : ((await customers.get(account, customer))?.numbers ?? []);
    const one = number === undefined ? null : normaliseNumber(number, country) || number;
    const numbers = one === null ? own : own === null || own.includes(one) ? [one] : [];
    const before = placeIn('notes', cursor, atAndId);
    const notes = await callers.notes(account, { numbers, since: msOf(since), before, limit: limit + 1 });
    const last = notes[limit - 1];
    return {
      data: notes
        .slice(0, limit)
        .map(({ id: _, ...note }) => ({ ...note, number: exportedNumber(note.number, country) })),
      next: notes.length > limit && last ? cursorText('notes', [last.at, last.id]) : null,
    };
  });
}

type Query = {
  readonly account: number;
  readonly after: string;
  readonly limit: number;
  readonly segment: string | undefined;
};

/** The next customers after a reference, and the one to go on from. */
async function pageOf(store: CustomerStore, { account, after, limit, segment }: Query) {
  const began = monotonicMs();
  const customers: Customer[] = [];
  for await (const chunk of store.all(account, after)) {
    for (const customer of chunk) {
      if (segment !== undefined && customer.segment !== segment) continue;
      if (customers.length === limit) return { customers, next: customers.at(-1)?.reference ?? null };
      customers.push(customer);
    }
    if (monotonicMs() - began > TIME_LIMIT_MS) return { customers, next: chunk.at(-1)?.reference ?? null };
  }
  return { customers, next: null };
}
