import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import { type Icon, icon } from './icon.ts';
import type { PageRequest } from './page-request.ts';

/** The entries of the list beside all settings. The longest path that a page is under is its entry. */
export const settingsPages: readonly {
  readonly path: string;
  readonly label: keyof Words['settings'];
  readonly icon: Icon;
  readonly part: 'office' | 'connections' | 'you';
  readonly role: 'administrator' | 'agent';
}[] = [
  { path: '/users', label: 'users', icon: 'users', part: 'office', role: 'administrator' },
  { path: '/segments', label: 'segments', icon: 'tag', part: 'office', role: 'administrator' },
  { path: '/opening-hours', label: 'openingHours', icon: 'clock', part: 'office', role: 'administrator' },
  { path: '/audit', label: 'audit', icon: 'list-checks', part: 'office', role: 'administrator' },
  { path: '/integrations', label: 'integrations', icon: 'plug', part: 'connections', role: 'administrator' },
  { path: '/webhooks', label: 'webhooks', icon: 'webhook', part: 'connections', role: 'administrator' },
  { path: '/api-log', label: 'apiLog', icon: 'scroll-text', part: 'connections', role: 'administrator' },
  { path: '/notifications', label: 'notifications', icon: 'bell-ring', part: 'you', role: 'agent' },
  { path: '/account', label: 'account', icon: 'circle-user', part: 'you', role: 'agent' },
  { path: '/security', label: 'security', icon: 'shield-check', part: 'you', role: 'agent' },
];

/** A page of the settings: beside the list of all of them; on a narrow screen with a way back to the list. */
export const settingsFrame = (request: PageRequest, body: Html): Html => html`<div class="settings">
  ${settingsList(request)}
  <section><a class="back" href="/settings">${icon('chevron-left')}${request.words.layout.settings}</a>${body}</section>
</div>`;

/** Alone it is the page that the navigation leads to. */
export function settingsList({ path, administrates, words: { layout, settings: text } }: PageRequest): Html {
  const shown = settingsPages.filter(({ role }) => role === 'agent' || administrates);
  return html`<nav class="list" aria-label=${layout.settings}>
    ${(['office', 'connections', 'you'] as const).map((part) => {
      const entries = shown.filter((entry) => entry.part === part);
      return (
        entries.length > 0 &&
        html`<h2>${text[part]}</h2>${entries.map(
          ({ path: to, label, icon: name }) =>
            html`<a href=${to} aria-current=${path === to || path.startsWith(`${to}/`) ? 'page' : undefined}>${icon(name)}${text[label]}</a>`,
        )}`
      );
    })}
  </nav>`;
}
