import { z } from 'zod';
import { callEventReplySchema, callEventSchema } from './call-event.ts';
import { type DecisionKey, decisions } from './decisions.ts';
import { errorSchema, validationErrorSchema } from './errors.ts';
import { historyArraySchema, historyPageSchema, historyQuerySchema } from './history.ts';
import { historyPath } from './paths.ts';
import { priorityQuerySchema, priorityResultSchema } from './phone-number.ts';

const refusals = {
  401: errorSchema.describe('The token is missing or not valid, and Accept: application/json was sent.'),
  302: z.null().describe('The token is missing or not valid, and Accept: application/json was not sent.'),
  422: validationErrorSchema.describe('A field is missing or invalid.'),
  429: errorSchema.describe('More requests than the limit that is set.'),
  503: errorSchema.describe(
    'The storage cannot be reached, or takes nothing; ask, or send the event, again.',
  ),
};
const bodyRefusals = {
  400: errorSchema.describe('The body is not a JSON object in UTF-8.'),
  413: errorSchema.describe('The body is too large.'),
  415: errorSchema.describe('The Content-Type is not application/json.'),
};

/** What was decided, in the words of the table. */
function because(...keys: DecisionKey[]): string {
  return keys.map((key) => `- ${decisions[key].decides}`).join('\n');
}

/** Every operation of the document, with its request and its response. Paths are relative to the base address. */
export const routes = {
  postCall: {
    method: 'POST',
    path: '/voice/call',
    schema: {
      operationId: 'postCall',
      summary: 'Post a call event',
      description: `Creates a call or moves it forward; the same \`id\` throughout the call. 200 confirms receipt only.\n${because('duplicate-event', 'late-fields', 'unknown-fields')}`,
      tags: ['Voice'],
      body: callEventSchema,
      response: { 200: callEventReplySchema, ...refusals, ...bodyRefusals },
    },
  },
  getCall: {
    method: 'GET',
    path: '/voice/call',
    schema: {
      operationId: 'getCall',
      summary: 'Post a call event with a URL alone',
      description: `The same fields in the query string, for systems that can only request a URL.\n${because('plus-in-query', 'repeated-key')}`,
      tags: ['Voice'],
      querystring: callEventSchema,
      response: { 200: callEventReplySchema, ...refusals },
    },
  },
  getPriority: {
    method: 'GET',
    path: '/voice/priority',
    schema: {
      operationId: 'getPriority',
      summary: "Look up a caller's priority",
      description: because('priority-parameter', 'priority-result', 'number-format'),
      tags: ['Voice'],
      querystring: priorityQuerySchema,
      response: { 200: priorityResultSchema, ...refusals },
    },
  },
  postPriority: {
    method: 'POST',
    path: '/voice/priority',
    schema: {
      operationId: 'postPriority',
      summary: "Look up a caller's priority",
      description: because('priority-parameter', 'priority-result', 'number-format'),
      tags: ['Voice'],
      body: priorityQuerySchema,
      response: { 200: priorityResultSchema, ...refusals, ...bodyRefusals },
    },
  },
  getHistory: {
    method: 'GET',
    path: historyPath,
    schema: {
      operationId: 'getHistory',
      summary: 'List the request history',
      description: because(
        'history-entry',
        'history-of-lists',
        'history-search',
        'history-sort',
        'history-pages',
      ),
      tags: ['Voice'],
      querystring: historyQuerySchema,
      response: {
        200: z
          .union([historyPageSchema, historyArraySchema])
          .describe('With limit: a page. Without: everything, as a bare array.'),
        ...refusals,
      },
    },
  },
} as const;

/** The methods that a path of the API takes; undefined if it has none. Decision `unknown-path`. */
export function methodsOf(path: string): string[] | undefined {
  const methods = Object.values(routes).flatMap((route) => (route.path === path ? [route.method] : []));
  return methods.length > 0 ? methods : undefined;
}
