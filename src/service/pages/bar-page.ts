import { html } from './kit/html.ts';
import type { Pages } from './kit/page-request.ts';

/** The notification bar as its own page. */
export function barPage(pages: Pages): void {
  pages.get('/bar', 'agent', () => ({
    title: 'Calls',
    barAlone: true,
    body: html`<h1 class="unseen">Calls</h1>`,
  }));
}
