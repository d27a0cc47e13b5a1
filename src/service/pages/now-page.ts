import type { ServiceContext } from '../http/context.ts';
import type { Group } from '../reports/aggregate.ts';
import { dateAt, daysBetween } from '../reports/calendar.ts';
import { quantile } from '../reports/durations.ts';
import { everyCall } from '../store/call-store.ts';
import { callTable } from './activity-pages.ts';
import { duration } from './kit/formats.ts';
import { type Html, html } from './kit/html.ts';
import type { Pages, Visit } from './kit/visit.ts';

const LATEST = 12;

/** The first page: today in figures, the latest calls, and in an empty account what to do next. */
export function nowPage(pages: Pages, { store, directory }: ServiceContext): void {
  async function today({ account, formats, now }: Visit): Promise<Group | undefined> {
    const date = dateAt(now, formats.timeZone);
    // The whole day: what a span came to is kept, and asked for again.
    const day = daysBetween(date, date, formats.timeZone);
    for await (const { all } of store.reports.figures(account.id, day, now)) return all;
    return undefined;
  }

  async function steps({ account, administrates }: Visit): Promise<Html> {
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
    return setUp(done, integration === undefined ? '/integrations' : `/integrations/${integration.uid}`);
  }

  pages.get('/', 'agent', async (visit) => {
    const [help, figures, { calls }] = await Promise.all([
      steps(visit),
      today(visit),
      store.calls.page({
        account: visit.account.id,
        filter: everyCall,
        towards: 'older',
        from: null,
        limit: LATEST,
      }),
    ]);
    return {
      title: 'Now',
      scripts: ['fresh.js'],
      body: html`
        <h1>Today</h1>
        ${help}
        <div id="now" data-fresh>
          ${calls.length > 0 && [figures !== undefined && tiles(figures), html`<h2>Latest calls</h2>`]}
          ${(calls.length > 0 || help === null) && callTable(calls, visit, false)}
        </div>
      `,
    };
  });
}

function setUp(done: readonly boolean[], integration: string): Html {
  const steps = [
    {
      title: 'Connect your phone system',
      text: html`Every integration has a token, and the lines that the phone system needs. The first call shows below, at once.`,
      link: html`<a href=${integration}>Open the integration</a>`,
    },
    {
      title: 'Say who your customers are',
      text: html`Callers then show with their names, and the important ones first. Add a segment or two with a priority, then customers one by one or as CSV.`,
      link: html`<a href="/customers/segments">Segments</a> · <a href="/customers/import">Import customers</a>`,
    },
    {
      title: 'Let your colleagues in',
      text: html`Each signs in with a password of their own, and dismisses their own missed calls.`,
      link: html`<a href="/users">Add users</a>`,
    },
  ];
  return html`<section class="card" aria-labelledby="set-up">
    <h2 id="set-up">What to do next</h2>
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
    ['Waited, median', duration(median === null ? null : median * 1000), ''],
  ] as const;
  return html`<dl class="tiles">
    ${figures.map(
      ([label, value, note]) =>
        html`<div><dt>${label}</dt><dd>${value}${note && html` <small>${note}</small>`}</dd></div>`,
    )}
  </dl>`;
}
