import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TookTooLong } from '../../shared/storage/storage-error.ts';
import type { Account } from '../accounts/directory-store.ts';
import { sameText } from '../accounts/keys.ts';
import { ChangeRefused } from '../accounts/limits.ts';
import type { Session } from '../accounts/user.ts';
import { barPage } from '../activity/bar-page.ts';
import { callDetailsPage } from '../activity/call-details-page.ts';
import { callListPage } from '../activity/call-list-page.ts';
import { auditPage } from '../audit/audit-page.ts';
import { apiLogPages } from '../history/api-log-pages.ts';
import { integrationPages } from '../integrations/integration-pages.ts';
import { assetRoutes } from '../kit/assets.ts';
import { closedWith, whenClosed } from '../kit/closed-with.ts';
import { refuseEncoded } from '../kit/encoded-body.ts';
import { notice } from '../kit/form.ts';
import { formatsFor } from '../kit/formats.ts';
import { layout, plainLayout } from '../kit/layout.ts';
import {
  type Answer,
  barChoice,
  barChoiceOf,
  type Handler,
  isHead,
  isRead,
  type Page,
  type PageRequest,
  type Pages,
} from '../kit/page-request.ts';
import { PartlyDone, Refusal, refusalOf, refusalText } from '../kit/refusal.ts';
import { settingsList } from '../kit/settings-frame.ts';
import { formFields } from '../kit/text.ts';
import type { Turn } from '../kit/turns.ts';
import { callBackPages } from '../people/call-back-pages.ts';
import { customerPages } from '../people/customer-pages.ts';
import { importPages } from '../people/import-pages.ts';
import { personChanges } from '../people/person-changes.ts';
import { personPage } from '../people/person-page.ts';
import { segmentPages } from '../priority/segments.ts';
import { reportPages } from '../reports/report-pages.ts';
import { accountPages } from '../settings/account-pages.ts';
import { openingHoursPage } from '../settings/opening-hours-page.ts';
import { welcomePage } from '../settings/welcome-page.ts';
import { isOwnerGone } from '../store/statements.ts';
import { secondFactorPages } from '../users/second-factor-pages.ts';
import { isSameOrigin, sessionCookie } from '../users/session-cookie.ts';
import { signInPages } from '../users/sign-in-pages.ts';
import { userPages } from '../users/user-pages.ts';
import { makeWebhookChanges } from '../webhooks/webhook-changes.ts';
import { webhookPages } from '../webhooks/webhook-pages.ts';
import { html } from '../words/html.ts';
import { type Words, wordsFor } from '../words/words.ts';
import type { ServiceContext } from './context.ts';
import { takeForms } from './form-body.ts';

const FORM_BYTES = 64 * 1024;
/** Shorter answers fit into a packet as they are. */
const ZIPPED_BYTES = 1200;
const zip = promisify<string, Buffer>(gzip);

