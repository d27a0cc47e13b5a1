import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sameText } from '../accounts/keys.ts';
import type { Role } from '../accounts/user.ts';
import type { Handler, Pages, UserRequest } from '../accounts/user-request.ts';
import type { Turn } from '../kit/account-turns.ts';
import { isRead } from '../kit/page-request.ts';
import { sendPlain } from '../kit/plain-page.ts';
import { PartlyDone, Refusal, refusalOf } from '../kit/refusal.ts';
import { isOwnerGone } from '../store/statements.ts';
import { sessionCookie } from '../users/session-cookie.ts';
import type { ServiceContext } from './context.ts';
import { createLargeForms } from './large-forms.ts';
import { errorPage, sendAnswer, sendPage } from './page-answer.ts';
import { type Asker, userRequestOf } from './user-request.ts';

/** Who may open a page, what answers it, and its turn among the requests of the account. */
type Route = { readonly role: Role; readonly handler: Handler; readonly turn: Turn };

/** The pages of signed-in users, as routes of an application. `formBytes`: the size of a usual form. */
export function createPages(app: FastifyInstance, context: ServiceContext, formBytes: number): Pages {
  const largeForms = createLargeForms(context, askToSignIn);
  const answer = (route: Route) => (request: FastifyRequest, reply: FastifyReply) =>
    answerPage(route, request, reply, context);
  return {
    get: (path, role, handler) => void app.get(path, answer({ role, handler, turn: 'read' })),
    post(path, role, handler, { bytes = formBytes, turn = 'change' } = {}) {
      const answered = answer({ role, handler, turn });
      if (bytes <= formBytes) return void app.post(path, { bodyLimit: bytes }, answered);
      const { onRequest, answeredBy } = largeForms;
      app.post(path, { bodyLimit: bytes, onRequest }, answeredBy(answered));
    },
  };
}

/** Answers a request of a signed-in user in its turn; anybody else is asked to sign in. */
async function answerPage(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  context: ServiceContext,
): Promise<unknown> {
  const admit = () => askerOf(request, context);
  const refuse = () => askToSignIn(request, reply);
  const who = await admit();
  if (who === undefined) return refuse();
  const of = { turn: route.turn, account: who.account.id, client: `user ${who.session.user.id}` };
  const work = (now: Asker) => answerUser(route, request, reply, now, context);
  return context.turns.run(of, reply, { who, admit, refuse, work });
}

async function askerOf(
  request: FastifyRequest,
  { sessions, directory }: ServiceContext,
): Promise<Asker | undefined> {
  const session = await sessions.find(sessionCookie.read(request));
  const account = directory.accounts().find(({ id }) => id === session?.user.account);
  return session && account && { session, account };
}

async function answerUser(
  { role, handler }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  asker: Asker,
  context: ServiceContext,
): Promise<FastifyReply> {
  const userRequest = userRequestOf(request, reply, asker, context);
  try {
    checkToken(request, userRequest);
    if (userRequest.user.password === null && userRequest.path !== '/welcome')
      return reply.redirect('/welcome', 303);
    if (role === 'administrator' && !userRequest.administrates)
      throw new Refusal(403, ({ onlyAdministrators }) => onlyAdministrators);
    return await sendAnswer(reply, await handler(userRequest), userRequest, context);
  } catch (error) {
    return answerError(error, request, reply, userRequest, context);
  }
}

function checkToken({ method }: FastifyRequest, { form, token }: UserRequest): void {
  if (method === 'POST' && !sameText(form.get('token') ?? '', token))
    throw new Refusal(403, ({ formExpired }) => formExpired);
}

async function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  userRequest: UserRequest,
  context: ServiceContext,
): Promise<FastifyReply> {
  const { signal, words } = userRequest;
  if (signal.aborted && error === signal.reason) return reply.hijack();
  const cause = error instanceof PartlyDone ? error.cause : error;
  const { status } = refusalOf(cause as FastifyError, request, context.log);
  if (isOwnerGone(cause) && (await context.sessions.find(sessionCookie.read(request))) === undefined)
    return askToSignIn(request, reply);
  const page = errorPage(status, error as Error, words);
  if (status === 401) return sendPlain(reply, page, words); // signed out meanwhile
  // Its frame reads the store, which may be what has failed.
  return sendPage(reply, page, userRequest, context).catch(() => sendPlain(reply, page, words));
}

/** Leads to the sign-in page, which leads back to the page that was asked for, or whose form was sent. */
function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { originalUrl, headers } = request;
  const { pathname = '/', search = '' } = URL.parse(headers.referer ?? '') ?? {};
  const to = isRead(request) ? originalUrl : pathname + search;
  return reply.redirect(to === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ to })}`, 303);
}
