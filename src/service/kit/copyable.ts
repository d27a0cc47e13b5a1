import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';

/** A text with a button that copies it (shown by client/copy-button.js). */
export function copyable({ kit }: Words, id: string, label: string, text: string): Html {
  return html`<div class="copyable">
    <div class="copyable-head"><h3 id=${`${id}-label`}>${label}</h3><button type="button" hidden data-copy=${id} data-copied=${kit.copied} data-press=${kit.pressCopy} aria-describedby=${`${id}-label`}>${kit.copy}</button></div>
    <pre id=${id} tabindex="0" aria-labelledby=${`${id}-label`}>${text}</pre>
  </div>`;
}
