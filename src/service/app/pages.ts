import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyError, FastifyInstance } from 'fastify';
import type { Pages } from '../accounts/user-request.ts';
import { barPage } from '../activity/bar-page.ts';
import { callDetailsPage } from '../activity/call-details-page.ts';
import { callListPage } from '../activity/call-list-page.ts';
import { auditPage } from '../audit/audit-page.ts';
import { apiLogPages } from '../history/api-log-pages.ts';
import { integrationPages } from '../integrations/integration-pages.ts';
import { assetRoutes } from '../kit/assets.ts';
import { refuseEncoded } from '../kit/encoded-body.ts';
import { isRead } from '../kit/page-request.ts';
import { Refusal, refusalOf } from '../kit/refusal.ts';
import { notificationPages } from '../notifications/notification-pages.ts';
import { callBackPages } from '../people/call-back-pages.ts';
import { customerPages } from '../people/customer-pages.ts';
import { givePage } from '../people/give-page.ts';
import { importPages } from '../people/import-pages.ts';
import { personChanges } from '../people/person-changes.ts';
import { personDataPage } from '../people/person-data-page.ts';
import { personPage } from '../people/person-page.ts';
import { phoneBookPage } from '../people/phone-book-page.ts';
import { phoneBookRoute } from '../people/phone-book-route.ts';
import { segmentPages } from '../priority/segments.ts';
import { reportPages } from '../reports/report-pages.ts';
import { accountPages } from '../settings/account-pages.ts';
import { openingHoursPage } from '../settings/opening-hours-page.ts';
import { settingsPage } from '../settings/settings-page.ts';
import { welcomePage } from '../settings/welcome-page.ts';
import { secondFactorPages } from '../users/second-factor-pages.ts';
import { isSameOrigin } from '../users/session-cookie.ts';
import { signInPages } from '../users/sign-in-pages.ts';
import { userPages } from '../users/user-pages.ts';
import { webhookPages } from '../webhooks/webhook-pages.ts';
import type { ServiceContext } from './context.ts';
import { takeForms } from './form-body.ts';
import { sendErrorPage } from './page-answer.ts';
import { createPages } from './register-pages.ts';

const FORM_BYTES = 64 * 1024;
/** Shorter answers fit into a packet as they are. */
const ZIPPED_BYTES = 1200;
const zip = promisify<string, Buffer>(gzip);

/** What is served to those who are not signed in. */
const openRoutes: readonly ((app: FastifyInstance, context: ServiceContext) => void)[] = [
  assetRoutes,
  signInPages,
  phoneBookRoute,
];

/** The pages of signed-in users. */
const userRoutes: readonly ((pages: Pages, context: ServiceContext) => void)[] = [
  callListPage,
  callDetailsPage,
  barPage,
  callBackPages,
  givePage,
  customerPages,
  importPages,
  phoneBookPage,
  personPage,
  personChanges,
  personDataPage,
  reportPages,
  settingsPage,
  notificationPages,
  userPages,
  segmentPages,
  openingHoursPage,
  auditPage,
  integrationPages,
  webhookPages,
  apiLogPages,
  accountPages,
  secondFactorPages,
  welcomePage,
];

/** The pages, rendered on the server. */
export function pageRoutes(context: ServiceContext) {
  return async (app: FastifyInstance) => {
    takeForms(app, FORM_BYTES);
    refuseOtherSites(app, context.publicUrl);
    zipLongAnswers(app);
    app.setErrorHandler((error: FastifyError, request, reply) => {
      const { status } = refusalOf(error, request, context.log);
      return sendErrorPage(request, reply, status, error);
    });
    for (const register of openRoutes) register(app, context);
    const pages = createPages(app, context, FORM_BYTES);
    for (const register of userRoutes) register(pages, context);
  };
}

function refuseOtherSites(app: FastifyInstance, publicUrl: string | undefined): void {
  app.addHook('onRequest', async (request) => {
    if (!isRead(request) && !isSameOrigin(request, publicUrl))
      throw new Refusal(403, ({ otherSite }) => otherSite);
    refuseEncoded(request);
  });
}

function zipLongAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async ({ headers }, reply, payload) => {
    const isZipped = typeof payload === 'string' && payload.length > ZIPPED_BYTES;
    if (!isZipped || !/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return payload;
    reply.header('content-encoding', 'gzip').header('vary', 'accept-encoding').removeHeader('content-length');
    return zip(payload);
  });
}
