import { type ApiResult, apiErrorKinds } from '../api/result.ts';
import { parseJson } from '../process/parse-json.ts';
import { failed, notFound, type PriorityAnswer, safeValue, timedOut } from './priority-answer.ts';

/** A priority as the API answered it; `reason` is for the log, and only with TIMEOUT and ERROR. */
export type Reading = PriorityAnswer & { readonly reason?: string };

/**
 * Reads the answer to a priority lookup (part 4.2), whose shape the API document leaves open: `field` is looked for
 * at the top and under `data`.
 *
 * | answer | is |
 * |---|---|
 * | a number or a plain word in the field | FOUND |
 * | null in the field, null or nothing at the top or under `data`, 204, 404 as JSON | NOTFOUND: no such caller |
 * | no answer in time | TIMEOUT |
 * | anything else: no connection, another status, no JSON, no such field, a value that must not be written to a channel | ERROR |
 */
export function readPriority(result: ApiResult, field: string): Reading {
  if (result.kind === 'failed') {
    const reason = apiErrorKinds[result.error];
    return result.error.startsWith('timeout-') ? { ...timedOut, reason } : error(reason);
  }
  const { status, body, truncated } = result;
  if (status === 204) return notFound;
  if ((status < 200 || status > 299) && status !== 404) return error(`HTTP ${status}`);
  if (truncated) return error('the answer is too long');
  const json = parseJson(body);
  if (json === undefined) return error(status === 404 ? 'HTTP 404' : 'the answer is not JSON');
  if (status === 404) return notFound;
  return readValue(json, field);
}

function readValue(json: unknown, field: string): Reading {
  const places = [json, own(json, 'data')];
  const place = places.find((it) => own(it, field) !== undefined);
  const value = own(place, field);
  if (value === null || (value === undefined && places.some(isNothing))) return notFound;
  if (value === undefined) return error(`the answer has no ${field}`);
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return safeValue.test(text)
    ? { status: 'FOUND', value: text }
    : error(`${field} is no number and no plain word`);
}

/** `null`, `{}` and `[]`: how APIs answer that there is nothing. */
function isNothing(json: unknown): boolean {
  return json === null || (typeof json === 'object' && Object.keys(json).length === 0);
}

function own(json: unknown, key: string): unknown {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, key)
    ? (json as Record<string, unknown>)[key]
    : undefined;
}

function error(reason: string): Reading {
  return { ...failed, reason };
}
