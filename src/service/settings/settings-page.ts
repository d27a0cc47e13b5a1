import type { Pages } from '../accounts/user-request.ts';
import { settingsList } from '../kit/settings-frame.ts';
import { html } from '../words/html.ts';

/** The list of all settings, which the navigation leads to. */
export function settingsPage(pages: Pages): void {
  pages.get('/settings', 'agent', (request) => ({
    title: request.words.layout.settings,
    body: html`<h1>${request.words.layout.settings}</h1><div class="settings">${settingsList(request)}</div>`,
  }));
}
