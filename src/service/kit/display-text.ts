import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import { icon } from './icon.ts';

/** An untrusted text for a page: `plainText` with its writing direction isolated. */
export function displayText(text: string, longest?: number): Html {
  return html`<bdi>${plainText(text, longest)}</bdi>`;
}

/** An untrusted text of several lines, for a `pre`. */
export function lines(text: string): Html {
  const clean = text.split(/\r?\n/).map((line) => plainText(line, line.length + 1));
  return html`<bdi>${clean.join('\n')}</bdi>`;
}

/** A text with a button that copies it (shown by client/enable-copy-buttons.ts). */
export function copyable({ kit }: Words, id: string, label: string, text: string): Html {
  return html`<div class="copyable">
    <span class="label" id=${`${id}-label`}>${label}</span>
    <div class="pair"><pre id=${id} tabindex="0" aria-labelledby=${`${id}-label`}>${text}</pre><button type="button" hidden data-copy=${id} data-copied=${kit.copied} data-press=${kit.pressCopy} aria-describedby=${`${id}-label`}>${icon('copy')}<span>${kit.copy}</span></button></div>
  </div>`;
}
