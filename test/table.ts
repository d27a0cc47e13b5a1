/**
 * The rows of a table of a test, a line each, its cells between bars: for rows that are only texts, of which there would
 * be five lines each otherwise. Two bars beside each other are a text.
 */
export function table<Row extends string[]>(text: string): Row[] {
  const lines = text.trim().split('\n');
  return lines.map((line) => line.split(/(?<!\|)\|(?!\|)/).map((cell) => cell.trim()) as Row);
}
