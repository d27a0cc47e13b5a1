import type { ServiceContext } from '../context.ts';
import { html } from './html.ts';
import type { Pages } from './visit.ts';

/** The first page: what happens at the moment. */
export function nowPage(pages: Pages, _context: ServiceContext): void {
  pages.get('/', 'agent', () => ({ title: 'Now', body: html`<h1>Now</h1>` }));
}
