/**
 * The search text of a customer, the same on every engine: it is made when the customer is saved, and compared by code
 * points. It begins with the name, so that lists are ordered by it, too.
 */
export function searchText({
  name,
  reference,
  numbers,
}: {
  readonly name: string;
  readonly reference: string;
  readonly numbers: readonly string[];
}): string {
  return [folded(name), folded(reference), ...numbers].join('\n');
}

/** The parts of a search, each of which a customer's text must hold; a number may be written in any way. */
export function searchWords(term: string): string[] {
  const number = term.replace(/[\s()./-]/g, '');
  if (/^\+?\d{3,}$/.test(number)) return [number.replace(/^(\+|00|0)/, '')];
  return folded(term).split(/\s+/).filter(Boolean).slice(0, 8);
}

/** Without accents, in lower case. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('\n', ' ');
}
