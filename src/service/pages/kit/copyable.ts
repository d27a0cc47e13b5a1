import { type Html, html } from './html.ts';

/** A text to take elsewhere, with a button that copies it (client/copy-button.js shows it). */
export function copyable(id: string, label: string, text: string): Html {
  return html`<div class="copyable">
    <div class="copyable-head"><h3 id=${`${id}-label`}>${label}</h3><button type="button" hidden data-copy=${id} aria-describedby=${`${id}-label`}>Copy</button></div>
    <pre id=${id} tabindex="0" aria-labelledby=${`${id}-label`}>${text}</pre>
  </div>`;
}
