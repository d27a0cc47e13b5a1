import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Keys } from '../accounts/keys.ts';
import { entryAddress, integrationName, payloadText, statusChip } from '../history/api-log-table.ts';
import type { RequestStore } from '../history/request-store.ts';
import { copyable, displayText, lines } from '../kit/display-text.ts';
import type { PageRequest, Pages } from '../kit/page-request.ts';
import { type Html, html } from '../words/html.ts';

/** The first steps of a new account, to its first event, which is shown as soon as it comes. */
export function startPage(
  pages: Pages,
  requests: RequestStore,
  directory: ServiceDirectory,
  keys: Keys,
): void {
  const lastRequest = async (request: PageRequest): Promise<Html> => {
    const { account, words, formats } = request;
    const newest = { account: account.id, search: null, order: 'newest', after: null, limit: 1 } as const;
    const [entry] = (await requests.search(newest)).entries;
    if (entry === undefined) return html`<p class="waiting" role="status">${words.start.waiting}</p>`;
    const from = integrationName(entry, directory.integrations(account.id));
    return html`<p role="status">${statusChip(entry, words)} ${words.start.received}</p>
      <p><a href=${entryAddress(entry)}>${formats.dateTime(entry.at)}</a>, ${displayText(from, 80)}</p>
      <pre class="received" tabindex="0" aria-label=${words.apiLog.request}>${lines(payloadText(entry))}</pre>`;
  };
  pages.get('/start', 'administrator', async (request) => {
    const { account, words, origin } = request;
    const text = words.start;
    const integration = directory.integrations(account.id).find(({ enabled }) => enabled);
    return {
      title: text.title,
      scripts: ['copy-button.js', 'live-parts.js'],
      body: html`
        <h1>${text.title}</h1>
        <section class="card" aria-labelledby="connect">
          <h2 id="connect">1. ${words.integrations.connect}</h2>
          ${
            integration &&
            html`<p>${text.connect}</p>
              ${copyable(words, 'bridge', words.integrations.forBridge, bridgeLines(origin, keys.integrationToken(integration)))}
              <p><a href=${`/integrations/${integration.uid}`}>${text.otherWays}</a></p>`
          }
        </section>
        <section class="card" aria-labelledby="first">
          <h2 id="first">2. ${text.callIn}</h2>
          <p>${text.callInHint}</p>
          <div id="last-request" data-live>${await lastRequest(request)}</div>
        </section>
        <section class="card" aria-labelledby="names">
          <h2 id="names">3. ${text.names}</h2>
          <p><a href="/customers/import">${words.customers.importCsv}</a>: ${text.namesHint}</p>
        </section>
        <section class="card" aria-labelledby="colleagues">
          <h2 id="colleagues">4. ${text.colleagues}</h2>
          <p><a href="/users">${words.users.add}</a>: ${text.colleaguesHint}</p>
        </section>
        <p><a href="/">${text.toDashboard}</a></p>
      `,
    };
  });
}

/** For the .env file of the bridge. */
export const bridgeLines = (origin: string, token: string) =>
  `API_BASE_URL=${origin}/api/v1\nAPI_TOKEN=${token}\nAPI_EXTRAS=yes`;
