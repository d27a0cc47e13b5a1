import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { limits } from '../../shared/api/contract/decisions.ts';
import { errorSchema } from '../../shared/api/contract/errors.ts';
import { notANumber } from '../../shared/api/contract/phone-number.ts';
import { text } from '../../shared/api/contract/text.ts';
import type { Log } from '../../shared/log/log.ts';
import { readNumbers } from '../../shared/phone-number/read-numbers.ts';
import type { AdminAccess, AdminRequest } from '../accounts/admin-access.ts';
import {
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
import { unguarded } from '../kit/csv.ts';
import { isHead } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { line } from '../kit/text.ts';
import { plainText } from '../rules/plain-text.ts';
import { en } from '../words/en.ts';
import { auditBrokenImport } from './broken-import.ts';
import { type Customer, type CustomerChange, eachText, MAX_NUMBERS, withChange } from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import { BadTable, importCustomers, importSummary, textSchemas } from './customers-csv.ts';
import { exportCustomers } from './customers-export.ts';
import { exportedNumbers, storedDigits } from './exported-numbers.ts';
import { literalIn } from './import/blank-cells.ts';
import { readText, TooLarge, UnknownCharset, UnknownEncoding } from './import/decode-text.ts';
import { MAX_TABLE_LINES } from './import/table.ts';
import { refusalText } from './refusal-text.ts';
import { removeSegment, type SegmentStores } from './segment-uses.ts';

const segmentSchema = z.object({ name: z.string(), priority: z.int() }).meta({ id: 'Segment' });
export const customerSchema = z
  .object({
    reference: z.string(),
    ...eachText(() => z.string()),
    segment: z.string().nullable(),
    numbers: z
      .array(z.string())
      .describe(
        'E.164, or digits alone where a number is none of any country. Such digits have a plus where they would be another number without it.',
      ),
    language: z.string().nullable().describe('ISO 639-1, such as `de`; null if it is not known.'),
    blocked: z.boolean().describe('The office does not want calls of this customer.'),
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
  language: textSchemas.language.nullable(),
  blocked: z.boolean('The blocked field must be true or false.').optional(),
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
const UNKNOWN = 'There is no customer with this reference, and a new one needs a name or a number.';

const operations = {
  listSegments: operation('listSegments', 'List the segments', { response: { 200: z.array(segmentSchema) } }),
  putSegment: operation('putSegment', 'Add a segment, or change its priority', {
    by: segmentName,
    body: priority,
    response: { 200: segmentSchema },
  }),
  removeSegment: operation('removeSegment', 'Remove a segment; its customers stay', {
    turn: 'long',
    by: segmentName,
    querystring: z.object({
      force: z
        .enum(['true', 'false'])
        .optional()
        .describe('Also if webhooks or notifications have chosen it: they then get nothing for it.'),
    }),
    response: {
      ...nothing,
      409: errorSchema.describe('Webhooks or notifications have chosen it; the message says which.'),
    },
  }),
  export: operation('exportCustomers', 'Read all customers as CSV', {
    response: {
      200: z
        .string()
        .describe(
          'text/csv. What a spreadsheet would take for a formula, such as the reference +4930901820, has an apostrophe before it; an import takes it away, and so does a reference in an address.',
        ),
    },
  }),
  import: operation(
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
  get: operation('getCustomer', 'Read a customer', { by: reference, response: { 200: customerSchema } }),
  put: operation('putCustomer', 'Add or change a customer; a field that is not given stays as it is', {
    by: reference,
    body: customerChange,
    response: {
      200: customerSchema,
      409: errorSchema.describe(
        'Another customer has the number, or somebody else changed the same fields at the same time.',
      ),
    },
  }),
  remove: operation('removeCustomer', 'Remove a customer', { by: reference, response: nothing }),
};

type Parts = AdminAccess & {
  readonly store: SegmentStores;
  readonly budgets: Budgets;
  readonly log: Log;
};

/** An account's segments, and its customers as CSV. */
export function adminCustomerRoutes(app: ZodInstance, parts: Parts): void {
  const { customers } = parts.store;
  app.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload));

  app.get('/segments', operations.listSegments, (request) => customers.segments(parts.accountOf(request).id));
  app.put('/segments/:name', operations.putSegment, (request) => putSegment(request, parts));
  app.delete('/segments/:name', operations.removeSegment, async (request, reply) => {
    await removeOne(request, parts);
    return reply.code(204).send(null);
  });
  app.get('/customers', operations.export, async (request, reply) => {
    const account = parts.accountOf(request);
    whenClosed(reply, parts.budgets.readers.take(account.id));
    if (!isHead(request)) await parts.audit(request, 'export', 'customers');
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="customers.csv"')
      .send(Readable.from(exportCustomers(customers, account)) as never);
  });
  app.post(
    '/customers',
    { ...operations.import, config: { longBody: true, turn: 'long' } },
    (request, reply) => importTable(request, reply, parts),
  );
  app.get('/customers/:reference', operations.get, (request) => read(request, parts));
  app.put('/customers/:reference', operations.put, (request) => put(request, parts));
  app.delete('/customers/:reference', operations.remove, async (request, reply) => {
    await remove(request, parts);
    return reply.code(204).send(null);
  });
}

type OfSegment = AdminRequest & { readonly params: { readonly name: string } };
type OfCustomer = AdminRequest & { readonly params: { readonly reference: string } };

async function putSegment(request: OfSegment & { body: z.output<typeof priority> }, parts: Parts) {
  const segment = { name: request.params.name, priority: request.body.priority };
  checkAddress('name', request.body.name, segment.name);
  await parts.store.customers.putSegment(parts.accountOf(request).id, segment);
  await parts.audit(request, 'settings', `segment ${segment.name}: priority ${segment.priority}`);
  return segment;
}

async function removeOne(
  request: OfSegment & { readonly query: { readonly force?: string | undefined } },
  { store, accountOf, audit }: Parts,
): Promise<void> {
  const { name } = request.params;
  if (!(await removeSegment(store, accountOf(request).id, name, request.query.force === 'true')))
    throw new Refusal(404, 'There is no such segment.');
  await audit(request, 'removal', `segment ${name}`);
}

/** The reference in an address: that of a customer, or as the list of customers writes one, behind an apostrophe. */
async function referenceIn(request: OfCustomer, { store, accountOf }: Parts): Promise<string> {
  const { reference } = request.params;
  const read = literalIn(unguarded(reference));
  if (read === reference || (await store.customers.get(accountOf(request).id, reference))) return reference;
  return read;
}

async function read(request: OfCustomer, parts: Parts) {
  const reference = await referenceIn(request, parts);
  const { id, country } = parts.accountOf(request);
  const customer = await parts.store.customers.get(id, reference);
  if (customer === undefined) throw new Refusal(404, 'There is no such customer.');
  return customerView(customer, country);
}

async function put(request: OfCustomer & { body: z.output<typeof customerChange> }, parts: Parts) {
  const { id, country } = parts.accountOf(request);
  const { numbers, reference: inBody, language, blocked, ...texts } = given(request.body);
  checkAddress('reference', inBody, request.params.reference);
  const reference = await referenceIn(request, parts);
  const stored = numbers && (await parts.store.customers.get(id, reference))?.numbers;
  const change = {
    reference,
    ...texts,
    ...(language !== undefined && { language: language ?? '' }),
    ...(blocked !== undefined && { blocked: blocked ? 'yes' : '' }),
    ...(numbers && { numbers: numbersIn(numbers, country, stored) }),
  };
  const customer = await putFields(parts.store.customers, id, change);
  await parts.audit(request, 'settings', `customer ${reference}`);
  return customerView(customer, country);
}

async function remove(request: OfCustomer, parts: Parts): Promise<void> {
  const { store, accountOf, audit } = parts;
  const reference = await referenceIn(request, parts);
  if (!(await store.customers.remove(accountOf(request).id, reference)))
    throw new Refusal(404, 'There is no such customer.');
  await audit(request, 'removal', `customer ${reference}`);
}

/** Imports the table of a body while it arrives. The customers of a table that breaks off stay. */
async function importTable(
  request: AdminRequest & { body: unknown; query: z.output<typeof importOptions> },
  reply: FastifyReply,
  { store: { customers }, budgets, accountOf, isAuthentic, audit, log }: Parts,
) {
  if (!(request.body instanceof Readable))
    throw new Refusal(415, 'The Content-Type header must be text/csv.');
  const { id, name, country } = accountOf(request);
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
      customers,
      account: id,
      country,
      goOn() {
        broken.signal.throwIfAborted();
        if (!isAuthentic(request)) throw new Refusal(401, 'Unauthenticated.');
      },
      createSegments: request.query.create_segments === 'true',
      mostLines: MAX_TABLE_LINES,
      progress(imported) {
        stored = imported;
      },
    });
    await audit(request, 'import', importSummary(report));
    return reportView(report);
  } catch (error) {
    const why = broken.signal.aborted ? (broken.signal.reason as Refusal) : (error as Error);
    const auditImport = (what: 'import', target: string) => audit(request, what, target);
    if (stored > 0) await auditBrokenImport({ stored, why, account: name, log }, auditImport);
    throw importRefusal(why);
  } finally {
    finish();
  }
}

