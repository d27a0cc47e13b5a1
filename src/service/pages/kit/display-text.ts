import { type Html, html } from './html.ts';

/**
 * Characters that act on what is around them, or on whoever copies them, and show nothing: controls, and the marks that
 * turn the direction of writing (Unicode Standard Annex 9).
 */
const acting = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/gu;

/** A text of strangers in one line of at most `longest` characters, with nothing in it that acts unseen. */
export function plainText(text: string, longest = 200): string {
  const clean = text.replace(acting, '\ufffd').toWellFormed();
  if (/^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(clean)) return '(blank)';
  if (clean.length <= longest) return clean;
  return `${[...clean.slice(0, longest)].slice(0, -1).join('').toWellFormed()}…`;
}

/** The same on a page: its direction of writing ends with it. */
export function displayText(text: string, longest?: number): Html {
  return html`<bdi>${plainText(text, longest)}</bdi>`;
}

/** A text of many lines, for a `pre`. */
export function lines(text: string): Html {
  const clean = text.split(/\r?\n/).map((line) => plainText(line, line.length + 1));
  return html`<bdi>${clean.join('\n')}</bdi>`;
}
