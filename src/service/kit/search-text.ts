/** The parts of a search, each of which the text of what is found holds; a number may be written in any way. */
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