/** The pages for signed-in users, rendered on the server. */
export function pageRoutes(context: ServiceContext) {
  const { store, sessions, access, directory, keys, budgets, turns, mailer, clock, log } = context;

  /** The work on each large form that has arrived: it goes on when the browser has gone. */
  const largeForms = new WeakMap<FastifyRequest, Promise<unknown>>();

  /** Before a large body is read: one at a time per account, of an administrator. */
  async function largeForm(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const session = await sessions.find(sessionCookie.read(request));
    if (session?.user.role !== 'administrator')
      throw new Refusal(403, ({ onlyAdministrators }) => onlyAdministrators);
    const giveBack = budgets.imports.take(session.user.account);
    whenClosed(reply, () => void Promise.allSettled([largeForms.get(request)]).then(giveBack));
  }

  async function pageRequestOf(
    request: FastifyRequest,
    reply: FastifyReply,
    session: Session,
    account: Account,
  ): Promise<PageRequest> {
    const [path = '', ...query] = request.originalUrl.split('?');
    const words = wordsFor(session.user.language, request.headers['accept-language']);
    const extensions = directory.extensions(account.id);
    const segments = await store.customers.offeredSegments(account.id, barChoiceOf(session.user).segments);
    return {
      session,
      user: session.user,
      account,
      extensions,
      segments,
      barChoice: barChoice(session.user, {
        extensions,
        segments,
        integrations: directory.integrations(account.id),
      }),
      administrates: session.user.role === 'administrator',
      path,
      params: request.params as Record<string, string>,
      query: formFields(query.join('?')),
      form: request.body instanceof URLSearchParams ? request.body : new URLSearchParams(),
      isRenewal: request.headers.moved !== undefined,
      moved: movedIn(request),
      token: formToken(session),
      origin: context.publicUrl ?? `${request.protocol}://${request.host}`,
      linkOrigin: context.linkOrigin(),
      signal: closedWith(reply),
      now: clock(),
      words,
      formats: formatsFor(account.timeZone, words.locale),
      isOwnPassword: (given) =>
        access.guard.attempt('password', { as: session.user.uid, request }, (client) =>
          access.passwords.verify(given, session.user.password, client),
        ),
      audit: (what, target) =>
        store.audit.write({
          account: account.id,
          at: clock(),
          what,
          who: session.user.name,
          from: request.ip,
          target,
        }),
    };
  }
  const formToken = ({ id }: Session) => keys.sign('form', id);

  const pages = (app: FastifyInstance): Pages => {
    const answerOf =
      (role: 'administrator' | 'agent', handler: Handler) =>
      async (request: FastifyRequest, reply: FastifyReply, session: Session, account: Account) => {
        const pageRequest = await pageRequestOf(request, reply, session, account);
        try {
          if (request.method === 'POST' && !sameText(pageRequest.form.get('token') ?? '', pageRequest.token))
            throw new Refusal(403, ({ formExpired }) => formExpired);
          if (pageRequest.user.password === null && pageRequest.path !== '/welcome')
            return reply.redirect('/welcome', 303);
          if (role === 'administrator' && !pageRequest.administrates)
            throw new Refusal(403, ({ onlyAdministrators }) => onlyAdministrators);
          return await send(reply, await handler(pageRequest), pageRequest);
        } catch (error) {
          if (pageRequest.signal.aborted && error === pageRequest.signal.reason) return reply.hijack();
          const cause = error instanceof PartlyDone ? error.cause : error;
          const { status } = refusalOf(cause as FastifyError, request, log);
          if (isOwnerGone(cause) && (await sessions.find(sessionCookie.read(request))) === undefined)
            return reply.redirect(signInFor(request), 303);
          return sendPage(reply, errorPage(status, error as Error, pageRequest.words), pageRequest);
        }
      };
    const answer = (role: 'administrator' | 'agent', handler: Handler, turn: Turn) => {
      const answered = answerOf(role, handler);
      return async (request: FastifyRequest, reply: FastifyReply) => {
        const session = await sessions.find(sessionCookie.read(request));
        const account = directory.accounts().find(({ id }) => id === session?.user.account);
        if (session === undefined || account === undefined) return reply.redirect(signInFor(request), 303);
        const of = { turn, account: account.id, client: `user ${session.user.id}` };
        return turns.run(of, reply, () => answered(request, reply, session, account));
      };
    };
    return {
      get: (path, role, handler) => void app.get(path, answer(role, handler, 'read')),
      post(path, role, handler, { bytes = FORM_BYTES, turn } = {}) {
        const answered = answer(role, handler, turn ?? 'change');
        if (bytes <= FORM_BYTES) return void app.post(path, { bodyLimit: bytes }, answered);
        app.post(path, { bodyLimit: bytes, onRequest: largeForm }, (request, reply) => {
          const work = answered(request, reply);
          largeForms.set(request, work);
          return work;
        });
      },
    };
  };

  return async (app: FastifyInstance) => {
    takeForms(app, FORM_BYTES);
    app.addHook('onRequest', async (request) => {
      if (!isRead(request) && !isSameOrigin(request, context.publicUrl))
        throw new Refusal(403, ({ otherSite }) => otherSite);
      refuseEncoded(request);
    });
    app.addHook('onSend', async ({ headers }, reply, payload) => {
      const isZipped = typeof payload === 'string' && payload.length > ZIPPED_BYTES;
      if (!isZipped || !/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return payload;
      reply
        .header('content-encoding', 'gzip')
        .header('vary', 'accept-encoding')
        .removeHeader('content-length');
      return zip(payload);
    });
    app.setErrorHandler((error: FastifyError, request, reply) => {
      const { status } = refusalOf(error, request, log);
      return sendErrorPage(request, reply, status, error);
    });

    assetRoutes(app);
    signInPages(app, { store, directory, sessions, access, keys, clock, sendPlain });
    const routes = pages(app);
    const { users, customers, requests } = store;
    const { passwords, secondFactor } = access;
    const settings = { users, customers, directory, sessions, passwords, budgets };
    barPage(routes, context);
    callBackPages(routes, context);
    personPage(routes, context);
    personChanges(routes, context);
    accountPages(routes, settings);
    welcomePage(routes, settings);
    integrationPages(routes, requests, directory, keys);
    const hooks = { store: store.webhooks, changes: makeWebhookChanges(store) };
    webhookPages(routes, hooks, keys, context.webhookNetworks, context.webhooks.poke);
    userPages(routes, {
      store,
      sessions,
      secondFactor,
      directory,
      keys,
      mailer,
      callBackList: context.callBackList,
    });
    openingHoursPage(routes, directory);
    auditPage(routes, store.audit);
    secondFactorPages(routes, secondFactor, sessions);
    routes.get('/settings', 'agent', (request) => ({
      title: request.words.layout.settings,
      body: html`<h1>${request.words.layout.settings}</h1><div class="settings">${settingsList(request)}</div>`,
    }));
    customerPages(routes, context);
    segmentPages(routes, context);
    importPages(routes, context);
    callListPage(routes, context);
    callDetailsPage(routes, context);
    reportPages(routes, { store, directory, budgets, mails: mailer !== undefined });
    apiLogPages(routes, { store, directory });
  };
}

/** The rows that client/keep-live.ts asks for; `*`: all. */
function movedIn({ headers }: FastifyRequest): ReadonlySet<string> | null {
  const { moved } = headers;
  return typeof moved === 'string' && moved !== '*' ? new Set(moved.split(' ').map(textIn)) : null;
}

/** Of a header, which takes ASCII alone. */
function textIn(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** The sign-in page, which leads back to the page that was asked for. */
function signInFor(request: FastifyRequest): string {
  const { originalUrl } = request;
  return isRead(request) && originalUrl !== '/'
    ? `/sign-in?${new URLSearchParams({ to: originalUrl })}`
    : '/sign-in';
}

async function send(reply: FastifyReply, answer: Answer, pageRequest: PageRequest): Promise<FastifyReply> {
  if (answer === 'done') return reply.code(204).send();
  if ('redirect' in answer) return reply.redirect(answer.redirect, 303);
  if ('download' in answer) {
    if (answer.exported !== undefined && !isHead(reply.request))
      await pageRequest.audit('export', answer.exported);
    return reply
      .type(answer.type)
      .header('content-disposition', `attachment; filename="${answer.download}"`)
      .send(typeof answer.content === 'string' ? answer.content : Readable.from(answer.content));
  }
  return sendPage(reply, answer, pageRequest);
}

function sendPage(reply: FastifyReply, page: Page, pageRequest: PageRequest): FastifyReply {
  return reply
    .code(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(layout(page, pageRequest));
}

/** An error outside of the account's pages, in the user's language if that is known, else in the browser's. */
export function sendErrorPage(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  status: number,
  error: Error,
  language = '',
): FastifyReply {
  const words = wordsFor(language, headers['accept-language']);
  return sendPlain(reply, errorPage(status, error, words), words);
}

export function sendPlain(reply: FastifyReply, page: Page, words: Words): FastifyReply {
  return reply
    .code(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(plainLayout(page, words));
}

/** A page that says why a request failed. */
function errorPage(status: number, error: Error, words: Words): Page {
  const { errors } = words;
  const kind =
    status === 403 ? 'noAccess' : status === 404 ? 'notFound' : status < 500 ? 'notPossible' : 'failed';
  const title = errors.titles[kind];
  return {
    title,
    status,
    body: html`<h1>${title}</h1>${notice(errorText(status, error, words), 'bad')}<p><a class="button" href="/calls">${words.layout.calls}</a></p>`,
  };
}

function errorText(status: number, error: Error, words: Words): string {
  const { errors } = words;
  if (error instanceof PartlyDone) return `${errorText(status, error.cause, words)} ${error.done(words)}`;
  if (error instanceof Refusal) return refusalText(error, words);
  if (error instanceof ChangeRefused) return error.text(words);
  if (isOwnerGone(error)) return errors.notThere;
  if (error instanceof TookTooLong) return errors.tookTooLong;
  if (status === 503) return errors.noStorage;
  if (status === 413) return errors.tooLarge;
  return status < 500 ? errors.notPossible : errors.failed;
}
