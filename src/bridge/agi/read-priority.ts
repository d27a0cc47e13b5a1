import { type ApiResult, apiErrorKinds } from '../../shared/api/result.ts';
import { parseJson } from '../../shared/process/parse-json.ts';
import {
  type CallerFacts,
  failed,
  notFound,
  type PriorityAnswer,
  safeName,
  safeValue,
  timedOut,
} from './priority-answer.ts';

/** Names of fields in the API's response, which the API document leaves open. */
export type ResponseFields = { readonly priority: string; readonly name: string };

/** The result of a request to the API; `reason` is for the log, only with TIMEOUT and ERROR. */
export type LookupResult = PriorityAnswer & { readonly reason?: string };

/**
 * Reads the response to a priority lookup (part 4.2): each field is looked for at the top level and under `data`.
 *
 * | response | result |
 * |---|---|
 * | a number or a plain word in the field | FOUND |
 * | null in the field; null or an empty object at the top level or under `data`; 204; 404 as JSON | NOTFOUND |
 * | no response in time | TIMEOUT |
 * | anything else: no connection, another status, no JSON, no such field, an unsafe value | ERROR |
 *
 * The name, and what else the service of this package says of a caller, is taken if there is some, with FOUND and with NOTFOUND.
 */
export function readPriority(result: ApiResult, fields: ResponseFields): LookupResult {
  if (result.kind === 'failed') {
    const reason = apiErrorKinds[result.error];
    return result.error.startsWith('timeout-') ? { ...timedOut, reason } : error(reason);
  }
  const { status, body, truncated } = result;
  if (status === 204) return notFound;
  if ((status < 200 || status > 299) && status !== 404) return error(`HTTP ${status}`);
  if (truncated) return error('the response is too long');
  const json = parseJson(body);
  if (json === undefined) return error(status === 404 ? 'HTTP 404' : 'the response is not JSON');
  if (status === 404) return notFound;
  const places = [json, ownProperty(json, 'data')];
  const name = places.map((place) => ownProperty(place, fields.name)).find((it) => typeof it === 'string');
  const found = readValue(places, fields.priority);
  if (found.reason !== undefined) return found;
  const safe = typeof name === 'string' ? safeName(name) : '';
  const facts = readFacts(places);
  return {
    ...found,
    ...(safe !== '' && { name: safe }),
    ...(Object.keys(facts).length > 0 && { facts }),
  };
}

/** Longest text of a fact that is kept. */
const LONGEST_FACT = 200;

/** Other APIs do not have these members. */
function readFacts(places: readonly unknown[]): CallerFacts {
  const member = (name: string) =>
    places.map((place) => ownProperty(place, name)).find((it) => it !== undefined && it !== null);
  const text = (name: string) => {
    const value = member(name);
    return typeof value === 'string' ? value.slice(0, LONGEST_FACT) : '';
  };
  const language = text('language');
  const facts: Required<CallerFacts> = {
    segment: text('segment'),
    lastExtension: text('last_extension'),
    callbackExtension: text('callback_extension'),
    blocked: member('blocked') === true ? 'yes' : '',
    language: /^[a-z]{2}$/.test(language) ? language : '',
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== ''));
}

function readValue(places: readonly unknown[], field: string): LookupResult {
  const place = places.find((it) => ownProperty(it, field) !== undefined);
  const value = ownProperty(place, field);
  if (value === null || (value === undefined && places.some(isEmpty))) return notFound;
  if (value === undefined) return error(`the response has no field ${field}`);
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return safeValue.test(text)
    ? { status: 'FOUND', value: text }
    : error(`the value of ${field} is neither a number nor a plain word`);
}

/** `null`, `{}` and `[]`: an empty result. */
function isEmpty(json: unknown): boolean {
  return json === null || (typeof json === 'object' && Object.keys(json).length === 0);
}

function ownProperty(json: unknown, key: string): unknown {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, key)
    ? (json as Record<string, unknown>)[key]
    : undefined;
}

function error(reason: string): LookupResult {
  return { ...failed, reason };
}
