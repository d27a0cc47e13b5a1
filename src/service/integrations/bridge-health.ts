import type { FastifyInstance } from 'fastify';
import {
  bridgeHealthPath,
  bridgeHealthSchema,
  serviceTakes,
} from '../../shared/api/contract/bridge-health.ts';
import { parseJson } from '../../shared/process/parse-json.ts';
import type { BridgeReportStore } from '../accounts/bridge-report-store.ts';
import type { Sender } from '../accounts/directory-copy.ts';
import { bridgeReportRoute } from '../history/bridge-report.ts';
import type { InTurn } from '../history/in-turn.ts';
import { displayText } from '../kit/display-text.ts';
import { icon } from '../kit/icon.ts';
import type { PageRequest } from '../kit/page-request.ts';
import { type Html, html } from '../words/html.ts';

/** A bridge reports every minute. */
export const SILENT_MS = 3 * 60_000;

/** A line of what works and what does not. */
export const healthItem = (good: boolean, what: Html, also: Html = null): Html =>
  html`<li>${good ? icon('check', 'is-talking') : icon('x', 'is-missed')}${what}<span class="quiet">${also}</span></li>`;

/** What a bridge last reported of itself (API_EXTRAS): its open problems with their remedies. */
export function bridgeHealth(
  { words: { integrations: text }, formats, now }: PageRequest,
  { reportedAt, report }: { readonly reportedAt: number; readonly report: string },
): Html {
  const { success, data } = bridgeHealthSchema.safeParse(parseJson(report));
  if (!success) return null;
  if (now - reportedAt > SILENT_MS)
    return healthItem(false, text.bridgeSilent, formats.moment(reportedAt, now));
  if (data.problems.length === 0) return healthItem(true, text.healthy);
  return data.problems.map(({ code, what, remedy, since }) =>
    healthItem(
      false,
      displayText(what),
      html`${formats.moment(since, now)} ${displayText(remedy)} <code>${displayText(code)}</code>`,
    ),
  );
}

/**
 * Stores the problems that a bridge reports. Not in the request history: they come each minute, and say nothing about
 * calls.
 */
export function bridgeHealthRoute(app: FastifyInstance, directory: BridgeReportStore, inTurn: InTurn): void {
  const route = { path: bridgeHealthPath, schema: bridgeHealthSchema };
  bridgeReportRoute(app, route, inTurn, async (health, { sender, receivedAt }) => {
    const { integration } = sender as Sender;
    await directory.saveBridgeReport(integration.id, receivedAt, JSON.stringify(health));
    return { takes: serviceTakes };
  });
}
