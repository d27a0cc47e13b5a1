import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { errorSchema, validationErrorSchema } from '../../shared/api/contract/errors.ts';
import type { Turn } from './account-turns.ts';
import { Refusal } from './refusal.ts';
import { line } from './text.ts';

/** A name of an account, integration or segment. */
export const name = line('name');

/** The address of a thing: its `uid`, as the list of its kind has it. */
export const byUid = z.object({ uid: z.string() });

export const moment = z.iso.datetime().describe('UTC.');

/** As JSON has a time, Unix ms. */
export const momentOf = (at: number): string => new Date(at).toISOString();

const refusals = {
  401: errorSchema.describe('The administration token is missing or not valid.'),
  422: z
    .union([validationErrorSchema, errorSchema])
    .describe('A field is missing or invalid, or the account has as many as it can have.'),
  429: errorSchema.describe(
    'Too many requests of the account wait, or go on; ask again after `Retry-After` seconds, if it is given.',
  ),
  503: errorSchema.describe('The storage cannot be reached, or takes nothing; ask again.'),
};
const notFound = { 404: errorSchema.describe('There is no such thing.') };

/**
 * What OpenAPI says of a route, and what it takes and gives; `by`: the parameters in its path; `turn`: see account-turns.ts. Every route can be refused
 * for a token, a field or the storage.
 */
export function operation<
  Answer extends Record<number, z.ZodType>,
  Rest extends { body?: z.ZodType; querystring?: z.ZodType; consumes?: string[] },
  By extends z.ZodType = z.ZodObject<Record<never, never>>,
>(
  operationId: string,
  summary: string,
  { by, turn, ...rest }: Rest & { by?: By; turn?: Turn; response: Answer },
) {
  const response = { ...refusals, ...(by && notFound), ...rest.response };
  // A misspelt field would be done without.
  const body = rest.body instanceof z.ZodObject ? rest.body.strict() : rest.body;
  return {
    schema: { operationId, summary, ...rest, ...(body && { body }), ...(by && { params: by }), response },
    ...(turn && { config: { turn } }),
  } as {
    schema: {
      operationId: string;
      summary: string;
      params: By;
      response: Answer & typeof refusals & typeof notFound;
    } & Rest;
  };
}

/** A field that names what the address names already: who writes back what was read sends it, too. */
export const inAddress = z.string().optional().describe('As in the address.');

/** @throws Refusal 422 if a body names something else than the address */
export function checkAddress(field: string, given: string | undefined, address: string): void {
  if (given !== undefined && given !== address)
    throw new Refusal(422, `The ${field} field must be as in the address.`);
}

/** Nothing is left to say. */
export const nothing = { 204: z.null().describe('Done.') };

/** Removes undefined fields (exactOptionalPropertyTypes). */
export function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** A Fastify instance whose handlers get the types of the contract's schemas. */
export type ZodInstance = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;
