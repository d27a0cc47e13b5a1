import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import { icon } from './icon.ts';

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

/** The same for a page, with its writing direction isolated. */
export function displayText(text: string, longest?: number): Html {
  return html`<bdi>${plainText(text, longest)}</bdi>`;
}

/** An untrusted text of several lines, for a `pre`. */
export function lines(text: string): Html {
  const clean = text.split(/\r?\n/).map((line) => plainText(line, line.length + 1));
  return html`<bdi>${clean.join('\n')}</bdi>`;
}

/** A text with a button that copies it (shown by client/copy-button.js). */
export function copyable({ kit }: Words, id: string, label: string, text: string): Html {
  return html`<div class="copyable">
    <span class="label" id=${`${id}-label`}>${label}</span>
    <div class="pair"><pre id=${id} tabindex="0" aria-labelledby=${`${id}-label`}>${text}</pre><button type="button" hidden data-copy=${id} data-copied=${kit.copied} data-press=${kit.pressCopy} aria-describedby=${`${id}-label`}>${icon('copy')}<span>${kit.copy}</span></button></div>
  </div>`;
}
