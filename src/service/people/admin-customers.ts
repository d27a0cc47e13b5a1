import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { limits } from '../../shared/api/contract/decisions.ts';
import { errorSchema } from '../../shared/api/contract/errors.ts';
import { notANumber } from '../../shared/api/contract/phone-number.ts';
import { text } from '../../shared/api/contract/text.ts';
import type { Log } from '../../shared/log/log.ts';
import { readNumbers } from '../../shared/phone-number/read-numbers.ts';
import {
  type AccountOf,
  type AdminAudit,
  checkAddress,
  given,
  inAddress,
  name,
  nothing,
  operation,
  type ZodInstance,
} from '../kit/administration.ts';
import type { Budgets } from '../kit/budget.ts';
import { whenClosed } from '../kit/closed-with.ts';
import { isHead } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { line } from '../kit/text.ts';
import { en } from '../words/en.ts';
import { auditBrokenImport } from './broken-import.ts';
import {
  type Customer,
  type CustomerChange,
  eachText,
  listedNumbers,
  MAX_NUMBERS,
  withChange,
} from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import { BadTable, importCustomers, importSummary, textSchemas } from './customers-csv.ts';
import { exportCustomers } from './customers-export.ts';
import { readText, TooLarge, UnknownCharset, UnknownEncoding } from './import/decode-text.ts';
import { refusalText } from './refusal-text.ts';

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
  reference: inAddress,
  ...textSchemas,
  segment: line('segment').nullable().optional(),
  numbers: z
    .array(text('numbers', limits.numberLength))
    .max(MAX_NUMBERS, en.customers.manyNumbers)
    .optional(),
});
const reasons = z.array(z.object({ message: z.string(), count: z.int(), lines: z.array(z.int()) }));
const reportSchema = z
  .object({
    imported: z.int().describe('Customers.'),
    refused: z.int().describe('Lines.'),
    errors: reasons.describe(
      'The first hundred reasons, each with how many lines it refused and the first ten of them.',
    ),
    warnings: reasons.describe(
      'The same for values that were left out of customers that were imported: unreadable ones, and numbers of other customers; for numbers that may be others, because a spreadsheet may have removed their plus or their country is not known, or may lack their area code; for columns that seem to have telephone numbers and are not imported; and for lines with the reference of an earlier line, which add to its customer.',
    ),
    unsure: z
      .int()
      .describe('Values that were imported, and may mean something else. Warnings name the first hundred.'),
    unknown_columns: z
      .array(z.string())
      .describe('Columns that were not imported, because they are not known.'),
  })
  .meta({ id: 'ImportReport' });
const segmentName = z.object({ name });
const priority = z.object({ priority: z.int(), name: inAddress });
const importOptions = z.object({ create_segments: z.enum(['true', 'false']).optional() });
const reference = z.object({ reference: line('reference') });

/** More than a million customers; an import holds the whole table in memory. */
const TABLE_BYTES = 64 * 1024 * 1024;
const TOO_LARGE = 'The table is larger than 64 MB. Send it in several parts.';

/** An account's segments, and its customers as CSV. */
export function adminCustomerRoutes(
  app: ZodInstance,
  accountOf: AccountOf,
  audit: AdminAudit,
  {
    store: { customers },
    budgets,
    isAuthentic,
    log,
  }: {
    readonly store: { readonly customers: CustomerStore };
    readonly budgets: Budgets;
    /** Whether the token of a request is valid now: a table can take minutes. */
    readonly isAuthentic: (request: Pick<FastifyRequest, 'headers'>) => boolean;
    readonly log: Log;
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
      checkAddress('name', request.body.name, segment.name);
      await customers.putSegment(accountOf(request).id, segment);
      await audit(request, 'settings', `segment ${segment.name}: priority ${segment.priority}`);
      return segment;
    },
  );
  app.delete(
    '/segments/:name',
    operation('removeSegment', 'Remove a segment; its customers stay', {
      turn: 'long',
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
      whenClosed(reply, budgets.readers.take(accountOf(request).id));
      if (!isHead(request)) await audit(request, 'export', 'customers');
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
        'Add or change customers from a table: CSV, as exportCustomers gives it',
        {
          querystring: importOptions,
          body: z
            .unknown()
            .describe(
              'The first line names the columns: those of exportCustomers, and country, in which the numbers of the line are read.',
            ),
          consumes: ['text/csv'],
          response: {
            200: reportSchema,
            413: errorSchema.describe('The table is larger than 64 MB.'),
            415: errorSchema.describe(
              'The Content-Type header must be text/csv, with a charset that is known, or none for UTF-8, UTF-16 and Windows-1252.',
            ),
            429: errorSchema.describe('An import of the account is running.'),
          },
        },
      ),
      config: { longBody: true, turn: 'long' },
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
        const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
        const body = whileValid(request.body, () => isAuthentic(request));
        const table = await readText(body, { charset, maxBytes: TABLE_BYTES });
        const report = await importCustomers(table, {
          ...{ customers, account: id, country, signal: broken.signal },
          createSegments: request.query.create_segments === 'true',
          progress(imported) {
            stored = imported;
            if (!isAuthentic(request)) throw new Refusal(401, 'Unauthenticated.');
          },
        });
        await audit(request, 'import', importSummary(report));
        const { imported, refused, errors, warnings, unsure, unknownColumns } = report;
        return {
          ...{ imported, refused, errors: [...errors], warnings: [...warnings], unsure },
          unknown_columns: [...unknownColumns],
        };
      } catch (error) {
        const why = broken.signal.aborted ? (broken.signal.reason as Refusal) : (error as Error);
        if (stored > 0)
          await auditBrokenImport({ stored, why, account: accountOf(request).name, log }, (what, target) =>
            audit(request, what, target),
          );
        if (why instanceof BadTable) throw new Refusal(422, why.message);
        if (why instanceof TooLarge) throw new Refusal(413, TOO_LARGE);
        if (why instanceof UnknownEncoding)
          throw new Refusal(
            415,
            `${why.message} Or name its encoding, as in “Content-Type: text/csv; charset=windows-1250”.`,
          );
        if (why instanceof UnknownCharset)
          throw new Refusal(415, 'The charset of the Content-Type header is unknown.');
        throw why;
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
      const { numbers, reference, ...texts } = given(request.body);
      checkAddress('reference', reference, request.params.reference);
      const change = {
        ...{ reference: request.params.reference, ...texts },
        ...(numbers && { numbers: numbersIn(numbers, country) }),
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

/** The numbers in these texts, each once. Throws what makes a 422 where one is none, and reads no more than are allowed. */
function numbersIn(texts: readonly string[], country: string | null): string[] {
  const numbers = new Set<string>();
  const issues: ConstructorParameters<typeof z.ZodError>[0] = [];
  const refuse = (index: number, message: string, input: string) =>
    issues.push({ code: 'custom', path: ['numbers', index], message, input });
  for (const [index, text] of texts.entries()) {
    const read = readNumbers(text, country);
    for (const one of read.unread)
      refuse(index, `${notANumber('numbers').slice(0, -1)}: “${one.text}”.`, one.text);
    for (const number of read.numbers) numbers.add(number);
    if (numbers.size > MAX_NUMBERS) refuse(index, en.customers.manyNumbers, text);
    if (numbers.size > MAX_NUMBERS || issues.length > MAX_NUMBERS) break;
  }
  if (issues.length > 0) throw new z.ZodError(issues);
  return [...numbers];
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

const view = (customer: Customer) => ({ ...customer, numbers: listedNumbers(customer.numbers) });
