/**
 * Input as a Laravel application sees it (decision `blank-is-missing`): text trimmed, null and '' left out.
 * A fresh object without a prototype, so that a key such as `__proto__` is a key like any other.
 */
export function fieldsOf(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(input)) {
    const value = input[key];
    const kept = typeof value === 'string' ? value.trim() : value;
    if (kept !== '' && kept !== null) fields[key] = kept;
  }
  return fields;
}

/**
 * The fields of a query string: the last of equal keys counts (decision `repeated-key`), and where `numbers` names
 * a field, a leading blank is the plus that was not encoded (decision `plus-in-query`).
 */
export function queryFields(
  query: string,
  numbers: readonly string[] = ['from', 'number'],
): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null);
  if (query === '') return fields;
  for (const [key, value] of new URLSearchParams(query)) {
    fields[key] =
      numbers.includes(key) && /^ *\d/.test(value) && value.startsWith(' ') ? `+${value.trim()}` : value;
  }
  return fieldsOf(fields);
}
