import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { errorSchema } from '../../shared/api/contract/errors.ts';
import { phoneNumber } from '../../shared/api/contract/phone-number.ts';
import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import {
  type AccountOf,
  type AdminAudit,
  given,
  name,
  nothing,
  operation,
  type ZodInstance,
} from '../kit/administration.ts';
import type { Budgets } from '../kit/budget.ts';
import { Refusal } from '../kit/refusal.ts';
import { line } from '../kit/text.ts';
import { type Customer, type CustomerChange, eachText, withChange } from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import {
  BadTable,
  exportCustomers,
  importCustomers,
  importSummary,
  refusalText,
  textSchemas,
} from './customers-csv.ts';

const segmentSchema = z.object({ name: z.string(), priority: z.int() }).meta({ id: 'Segment' });
const customerSchema = z
  .object({
    reference: z.string(),
    ...eachText(() => z.string()),
    segment: z.string().nullable(),
    numbers: z.array(z.string()).describe('E.164, or digits alone where a number is none of any country.'),
  })
  .meta({ id: 'Customer' });
const customerChange = z.object({
  ...textSchemas,
  segment: line('segment').nullable().optional(),
  numbers: z.array(phoneNumber('numbers')).max(100).optional(),
});
const reportSchema = z
  .object({
    imported: z.int(),
    refused: z.int(),
    errors: z
      .array(z.object({ message: z.string(), count: z.int(), lines: z.array(z.int()) }))
      .describe('The first hundred reasons, each with how many lines it refused and the first ten of them.'),
  })
  .meta({ id: 'ImportReport' });
const segmentName = z.object({ name });
const priority = z.object({ priority: z.int() });
const importOptions = z.object({ create_segments: z.enum(['true', 'false']).optional() });
const reference = z.object({ reference: line('reference') });

