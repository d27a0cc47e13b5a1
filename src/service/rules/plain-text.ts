/**
 * Invisible characters with effects on the text around them: control characters, and marks that change the writing
 * direction (Unicode Standard Annex 9).
 */
const invisible = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/gu;

/** An untrusted text in one line of at most `longest` characters, without invisible characters. */
export function plainText(text: string, longest = 200): string {
  const clean = text.replace(invisible, '\ufffd').toWellFormed();
  if (/^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(clean)) return '␣';
  if (clean.length <= longest) return clean;
  return `${[...clean.slice(0, longest)].slice(0, -1).join('').toWellFormed()}…`;
}
