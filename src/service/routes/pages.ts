import { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSameOrigin } from '../access/same-origin.ts';
import { sessionCookie } from '../access/session-cookie.ts';
import { sameText } from '../accounts/keys.ts';
import { barChoice } from '../calls/bar-choice.ts';
import type { ServiceContext } from '../http/context.ts';
import { Refusal, refusalOf } from '../http/refusal.ts';
import { formFields } from '../http/text.ts';
import { accountPages } from '../pages/account-pages.ts';
import { apiLogPages } from '../pages/api-log-pages.ts';
import { auditPage } from '../pages/audit-page.ts';
import { barPage } from '../pages/bar-page.ts';
import { callBackPages } from '../pages/calls/call-back-pages.ts';
import { callDetailsPage } from '../pages/calls/call-details-page.ts';
import { callListPage } from '../pages/calls/call-list-page.ts';
import { callerPage } from '../pages/calls/caller-page.ts';
import { customerPages } from '../pages/customer-pages.ts';
import { dashboardPage } from '../pages/dashboard-page.ts';
import { errorPage, sendErrorPage, sendPlain } from '../pages/error-page.ts';
import { extensionPages } from '../pages/extension-pages.ts';
import { importPages } from '../pages/import-pages.ts';
import { integrationPages } from '../pages/integration-pages.ts';
import { assetRoutes } from '../pages/kit/assets.ts';
import { formatsFor } from '../pages/kit/formats.ts';
import { layout } from '../pages/kit/layout.ts';
import type { Answer, Handler, Page, PageRequest, Pages } from '../pages/kit/page-request.ts';
import { openingHoursPage } from '../pages/opening-hours-page.ts';
import { reportPages } from '../pages/reports/report-pages.ts';
import { secondFactorPages } from '../pages/second-factor-pages.ts';
import { segmentPages } from '../pages/segment-pages.ts';
import { signInPages } from '../pages/sign-in-pages.ts';
import { startPage } from '../pages/start-page.ts';
import { userPages } from '../pages/user-pages.ts';
import { webhookPages } from '../pages/webhook-pages.ts';
import { welcomePage } from '../pages/welcome-page.ts';
import { wordsFor } from '../pages/words/words.ts';
import type { Session } from '../store/user-store.ts';

const FORM_BYTES = 64 * 1024;

