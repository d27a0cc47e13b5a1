import { limits } from './decisions.ts';

/** Compared, or searched for, exactly as they are sent. */
const exactFields = new Set(['id', 'search_term']);

/**
 * Input as a Laravel application sees it (decision `blank-is-missing`): text trimmed, null and blanks left out. The same
 * object if there is nothing to change, else a copy without a prototype: `__proto__` is a key like any other.
 */
export function fieldsOf(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const keys = Object.keys(input);
  if (keys.every((key) => input[key] !== undefined && cleaned(key, input[key]) === input[key])) return input;
  const fields: Record<string, unknown> = Object.create(null);
  for (const key of keys) {
    const value = cleaned(key, input[key]);
    if (value !== undefined) fields[key] = value;
  }
  return fields;
}

/** Undefined if it is blank. */
function cleaned(key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value ?? undefined;
  const trimmed = value.trim();
  return trimmed === '' ? undefined : exactFields.has(key) ? value : trimmed;
}

/** The fields of a query string as sent. Encoded bytes that are not UTF-8 are read as ISO 8859-1 (decision `raw-url`). */
export function queryEntries(query: string): [name: string, value: string][] {
  const inUtf8 = query.replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    const bytes = Buffer.from(encoded.replaceAll('%', ''), 'hex');
    const isUtf8 = Buffer.from(bytes.toString()).equals(bytes);
    return isUtf8 ? encoded : encodeURIComponent(bytes.toString('latin1'));
  });
  return [...new URLSearchParams(inUtf8)];
}

/**
 * The fields of a query string: the last of equal keys counts (decision `repeated-key`), a number's leading blank is the
 * plus that was not encoded (decision `plus-in-query`), and an empty limit is the default (decision `history-pages`).
 */
export function queryFields(query: string): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = Object.create(null);
  if (query === '') return fields;
  for (const [key, value] of queryEntries(query)) fields[key] = queryValue(key, value);
  return fieldsOf(fields);
}

function queryValue(key: string, value: string): string {
  if (/^ +\d/.test(value) && /^(from|number|caller_id)$/.test(key)) return `+${value.trim()}`;
  return key === 'limit' && value.trim() === '' ? String(limits.defaultPageSize) : value;
}
