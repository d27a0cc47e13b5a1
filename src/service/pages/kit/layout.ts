import type { Role } from '../../store/user-store.ts';
import { assetUrl } from './assets.ts';
import { displayText } from './display-text.ts';
import { button } from './form.ts';
import { type Html, html, render } from './html.ts';
import type { Page, PageRequest } from './page-request.ts';

/** The pages at the top of every page. */
const navigation: readonly { path: string; label: string; role: Role }[] = [
  { path: '/', label: 'Dashboard', role: 'agent' },
  { path: '/calls', label: 'Calls', role: 'agent' },
  { path: '/call-back', label: 'To call back', role: 'agent' },
  { path: '/reports', label: 'Reports', role: 'agent' },
  { path: '/customers', label: 'Customers', role: 'agent' },
  { path: '/integrations', label: 'Integrations', role: 'administrator' },
  { path: '/api-log', label: 'API log', role: 'administrator' },
  { path: '/users', label: 'Users', role: 'administrator' },
];

/** A page for a signed-in user, as a whole document. */
export function layout(page: Page, request: PageRequest): string {
  const { user, account, token, path, administrates } = request;
  if (page.barAlone) return barAlone(page, request);
  const links = navigation.filter(({ role }) => role === 'agent' || administrates);
  const isCurrent = (to: string) => path === to || (to !== '/' && path.startsWith(`${to}/`));
  return document(
    { title: page.title, scripts: ['bar.js', ...(page.scripts ?? [])] },
    html`
      <a class="skip" href="#content">Skip to content</a>
      <a class="skip" href="#bar">Skip to calls</a>
      <header class="top">
        <nav aria-label="Main">
          ${links.map(
            ({ path: to, label }) =>
              html`<a href=${to} aria-current=${isCurrent(to) ? 'page' : undefined}>${label}${to === '/call-back' && html` <span id="to-call-back" class="count"></span>`}</a>`,
          )}
        </nav>
        <div class="who">
          <a href="/account" aria-current=${isCurrent('/account') ? 'page' : undefined}>${displayText(user.name, 30)}, ${displayText(account.name, 30)}</a>
          ${button({ action: '/sign-out', token }, 'Sign out')}
        </div>
      </header>
      <main id="content" tabindex="-1">${page.body}</main>
      <div class="bar-room">${bar(request)}</div>
    `,
  );
}

function barAlone(page: Page, request: PageRequest): string {
  return document(
    { title: page.title, scripts: ['bar.js'] },
    html`<main id="content" class="alone">${page.body}${bar(request)}</main>`,
  );
}

/** Filled by client/bar.js. */
const bar = ({
  token,
  formats,
}: PageRequest) => html`<section id="bar" class="bar" tabindex="-1" aria-label="Calls" data-token=${token} data-zone=${formats.timeZone}>
  <noscript><p class="quiet">Live calls are shown here when JavaScript is on.</p></noscript>
</section>`;

/** A page without the bar: the sign-in page, and errors before signing in. */
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