/** The pages for signed-in users, rendered on the server. */
export function pageRoutes(context: ServiceContext) {
  const { store, sessions, access, directory, keys, budgets, clock, log } = context;

  /** Before a large body is read: one at a time per account, of an administrator. */
  async function largeForm(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const session = await sessions.find(sessionCookie.read(request));
    if (session?.user.role !== 'administrator')
      throw new Refusal(403, ({ onlyAdministrators }) => onlyAdministrators);
    reply.raw.once('close', budgets.imports.take(session.user.account));
  }

  /** Undefined if the browser is not signed in. */
  async function pageRequestOf(request: FastifyRequest): Promise<PageRequest | undefined> {
    const session = await sessions.find(sessionCookie.read(request));
    const account = directory.accounts().find(({ id }) => id === session?.user.account);
    if (session === undefined || account === undefined) return undefined;
    const [path = '', ...query] = request.originalUrl.split('?');
    const words = wordsFor(session.user.language, request.headers['accept-language']);
    const extensions = directory.extensions(account.id);
    return {
      session,
      user: session.user,
      account,
      extensions,
      barChoice: await barChoice(session.user, {
        extensions,
        integrations: directory.integrations(account.id),
        segments: () => store.customers.segments(account.id),
      }),
      administrates: session.user.role === 'administrator',
      path,
      params: request.params as Record<string, string>,
      query: formFields(query.join('?')),
      form: request.body instanceof URLSearchParams ? request.body : new URLSearchParams(),
      token: formToken(session),
      origin: context.publicUrl ?? `${request.protocol}://${request.host}`,
      now: clock(),
      words,
      formats: formatsFor(account.timeZone, words.locale),
      isOwnPassword: (given) =>
        access.guard.attempt('password', { as: session.user.uid, request }, (client) =>
          access.passwords.verify(given, session.user.password, client),
        ),
      audit: (what, target) =>
        store.audit.write({
          ...{ account: account.id, at: clock(), what, who: session.user.name, from: request.ip, target },
        }),
    };
  }
  const formToken = ({ id }: Session) => keys.sign('form', id);

  const pages = (app: FastifyInstance): Pages => {
    const answer =
      (role: 'administrator' | 'agent', handler: Handler) =>
      async (request: FastifyRequest, reply: FastifyReply) => {
        const pageRequest = await pageRequestOf(request);
        if (pageRequest === undefined) return reply.redirect(signInFor(request), 303);
        try {
          if (request.method === 'POST' && !sameText(pageRequest.form.get('token') ?? '', pageRequest.token))
            throw new Refusal(403, ({ formExpired }) => formExpired);
          if (pageRequest.user.password === null && pageRequest.path !== '/welcome')
            return reply.redirect('/welcome', 303);
          if (role === 'administrator' && !pageRequest.administrates)
            throw new Refusal(403, ({ onlyAdministrators }) => onlyAdministrators);
          return send(reply, await handler(pageRequest), pageRequest);
        } catch (error) {
          const { status } = refusalOf(error as FastifyError, request.routeOptions.url ?? '', log);
          return sendPage(reply, errorPage(status, error as Error, pageRequest.words), pageRequest);
        }
      };
    return {
      get: (path, role, handler) => void app.get(path, answer(role, handler)),
      post: (path, role, handler, { bytes = FORM_BYTES } = {}) =>
        void app.post(
          path,
          { bodyLimit: bytes, ...(bytes > FORM_BYTES && { onRequest: largeForm }) },
          answer(role, handler),
        ),
    };
  };

  return async (app: FastifyInstance) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => done(null, formFields(body as string)),
    );
    app.addHook('onRequest', async (request) => {
      if (request.method !== 'GET' && !isSameOrigin(request))
        throw new Refusal(403, ({ otherSite }) => otherSite);
    });
    app.setErrorHandler((error: FastifyError, request, reply) => {
      const { status } = refusalOf(error, request.routeOptions.url ?? '', log);
      return sendErrorPage(request, reply, status, error);
    });

    assetRoutes(app);
    await signInPages(app, context, { sendPlain });
    const routes = pages(app);
    dashboardPage(routes, context);
    barPage(routes, context);
    callBackPages(routes, context);
    callerPage(routes, context);
    accountPages(routes, context);
    welcomePage(routes, context);
    startPage(routes, context);
    integrationPages(routes, context);
    webhookPages(routes, context);
    userPages(routes, context);
    extensionPages(routes, context);
    openingHoursPage(routes, context);
    auditPage(routes, context);
    secondFactorPages(routes, context);
    customerPages(routes, context);
    segmentPages(routes, context);
    importPages(routes, context);
    callListPage(routes, context);
    callDetailsPage(routes, context);
    reportPages(routes, context);
    apiLogPages(routes, context);
  };
}

/** The sign-in page, which leads back to the page that was asked for. */
function signInFor({ method, originalUrl }: FastifyRequest): string {
  return method === 'GET' && originalUrl !== '/'
    ? `/sign-in?${new URLSearchParams({ to: originalUrl })}`
    : '/sign-in';
}

function send(reply: FastifyReply, answer: Answer, pageRequest: PageRequest): FastifyReply {
  if (answer === 'done') return reply.code(204).send();
  if ('redirect' in answer) return reply.redirect(answer.redirect, 303);
  if ('download' in answer)
    return reply
      .type(answer.type)
      .header('content-disposition', `attachment; filename="${answer.download}"`)
      .send(typeof answer.content === 'string' ? answer.content : Readable.from(answer.content));
  return sendPage(reply, answer, pageRequest);
}

function sendPage(reply: FastifyReply, page: Page, pageRequest: PageRequest): FastifyReply {
  return reply
    .code(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(layout(page, pageRequest));
}
