/**
 * Input as a Laravel application sees it (decision `blank-is-missing`): text trimmed, null and '' left out. The same
 * object if there is nothing to change, else a copy without a prototype: `__proto__` is a key like any other.
 */
export function fieldsOf(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const keys = Object.keys(input);
  if (keys.every((key) => isClean(input[key]))) return input;
  const fields: Record<string, unknown> = Object.create(null);
  for (const key of keys) {
    const value = input[key];
    const kept = typeof value === 'string' ? value.trim() : value;
    if (kept !== '' && kept !== null) fields[key] = kept;
  }
  return fields;
}

function isClean(value: unknown): boolean {
  return typeof value === 'string' ? value !== '' && value === value.trim() : value !== null;
}

/**
 * The fields of a query string: the last of equal keys counts (decision `repeated-key`), and where `numbers` names
 * a field, a leading blank is the plus that was not encoded (decision `plus-in-query`).
 */
export function queryFields(
  query: string,
  numbers: readonly string[] = ['from', 'number'],
): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = Object.create(null);
  if (query === '') return fields;
  for (const [key, value] of new URLSearchParams(query)) {
    fields[key] =
      numbers.includes(key) && /^ *\d/.test(value) && value.startsWith(' ') ? `+${value.trim()}` : value;
  }
  return fieldsOf(fields);
}
