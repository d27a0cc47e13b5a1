import type { FastifyInstance } from 'fastify';
import {
  bridgeCertificatePath,
  bridgeCertificateSchema,
} from '../../shared/api/contract/bridge-certificate.ts';
import { parseJson } from '../../shared/process/parse-json.ts';
import type { CertificateStore } from '../accounts/certificate-store.ts';
import type { Sender } from '../accounts/directory-copy.ts';
import { bridgeReportRoute } from '../history/bridge-report.ts';
import type { InTurn } from '../history/in-turn.ts';
import { displayText } from '../kit/display-text.ts';
import type { PageRequest } from '../kit/page-request.ts';
import { type Html, html } from '../words/html.ts';
import { healthItem } from './bridge-health.ts';

/** Stores the last certificate of an integration's calls. Not in the request history: it is about calls, and none itself. */
export function certificateRoute(
  app: FastifyInstance,
  directory: Pick<CertificateStore, 'saveCertificate'>,
  inTurn: InTurn,
): void {
  const route = { path: bridgeCertificatePath, schema: bridgeCertificateSchema };
  bridgeReportRoute(app, route, inTurn, async (certificate, { sender, receivedAt }) => {
    const { integration } = sender as Sender;
    await directory.saveCertificate(integration.id, receivedAt, JSON.stringify(certificate));
    return {};
  });
}

/** The last certificate: the month, how many calls each book has, and why they differ. */
export function certificateItems(
  { words: { integrations: text }, formats, now }: PageRequest,
  certificate: string,
): Html {
  const { success, data } = bridgeCertificateSchema.safeParse(parseJson(certificate));
  if (!success) return null;
  const { verdict, records, bridge, api, madeAt, differences } = data;
  const month = new Intl.DateTimeFormat(formats.locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const { number } = formats;
  return html`${healthItem(
    verdict === 'complete',
    text.certificate[verdict](month.format(Date.parse(`${data.month}-15`))),
    html`${text.certificateNumbers(number(records), number(bridge), api === undefined ? '?' : number(api))} ${formats.moment(madeAt, now)}`,
  )}${differences.map(({ weight, what, count, calls }) =>
    healthItem(
      weight === 'explained',
      html`${number(count)}: ${displayText(what)}`,
      html`${calls.map((id) => html`<code>${displayText(id)}</code> `)}`,
    ),
  )}`;
}
