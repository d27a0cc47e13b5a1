import type { Role } from '../../store/user-store.ts';
import { assetUrl } from './assets.ts';
import { button } from './form.ts';
import { type Html, html, render } from './html.ts';
import { shown } from './shown.ts';
import type { Page, Visit } from './visit.ts';

/** The pages at the top of every page. */
const navigation: readonly { path: string; label: string; role: Role }[] = [
  { path: '/', label: 'Now', role: 'agent' },
  { path: '/activity', label: 'Activity', role: 'agent' },
  { path: '/reports', label: 'Reports', role: 'agent' },
  { path: '/customers', label: 'Customers', role: 'agent' },
  { path: '/integrations', label: 'Integrations', role: 'administrator' },
  { path: '/history', label: 'History', role: 'administrator' },
  { path: '/users', label: 'Users', role: 'administrator' },
];

/** A page for somebody who is signed in, as a whole document. */
export function layout(page: Page, visit: Visit): string {
  const { user, account, token, path, administrates } = visit;
  if (page.barAlone) return barAlone(page, visit);
  const links = navigation.filter(({ role }) => role === 'agent' || administrates);
  const isCurrent = (of: string) => (of === '/' ? path === '/' : path === of || path.startsWith(`${of}/`));
  return document(
    { title: page.title, scripts: ['bar.js', ...(page.scripts ?? [])] },
    html`
      <a class="skip" href="#content">To the content</a>
      <a class="skip" href="#bar">To the calls</a>
      <header class="top">
        <nav aria-label="Main">
          ${links.map(
            ({ path: to, label }) =>
              html`<a href=${to} aria-current=${isCurrent(to) ? 'page' : undefined}>${label}</a>`,
          )}
        </nav>
        <div class="who">
          <a href="/account" aria-current=${isCurrent('/account') ? 'page' : undefined}>${shown(user.name, 30)}, ${shown(account.name, 30)}</a>
          ${button({ action: '/sign-out', token }, 'Sign out')}
        </div>
      </header>
      <main id="content" tabindex="-1">${page.body}</main>
      <div class="bar-room">${bar(visit)}</div>
    `,
  );
}

function barAlone(page: Page, visit: Visit): string {
  return document(
    { title: page.title, scripts: ['bar.js'] },
    html`<main id="content" class="alone">${page.body}${bar(visit)}</main>`,
  );
}

/** Filled by client/bar.js. */
const bar = ({
  token,
  formats,
}: Visit) => html`<section id="bar" class="bar" tabindex="-1" aria-label="Calls" data-token=${token} data-zone=${formats.timeZone}>
  <noscript><p class="quiet">Calls show here as they happen. That needs JavaScript.</p></noscript>
</section>`;

/** A page for somebody who is not: signing in, and what goes wrong before it. */
export function plainLayout(page: Page): string {
  return document(
    { title: page.title, scripts: page.scripts ?? [] },
    html`<main id="content" class="narrow">${page.body}</main>`,
  );
}

function document({ title, scripts }: { title: string; scripts: readonly string[] }, body: Html): string {
  const head = html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
    <link rel="stylesheet" href=${assetUrl('style.css')} />
    <link rel="icon" href=${assetUrl('icon.svg')} type="image/svg+xml" />
    ${scripts.map((file) => html`<script type="module" src=${assetUrl(file)}></script>`)}
  </head>`;
  return `<!doctype html>${render(html`<html lang="en">${head}<body>${body}</body></html>`)}`;
}
