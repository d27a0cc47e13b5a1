import { z } from 'zod';
import { limits } from '../../shared/api/contract/decisions.ts';
import { text } from '../../shared/api/contract/text.ts';
import { parseJson } from '../../shared/process/parse-json.ts';
import { operation } from './administration.ts';
import { Refusal } from './refusal.ts';

/** Things of a page. */
const [MAX_LIMIT, LIMIT] = [200, 50];
/** Longer than any that we make. */
const MAX_CURSOR = 2_000;

/** Of what is read again and again. */
export const notModified = z.null().describe('Nothing has changed since the answer with this ETag.');

/** A text in a query: a number, a name, a reference. */
export const filterText = (name: string) => text(name, limits.numberLength);
/** A moment in a query. */
export const momentField = (name: string) =>
  z.iso.datetime({
    offset: true,
    error: `The ${name} field must be a date and time with Z or an offset, such as 2026-11-20T09:00:00Z.`,
  });
/** A whole number in a query. */
export function countField(name: string, { min, max }: { readonly min: number; readonly max: number }) {
  const error = `The ${name} field must be a whole number from ${min} to ${max}.`;
  return z.coerce.number({ error }).int(error).min(min, error).max(max, error);
}
/** Unix ms; null: not given. */
export const msOf = (moment: string | undefined): number | null =>
  moment === undefined ? null : Date.parse(moment);

/** A cursor as programs keep it: they do not look into it. `list`: what it is a place in. */
export const cursorText = (list: string, place: readonly (string | number | null)[]): string =>
  Buffer.from(JSON.stringify([list, ...place])).toString('base64url');

/** A place among things that are in the order of a time, Unix ms. */
export const atAndId = z.tuple([z.int(), z.int()]).transform(([at, id]) => ({ at, id }));

/** The place of a cursor that `cursorText` made for the same list; null without one. @throws Refusal 422 */
export function placeIn<Place extends z.ZodType>(
  list: string,
  cursor: string | undefined,
  place: Place,
): z.output<Place> | null {
  if (cursor === undefined) return null;
  const [name, ...values] = z
    .array(z.unknown())
    .catch([])
    .parse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  const read = place.safeParse(values);
  if (name === list && read.success) return read.data;
  throw new Refusal(422, 'The cursor is none that this list has given.');
}

export const cursorField = z.string().max(MAX_CURSOR);

/** A GET that lists things page by page; `filters`: the other parameters of its query. A misspelt one would list everything. */
export function listOperation<Item extends z.ZodType, Filters extends z.ZodRawShape>(
  operationId: string,
  summary: string,
  item: Item,
  filters: Filters,
) {
  return operation(operationId, summary, {
    querystring: z.strictObject({
      ...filters,
      limit: countField('limit', { min: 1, max: MAX_LIMIT }).default(LIMIT).describe('How many at most.'),
      cursor: cursorField
        .optional()
        .describe('`next` of the page before. It stays valid, whatever is added or changed in between.'),
    }),
    response: {
      200: z.object({
        data: z.array(item),
        next: z
          .string()
          .nullable()
          .describe(
            'The cursor of the next page; null: this is the last. A page can have fewer than `limit`, even none, while there are more: what is searched for long goes on from there.',
          ),
      }),
      304: notModified,
    },
  });
}
