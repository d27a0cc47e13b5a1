import type { ServiceDirectory } from '../accounts/directory.ts';
import { type Group, quantile, type ReportStore } from '../calls/aggregate.ts';
import { callTable, newCalls } from '../calls/call-cells.ts';
import { type CallStore, newestCalls } from '../calls/call-store.ts';
import type { RequestStore } from '../history/request-store.ts';
import { dateAt, daysBetween } from '../kit/calendar.ts';
import { duration } from '../kit/formats.ts';
import type { PageRequest, Pages } from '../kit/page-request.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import type { UserStore } from '../users/user-store.ts';
import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';

const LATEST = 12;

type Parts = {
  readonly store: {
    readonly reports: ReportStore;
    readonly requests: RequestStore;
    readonly customers: CustomerStore;
    readonly users: UserStore;
    readonly calls: CallStore;
  };
  readonly directory: ServiceDirectory;
};

/** The first page: today's figures, the latest calls and, in an empty account, the next steps. */
export function dashboardPage(pages: Pages, { store, directory }: Parts): void {
  async function today({ account, formats, now }: PageRequest): Promise<Group | undefined> {
    const date = dateAt(now, formats.timeZone);
    // The whole day: the store keeps a span's figures for the next request.
    const day = daysBetween(date, date, formats.timeZone);
    for await (const { all } of store.reports.figures(account.id, day, now)) return all;
    return undefined;
  }

  async function help({ account, administrates, words }: PageRequest): Promise<Html> {
    if (!administrates) return null;
    const [uses, segments, customers, users] = await Promise.all([
      store.requests.use(account.id, Number.MAX_SAFE_INTEGER),
      store.customers.segments(account.id),
      store.customers.page({ account: account.id, words: [], segment: null, after: null, limit: 1 }),
      store.users.list(account.id),
    ]);
    const done = [uses.length > 0, segments.length > 0 && customers.customers.length > 0, users.length > 1];
    if (done[0] && done[1]) return null;
    const integration = directory.integrations(account.id)[0];
    return nextSteps(
      words.dashboard,
      done,
      integration === undefined ? '/integrations' : `/integrations/${integration.uid}`,
    );
  }

  pages.get('/', 'agent', async (request) => {
    const text = request.words.dashboard;
    const [steps, figures, calls] = await Promise.all([
      help(request),
      today(request),
      newestCalls(store.calls, request.account.id, {}, LATEST),
    ]);
    return {
      title: text.title,
      scripts: ['live-parts.js'],
      body: html`
        <h1>${text.today}</h1>
        ${steps}
        <div id="today" data-live ...${newCalls(request)}>
          ${calls.length > 0 && [figures !== undefined && tiles(figures, text), html`<h2>${text.latest}</h2>`]}
          ${(calls.length > 0 || steps === null) && callTable(calls, request, false)}
        </div>
      `,
    };
  });
}

function nextSteps(texts: Words['dashboard'], done: readonly boolean[], integration: string): Html {
  const steps = [
    {
      title: texts.connect,
      text: texts.connectHelp,
      link: html`<a href=${integration}>${texts.openIntegration}</a>`,
    },
    {
      title: texts.customers,
      text: texts.customersHelp,
      link: html`<a href="/customers/segments">${texts.segments}</a> · <a href="/customers/import">${texts.importCustomers}</a>`,
    },
    {
      title: texts.colleagues,
      text: texts.colleaguesHelp,
      link: html`<a href="/users">${texts.addUsers}</a>`,
    },
  ];
  return html`<section class="card" aria-labelledby="next-steps">
    <h2 id="next-steps">${texts.nextSteps}</h2>
    <ol class="steps">
      ${steps.map(
        ({ title, text, link }, index) => html`<li class=${done[index] ? 'done' : undefined}>
          <strong>${title}</strong>${done[index] && html` <span class="state answered">${texts.done}</span>`}
          ${!done[index] && html`<p>${text}</p><p>${link}</p>`}
        </li>`,
      )}
    </ol>
  </section>`;
}

function tiles({ calls, answered, missed, waited }: Group, text: Words['dashboard']): Html {
  const median = quantile(waited, 0.5);
  const share = (count: number) => (calls === 0 ? '' : `${Math.round((100 * count) / calls)} %`);
  const figures = [
    [text.callsToday, calls, ''],
    [text.answered, answered, share(answered)],
    [text.missed, missed, share(missed)],
    [text.median, duration(median === null ? null : median * 1000), ''],
  ] as const;
  return html`<dl class="tiles">
    ${figures.map(
      ([label, value, note]) =>
        html`<div><dt>${label}</dt><dd>${value}${note && html` <small>${note}</small>`}</dd></div>`,
    )}
  </dl>`;
}