/** An account's segments, and its customers as CSV. */
export function adminCustomerRoutes(
  app: ZodInstance,
  accountOf: AccountOf,
  audit: AdminAudit,
  {
    store: { customers },
    budgets,
    isAuthentic,
  }: {
    readonly store: { readonly customers: CustomerStore };
    readonly budgets: Budgets;
    /** Whether the token of a request is valid now: a table can take minutes. */
    readonly isAuthentic: (request: Pick<FastifyRequest, 'headers'>) => boolean;
  },
): void {
  app.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload));

  app.get(
    '/segments',
    operation('listSegments', 'List the segments', { response: { 200: z.array(segmentSchema) } }),
    (request) => customers.segments(accountOf(request).id),
  );
  app.put(
    '/segments/:name',
    operation('putSegment', 'Add a segment, or change its priority', {
      by: segmentName,
      body: priority,
      response: { 200: segmentSchema },
    }),
    async (request) => {
      const segment = { name: request.params.name, priority: request.body.priority };
      await customers.putSegment(accountOf(request).id, segment);
      await audit(request, 'settings', `segment ${segment.name}: priority ${segment.priority}`);
      return segment;
    },
  );
  app.delete(
    '/segments/:name',
    operation('removeSegment', 'Remove a segment; its customers stay', {
      by: segmentName,
      response: nothing,
    }),
    async (request, reply) => {
      const removed = await customers.removeSegment(accountOf(request).id, request.params.name);
      if (!removed) throw new Refusal(404, 'There is no such segment.');
      await audit(request, 'removal', `segment ${request.params.name}`);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/customers',
    operation('exportCustomers', 'Read all customers as CSV', {
      response: { 200: z.string().describe('text/csv') },
    }),
    async (request, reply) => {
      await audit(request, 'export', 'customers');
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="customers.csv"')
        .send(Readable.from(exportCustomers(customers, accountOf(request).id)) as never);
    },
  );
  app.post(
    '/customers',
    {
      ...operation(
        'importCustomers',
        'Add or change customers from a table of any length: CSV, as exportCustomers gives it',
        {
          querystring: importOptions,
          body: z.unknown().describe('The first line names the columns.'),
          consumes: ['text/csv'],
          response: {
            200: reportSchema,
            415: errorSchema.describe('The Content-Type header must be text/csv.'),
            429: errorSchema.describe('An import of the account is running.'),
          },
        },
      ),
      config: { longBody: true },
    },
    async (request, reply) => {
      if (!(request.body instanceof Readable))
        throw new Refusal(415, 'The Content-Type header must be text/csv.');
      const { id, country } = accountOf(request);
      const finish = budgets.imports.take(id);
      const broken = new AbortController();
      reply.raw.once('close', () =>
        broken.abort(new Refusal(400, 'The connection ended before the request did.')),
      );
      let stored = 0;
      try {
        const report = await importCustomers(
          whileValid(request.body, () => isAuthentic(request)),
          {
            customers,
            account: id,
            country,
            createSegments: request.query.create_segments === 'true',
            signal: broken.signal,
            progress(imported) {
              stored = imported;
            },
          },
        );
        await audit(request, 'import', importSummary(report));
        return { ...report, errors: [...report.errors] };
      } catch (error) {
        const why = broken.signal.aborted ? (broken.signal.reason as Refusal) : (error as Error);
        // The account may be gone.
        if (stored > 0)
          await audit(request, 'import', `${stored} imported, then: ${why.message}`).catch(() => {});
        throw why instanceof BadTable ? new Refusal(422, why.message) : why;
      } finally {
        finish();
      }
    },
  );
  app.get(
    '/customers/:reference',
    operation('getCustomer', 'Read a customer', { by: reference, response: { 200: customerSchema } }),
    async (request) => {
      const customer = await customers.get(accountOf(request).id, request.params.reference);
      if (customer === undefined) throw new Refusal(404, 'There is no such customer.');
      return view(customer);
    },
  );
  app.put(
    '/customers/:reference',
    operation('putCustomer', 'Add or change a customer; a field that is not given stays as it is', {
      by: reference,
      body: customerChange,
      response: {
        200: customerSchema,
        409: errorSchema.describe(
          'Another customer has the number, or somebody else changed the same fields at the same time.',
        ),
      },
    }),
    async (request) => {
      const { id, country } = accountOf(request);
      const { numbers, ...texts } = given(request.body);
      const change = {
        ...{ reference: request.params.reference, ...texts },
        ...(numbers && { numbers: [...new Set(numbers.map((number) => normaliseNumber(number, country)))] }),
      };
      const customer = await putFields(customers, id, change);
      await audit(request, 'settings', `customer ${change.reference}`);
      return view(customer);
    },
  );
  app.delete(
    '/customers/:reference',
    operation('removeCustomer', 'Remove a customer', { by: reference, response: nothing }),
    async (request, reply) => {
      const removed = await customers.remove(accountOf(request).id, request.params.reference);
      if (!removed) throw new Refusal(404, 'There is no such customer.');
      await audit(request, 'removal', `customer ${request.params.reference}`);
      return reply.code(204).send(null);
    },
  );
}

/**
 * Sets fields of a customer, new or known. Fields that somebody else changes at the same time stay as they are then.
 * @throws Refusal 409 if they are the same fields, or another customer has the number; 422 if there is no such segment
 */
async function putFields(
  customers: CustomerStore,
  account: number,
  change: CustomerChange,
): Promise<Customer> {
  const first = await customers.get(account, change.reference);
  const names = Object.keys(change) as (keyof Customer)[];
  const isTouched = (now: Customer | undefined) =>
    names.some((name) => !isDeepStrictEqual(now?.[name], first?.[name]));
  for (let known = first; ; known = await customers.get(account, change.reference)) {
    if (isTouched(known)) throw new Refusal(409, (errors) => errors.changedMeanwhile);
    const customer = withChange(known, change);
    const replacement = { before: known ? [known] : [], after: [customer] };
    const outcome = await customers.replace(account, replacement);
    if (outcome === null) return { ...customer, numbers: customer.numbers.toSorted() };
    if (outcome === 'changed' || outcome.reason === 'reference-taken') continue;
    // The customer's own segment was removed at the same time.
    if (outcome.reason === 'no-such-segment' && change.segment === undefined) continue;
    throw new Refusal(outcome.reason === 'number-taken' ? 409 : 422, refusalText(outcome));
  }
}

/** The pieces of a body, as long as its sender's token is valid. */
function whileValid(body: Readable, isValid: () => boolean): Readable {
  async function* pieces() {
    for await (const piece of body) {
      if (!isValid()) throw new Refusal(401, 'Unauthenticated.');
      yield piece;
    }
  }
  return Readable.from(pieces());
}

const view = (customer: Customer) => ({ ...customer, numbers: [...customer.numbers] });
