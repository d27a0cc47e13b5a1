import { type Html, html } from '../words/html.ts';
import { assetUrl } from './assets.ts';

/** The pictures of client/icons.svg. */
export type Icon =
  | 'phone'
  | 'phone-missed'
  | 'phone-outgoing'
  | 'phone-incoming'
  | 'bell-ring'
  | 'bell-off'
  | 'check'
  | 'undo-2'
  | 'search'
  | 'download'
  | 'users'
  | 'ellipsis'
  | 'settings'
  | 'chart-column'
  | 'chevron-left'
  | 'chevron-down'
  | 'x'
  | 'plus'
  | 'pencil'
  | 'message-square-text'
  | 'copy'
  | 'plug'
  | 'webhook'
  | 'scroll-text'
  | 'tag'
  | 'clock'
  | 'shield-check'
  | 'wifi-off'
  | 'circle-user'
  | 'sliders-horizontal'
  | 'list-checks';

/** A picture beside a word that says the same, or in a button with a label: screen readers do not see it. */
export const icon = (name: Icon, also = ''): Html =>
  html`<svg class=${`i ${also}`.trim()} aria-hidden="true"><use href=${`${assetUrl('icons.svg')}#${name}`} /></svg>`;
