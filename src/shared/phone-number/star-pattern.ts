/**
 * Whether a text is as a pattern says, in which `*` stands for any characters, also none. Users type patterns, so this takes linear
 * time in the length of the text: a RegExp of many `.*` would backtrack for years.
 */
export function matchesStars(pattern: string, text: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    // The earliest place leaves the most for what comes after it.
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at + last.length <= text.length && text.endsWith(last);
}
