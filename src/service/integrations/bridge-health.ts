import type { FastifyInstance } from 'fastify';
import { bridgeHealthPath, bridgeHealthSchema } from '../../shared/api/contract/bridge-health.ts';
import { basePath } from '../../shared/api/contract/routes.ts';
import { parseJson } from '../../shared/process/parse-json.ts';
import type { Sender } from '../accounts/directory.ts';
import type { DirectoryStore } from '../accounts/directory-store.ts';
import { send } from '../history/exchange.ts';
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

/**
 * Stores the problems that a bridge reports. Not in the request history: they come each minute, and say nothing about
 * calls.
 */
export function bridgeHealthRoute(app: FastifyInstance, directory: DirectoryStore): void {
  app.post(bridgeHealthPath, async (request, reply) => {
    const { success, data } = bridgeHealthSchema.safeParse(request.body);
    if (!success)
      return send(
        reply,
        422,
        JSON.stringify({ message: `This is not what ${basePath}${bridgeHealthPath} takes.` }),
      );
    const { integration } = request.sender as Sender;
    await directory.saveBridgeReport(integration.id, request.receivedAt, JSON.stringify(data));
    return send(reply, 200, '{}');
  });
}
