import { z } from 'zod';
import { limits } from './decisions.ts';
import { oneOf, required, text } from './text.ts';

const historySorts = ['created_at', '-created_at'] as const;
const historySearches = ['request', 'response'] as const;

/** A whole number from a query string, where everything is text; more than `max` is taken as `max`. */
function count(name: string, max: number) {
  return z
    .string({ error: `The ${name} field must be an integer.` })
    .refine((value) => /^[+-]?\d+$/.test(value), {
      error: `The ${name} field must be an integer.`,
      abort: true,
    })
    .transform((value) => Math.min(Number(value), max))
    .refine((value) => value >= 1, `The ${name} field must be at least 1.`)
    .meta({ type: 'integer', minimum: 1 });
}

/** Part 4.3, query parameters; decisions `history-search`, `history-sort`, `history-pages`. */
export const historyQuerySchema = z
  .object({
    search: oneOf('search', historySearches).optional(),
    search_term: text('search_term', limits.searchTermLength).optional(),
    sort: oneOf('sort', historySorts).optional(),
    limit: count('limit', limits.pageSize).optional(),
    page: count('page', Number.MAX_SAFE_INTEGER).optional(),
    cursor: z
      .string()
      .regex(
        /^\d{1,15}-\d{1,15}(-\d{1,15}-\d{1,15})?-\d{1,15}$/,
        'The cursor field is invalid; it comes from links.next.',
      )
      .optional()
      .describe('Where a text search goes on: from links.next.'),
  })
  .superRefine((query, context) => {
    const together = (name: 'search' | 'search_term' | 'limit', other: string, missing: boolean) => {
      if (missing) {
        const message = required(name).replace('.', ` when ${other} is present.`);
        context.addIssue({ code: 'custom', path: [name], message });
      }
    };
    together('search_term', 'search', query.search !== undefined && query.search_term === undefined);
    together('search', 'search_term', query.search_term !== undefined && query.search === undefined);
    together('limit', 'page', query.page !== undefined && query.limit === undefined);
    together('limit', 'cursor', query.cursor !== undefined && query.limit === undefined);
    together('search', 'cursor', query.cursor !== undefined && query.search === undefined);
  });

export type HistoryQuery = z.output<typeof historyQuerySchema>;

/** One recorded request. Part 2, "History entry"; decision `history-entry`. */
const historyEntrySchema = z
  .object({
    id: z.int().describe('Rising in the order of recording.'),
    created_at: z.iso.datetime().describe('When the request came, in UTC.'),
    method: z.string(),
    path: z.string().describe('With the query string, unless that is the payload.'),
    request: z.string().describe('The payload as received: the body, or the query string as sent.'),
    request_encoding: z.enum(['utf-8', 'base64']),
    status: z.int(),
    response: z
      .unknown()
      .describe('The JSON given; a list of history has ids in place of entries, or is null.'),
    duration: z.number().describe('Milliseconds from the request to the writing of this entry.'),
  })
  .meta({ id: 'HistoryEntry' });

export type HistoryEntry = z.infer<typeof historyEntrySchema>;

/** Without `limit`: everything, as a bare array. */
export const historyArraySchema = z.array(historyEntrySchema);

/** With `limit`: a page, with links and meta as Laravel gives them. */
export const historyPageSchema = z
  .object({
    data: z.array(historyEntrySchema),
    links: z.object({
      first: z.url(),
      last: z.url().nullable().describe('Null if meta.total is.'),
      prev: z.url().nullable(),
      next: z.url().nullable(),
    }),
    meta: z.object({
      current_page: z.int(),
      from: z.int().nullable(),
      last_page: z.int().nullable().describe('Null if total is.'),
      path: z.url(),
      per_page: z.int(),
      to: z.int().nullable(),
      total: z.int().nullable().describe('Of a text search null until its last page.'),
      searched_to: z.iso
        .datetime()
        .nullable()
        .describe(
          'Up to when texts were read, of a search that is not at its end; links.next goes on there.',
        ),
    }),
  })
  .meta({ id: 'HistoryPage' });

export type HistoryPage = z.infer<typeof historyPageSchema>;
