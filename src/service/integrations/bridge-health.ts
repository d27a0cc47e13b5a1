import { bridgeHealthSchema } from '../../shared/api/contract/bridge-health.ts';
import { parseJson } from '../../shared/process/parse-json.ts';
import { displayText } from '../kit/display-text.ts';
import { notice } from '../kit/form.ts';
import type { PageRequest } from '../kit/page-request.ts';
import { type Html, html } from '../words/html.ts';

/** A bridge reports every minute. */
const SILENT_MS = 3 * 60_000;

/** What a bridge last reported of itself (API_EXTRAS): its open problems with their remedies. */
export function bridgeHealthCard(
  { words, formats, now }: PageRequest,
  { reportedAt, report }: { readonly reportedAt: number; readonly report: string },
): Html | null {
  const { success, data } = bridgeHealthSchema.safeParse(parseJson(report));
  if (!success) return null;
  const { health, healthy, problemSince, lastReport } = words.integrations;
  const isSilent = now - reportedAt > SILENT_MS;
  return html`<section class="card" aria-labelledby="health">
    <h2 id="health">${health}</h2>
    ${isSilent && notice(html`${lastReport} ${formats.moment(reportedAt, now)}`, 'bad')}
    ${!isSilent && data.problems.length === 0 && html`<p>${healthy}</p>`}
    <dl>
      ${data.problems.map(
        ({ code, what, remedy, since }) => html`
          <dt>${displayText(what)} (${problemSince} ${formats.moment(since, now)})</dt>
          <dd>${displayText(remedy)} <code>${displayText(code)}</code></dd>`,
      )}
    </dl>
  </section>`;
}
