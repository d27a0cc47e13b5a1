import { plainText } from '../rules/plain-text.ts';
import type { ScreenChoice } from '../rules/screen-call.ts';
import { type Html, html, render } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import { assetUrl, type Script, scriptUrl } from './assets.ts';
import { displayText } from './display-text.ts';
import { face } from './face.ts';
import { button } from './form.ts';
import { type Icon, icon } from './icon.ts';
import type { Page, PageRequest } from './page-request.ts';
import { settingsFrame, settingsPages } from './settings-frame.ts';

/** The product, as people call it: in the tab, on the sign-in page, and beside its icon where it is installed. */
const productName = 'PBX Bridge';

/** The pages at the top of every page. `also`: where their tasks have further addresses. */
const navigation: readonly {
  readonly path: string;
  readonly label: 'calls' | 'callBack' | 'customers' | 'reports' | 'settings';
  readonly icon: Icon;
  readonly also?: readonly string[];
}[] = [
  { path: '/calls', label: 'calls', icon: 'phone' },
  { path: '/call-back', label: 'callBack', icon: 'phone-outgoing' },
  { path: '/customers', label: 'customers', icon: 'users', also: ['/person'] },
  { path: '/reports', label: 'reports', icon: 'chart-column' },
  { path: '/settings', label: 'settings', icon: 'settings', also: settingsPages.map(({ path }) => path) },
];

const isUnder = (path: string, top: string) => path === top || path.startsWith(`${top}/`);

/** The page at the top that a page belongs to. */
export const topPageOf = (path: string) =>
  navigation.find(({ path: top, also = [] }) => [top, ...also].some((one) => isUnder(path, one)));

/** Who reads a page, and what the calls now beside it show. */
export type Reader = {
  readonly uid: string;
  readonly name: string;
  /** The account's name. */
  readonly office: string;
  readonly extensions: readonly string[];
  /** The segment that stands out (see firstSegment). */
  readonly firstSegment: string | undefined;
  readonly choice: ScreenChoice;
};

/** What client/keep-live.ts wants: a page without its frame. */
export const liveParts = ({ body }: Page): string => render(html`<main>${body}</main>`);

/** A page for a signed-in user, as a whole document. */
export function layout(page: Page, request: PageRequest, reader: Reader): string {
  const { path, words } = request;
  const isSetting = settingsPages.some((entry) => isUnder(path, entry.path)) && page.status !== 404;
  const body = isSetting ? settingsFrame(request, page.body) : page.body;
  const alone = page.callsAlone;
  return document(
    { words, title: page.title, scripts: ['page', ...(page.scripts ?? [])], alone },
    html`
      ${!alone && html`${pageHead(request, reader)}<main id="main" tabindex="-1">${body}</main>`}
      ${callsNow(request, reader, alone)}
    `,
  );
}

/** The way to the other pages, and the reader's own menu. */
function pageHead({ path, token, words }: PageRequest, { name, office }: Reader): Html {
  const text = words.layout;
  const current = topPageOf(path);
  return html`
          <a class="skip button" href="#main">${text.skipToContent}</a>
          <a class="skip button" href="#now">${text.skipToCalls}</a>
          <header class="top">
            <a class="mark" href="/calls" aria-label=${productName}>${icon('phone')}</a>
            <span class="office">${displayText(office, 40)}</span>
            <nav aria-label=${text.main}>
              ${navigation.map(
                (entry) =>
                  html`<a href=${entry.path} aria-current=${entry === current ? 'page' : undefined}>${icon(entry.icon)}<span>${text[entry.label]}</span>${entry.label === 'callBack' && html`<span id="to-call-back" class="count"></span>`}</a>`,
              )}
            </nav>
            <details class="menu me">
              <summary>${face(name)}<span class="unseen">${`${plainText(name, 30)}, ${plainText(office, 30)}`}</span></summary>
              <div>
                <p><b>${displayText(name, 30)}</b><br /><span class="quiet">${displayText(office, 30)}</span></p>
                <a href="/notifications">${words.settings.notifications}</a>
                <a href="/account">${words.settings.account}</a>
                ${button({ action: '/sign-out', token }, text.signOut)}
              </div>
            </details>
          </header>
          `;
}

/** The one that stands out, if there is more than one. */
export const firstSegment = (segments: readonly { readonly name: string }[]): string | undefined =>
  segments.length > 1 ? segments[0]?.name : undefined;

/** The calls now: a line below the page or a column beside it; alone: a window of its own. Filled by client/calls-now.ts. */
const callsNow = (
  { token, formats, words, now }: PageRequest,
  { uid, name, extensions, firstSegment: first, choice }: Reader,
  alone: true | undefined,
) => html`<div id="now" class="now" role=${alone ? 'main' : 'complementary'} tabindex="-1" aria-label=${words.bar.title} data-alone=${alone} data-token=${token} data-made=${now} data-icons=${assetUrl('icons.svg')} data-worker=${scriptUrl('stream-worker')} data-zone=${formats.timeZone} data-locale=${formats.locale} data-uid=${uid} data-user=${name} data-first=${first} data-extensions=${JSON.stringify(extensions)} data-choice=${JSON.stringify(choice)} data-words=${JSON.stringify(words.bar)}>
  <noscript><p class="now-head">${words.layout.noScript}</p></noscript>
</div>`;

/** A page without the calls: the sign-in page, errors before signing in, and the list of all bridges. */
export function plainLayout(page: Page, words: Words, kind: 'sign-in' | 'bridges' = 'sign-in'): string {
  return document(
    { words, title: page.title, scripts: page.scripts ?? [] },
    html`<main id="main" class=${kind}><p class="together"><span class="mark">${icon('phone')}</span> <b>${productName}</b></p>${page.body}</main>`,
  );
}

function document(
  {
    words,
    title,
    scripts,
    alone,
  }: { words: Words; title: string; scripts: readonly Script[]; alone?: true | undefined },
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
    ${scripts.map((script) => html`<script type="module" src=${scriptUrl(script)}></script>`)}
  </head>`;
  return `<!doctype html>${render(html`<html lang=${words.language}>${head}<body class=${alone && 'alone'}>${body}</body></html>`)}`;
}