function reportView({ unknownColumns, ...report }: Awaited<ReturnType<typeof importCustomers>>) {
  const { imported, refused, errors, leftOut, warnings, unsure } = report;
  return {
    imported,
    refused,
    errors: [...errors],
    warnings: [...leftOut.map(({ message, count, lines }) => ({ message, count, lines })), ...warnings],
    unsure,
    unknown_columns: [...unknownColumns],
  };
}

/** What ended an import, as it is answered. */
function importRefusal(why: Error): Error {
  if (why instanceof BadTable) return new Refusal(422, why.message);
  if (why instanceof TooLarge) return new Refusal(413, TOO_LARGE);
  if (why instanceof UnknownEncoding)
    return new Refusal(
      415,
      `${why.message} Or name its encoding, as in “Content-Type: text/csv; charset=windows-1250”.`,
    );
  if (why instanceof UnknownCharset)
    return new Refusal(415, 'The charset of the Content-Type header is unknown.');
  return why;
}

/**
 * The numbers in these texts, each once, and no more than are allowed. Throws what makes a 422 if a text is no number. Those
 * that the customer has already stay: a caller may have come with one that is none of any country.
 */
function numbersIn(
  texts: readonly string[],
  country: string | null,
  stored: readonly string[] = [],
): string[] {
  const numbers = new Set<string>();
  const issues: ConstructorParameters<typeof z.ZodError>[0] = [];
  const refuse = (index: number, message: string, input: string) =>
    issues.push({ code: 'custom', path: ['numbers', index], message, input });
  for (const [index, text] of texts.entries()) {
    const same = storedDigits(text, stored);
    const read = same === undefined ? readNumbers(text, country) : { numbers: [same], unread: [] };
    for (const one of read.unread)
      refuse(index, `${notANumber('numbers').slice(0, -1)}: “${one.text}”.`, one.text);
    // What says in a table that there is no number is none here: no field at all, or none in the list, says so.
    if (read.numbers.length + read.unread.length === 0 && text.trim() !== '')
      refuse(index, `${notANumber('numbers').slice(0, -1)}: “${plainText(text, 40)}”.`, text);
    for (const number of read.numbers) numbers.add(number);
    if (numbers.size > MAX_NUMBERS) refuse(index, en.customers.manyNumbers, text);
    if (numbers.size > MAX_NUMBERS || issues.length > MAX_NUMBERS) break;
  }
  if (issues.length > 0) throw new z.ZodError(issues);
  return [...numbers];
}

/**
 * Sets fields of a customer, new or known. Fields that somebody else changes at the same time stay as they are then.
 * @throws Refusal 409 if they are the same fields, or another customer has the number; 422 if there is no such segment, or nothing
 * but a reference to know a new customer by
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
    // A customer who was merged into another one has left no numbers here that could be blocked.
    if (known === undefined && !change.name && !change.numbers?.length) throw new Refusal(422, UNKNOWN);
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

/** A customer as programs get it. */
export const customerView = (customer: Customer, country: string | null) => ({
  ...customer,
  numbers: exportedNumbers(customer, country),
  language: customer.language || null,
  blocked: customer.blocked !== '',
});
