import { extensionsOf } from '../accounts/extensions.ts';
import type { Role } from '../accounts/user.ts';
import { type Html, html, render } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import { assetUrl } from './assets.ts';
import { displayText } from './display-text.ts';
import { button } from './form.ts';
import type { Page, PageRequest } from './page-request.ts';

/** The product, as people call it: on every page, in the tab, and beside its icon where it is installed. */
const productName = 'PBX Bridge';

/** The pages at the top of every page. */
const navigation: readonly { path: string; label: keyof Words['layout']; role: Role }[] = [
  { path: '/', label: 'dashboard', role: 'agent' },
  { path: '/calls', label: 'calls', role: 'agent' },
  { path: '/call-back', label: 'callBack', role: 'agent' },
  { path: '/reports', label: 'reports', role: 'agent' },
  { path: '/customers', label: 'customers', role: 'agent' },
  { path: '/integrations', label: 'integrations', role: 'administrator' },
  { path: '/api-log', label: 'apiLog', role: 'administrator' },
  { path: '/users', label: 'users', role: 'administrator' },
];

const isUnder = (path: string, top: string) => path === top || (top !== '/' && path.startsWith(`${top}/`));

/** The page at the top that a page belongs to. */
export const topPageOf = (path: string) => navigation.find(({ path: top }) => isUnder(path, top));

/** A page for a signed-in user, as a whole document. */
export function layout(page: Page, request: PageRequest): string {
  const { user, account, token, path, administrates, words } = request;
  const text = words.layout;
  if (page.barAlone) return barAlone(page, request);
  const links = navigation.filter(({ role }) => role === 'agent' || administrates);
  return document(
    { words, title: page.title, scripts: ['bar.js', ...(page.scripts ?? [])] },
    html`
      <a class="skip" href="#content">${text.skipToContent}</a>
      <a class="skip" href="#bar">${text.skipToCalls}</a>
      <header class="top">
        ${mark}
        <nav aria-label=${text.main}>
          ${links.map(
            ({ path: to, label }) =>
              html`<a href=${to} aria-current=${isUnder(path, to) ? 'page' : undefined}>${text[label]}${to === '/call-back' && html` <span id="to-call-back" class="count"></span>`}</a>`,
          )}
        </nav>
        <div class="who">
          <a href="/account" aria-current=${isUnder(path, '/account') ? 'page' : undefined}>${displayText(user.name, 30)}, ${displayText(account.name, 30)}</a>
          ${button({ action: '/sign-out', token }, text.signOut)}
        </div>
      </header>
      <main id="content" tabindex="-1">${page.body}</main>
      <div class="bar-room">${bar(request)}</div>
    `,
  );
}

function barAlone(page: Page, request: PageRequest): string {
  return document(
    { words: request.words, title: page.title, scripts: ['bar.js'] },
    html`<main id="content" class="alone">${page.body}${bar(request)}</main>`,
  );
}

/** Filled by client/bar.js. */
const bar = ({
  token,
  formats,
  words,
  user,
  extensions,
  barChoice,
  now,
}: PageRequest) => html`<section id="bar" class="bar" tabindex="-1" aria-label=${words.layout.calls} data-token=${token} data-made=${now} data-zone=${formats.timeZone} data-locale=${formats.locale} data-extensions=${JSON.stringify(extensionsOf(extensions, user.id))} data-choice=${JSON.stringify(barChoice)} data-words=${JSON.stringify(words.bar)}>
  <noscript><p class="quiet">${words.layout.noScript}</p></noscript>
</section>`;

/** A page without the bar: the sign-in page, and errors before signing in. */
export function plainLayout(page: Page, words: Words): string {
  return document(
    { words, title: page.title, scripts: page.scripts ?? [] },
    html`<main id="content" class="narrow">${mark}${page.body}</main>`,
  );
}

const mark = html`<p class="mark"><img src=${assetUrl('icon.svg')} alt="" width="24" height="24" /><span>${productName}</span></p>`;

function document(
  { words, title, scripts }: { words: Words; title: string; scripts: readonly string[] },
  body: Html,
): string {
  const head = html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title} · ${productName}</title>
    <link rel="stylesheet" href=${assetUrl('style.css')} />
    <link rel="icon" href=${assetUrl('icon.svg')} type="image/svg+xml" />
    <link rel="manifest" href=${assetUrl('app.webmanifest')} />
    ${scripts.map((file) => html`<script type="module" src=${assetUrl(file)}></script>`)}
  </head>`;
  return `<!doctype html>${render(html`<html lang=${words.language}>${head}<body>${body}</body></html>`)}`;
}
