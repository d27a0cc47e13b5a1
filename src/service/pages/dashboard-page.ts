import type { ServiceContext } from '../http/context.ts';
import type { Group } from '../reports/aggregate.ts';
import { dateAt, daysBetween } from '../reports/calendar.ts';
import { quantile } from '../reports/durations.ts';
import { everyCall } from '../store/call-store.ts';
import { callTable } from './call-list-page.ts';
import { duration } from './kit/formats.ts';
import { type Html, html } from './kit/html.ts';
import type { PageRequest, Pages } from './kit/page-request.ts';

const LATEST = 12;

/** The first page: today's figures, the latest calls and, in an empty account, the next steps. */
export function dashboardPage(pages: Pages, { store, directory }: ServiceContext): void {
  async function today({ account, formats, now }: PageRequest): Promise<Group | undefined> {
    const date = dateAt(now, formats.timeZone);
    // The whole day: the store keeps a span's figures for the next request.
    const day = daysBetween(date, date, formats.timeZone);
    for await (const { all } of store.reports.figures(account.id, day, now)) return all;
    return undefined;
  }

  async function help({ account, administrates }: PageRequest): Promise<Html> {
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
    return nextSteps(done, integration === undefined ? '/integrations' : `/integrations/${integration.uid}`);
  }

  pages.get('/', 'agent', async (request) => {
    const [steps, figures, { calls }] = await Promise.all([
      help(request),
      today(request),
      store.calls.page({
        account: request.account.id,
        filter: everyCall,
        towards: 'older',
        from: null,
        limit: LATEST,
      }),
    ]);
    return {
      title: 'Dashboard',
      scripts: ['live-parts.js'],
      body: html`
        <h1>Today</h1>
        ${steps}
        <div id="today" data-live>
          ${calls.length > 0 && [figures !== undefined && tiles(figures), html`<h2>Latest calls</h2>`]}
          ${(calls.length > 0 || steps === null) && callTable(calls, request, false)}
        </div>
      `,
    };
  });
}

function nextSteps(done: readonly boolean[], integration: string): Html {
  const steps = [
    {
      title: 'Connect your phone system',
      text: html`Each integration has a token and instructions for the phone system. The first call appears here immediately.`,
      link: html`<a href=${integration}>Open the integration</a>`,
    },
    {
      title: 'Add your customers',
      text: html`Callers are then shown by name, the most important ones first. Add one or two segments with a priority, then add customers or import a CSV file.`,
      link: html`<a href="/customers/segments">Segments</a> · <a href="/customers/import">Import customers</a>`,
    },
    {
      title: 'Invite your colleagues',
      text: html`Each has their own password. Missed calls are shared: everybody sees who calls back.`,
      link: html`<a href="/users">Add users</a>`,
    },
  ];
  return html`<section class="card" aria-labelledby="next-steps">
    <h2 id="next-steps">Next steps</h2>
    <ol class="steps">
      ${steps.map(
        ({ title, text, link }, index) => html`<li class=${done[index] ? 'done' : undefined}>
          <strong>${title}</strong>${done[index] && html` <span class="state answered">done</span>`}
          ${!done[index] && html`<p>${text}</p><p>${link}</p>`}
        </li>`,
      )}
    </ol>
  </section>`;
}

function tiles({ calls, answered, missed, waited }: Group): Html {
  const median = quantile(waited, 0.5);
  const share = (count: number) => (calls === 0 ? '' : `${Math.round((100 * count) / calls)} %`);
  const figures = [
    ['Calls today', calls, ''],
    ['Answered', answered, share(answered)],
    ['Missed', missed, share(missed)],
    ['Median time to answer', duration(median === null ? null : median * 1000), ''],
  ] as const;
  return html`<dl class="tiles">
    ${figures.map(
      ([label, value, note]) =>
        html`<div><dt>${label}</dt><dd>${value}${note && html` <small>${note}</small>`}</dd></div>`,
    )}
  </dl>`;
}
