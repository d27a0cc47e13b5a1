import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../accounts/account.ts';
import type { Session } from '../accounts/user.ts';
import type { UserRequest } from '../accounts/user-request.ts';
import { barChoiceOf } from '../activity/bar-choice.ts';
import { closedWith } from '../kit/closed-with.ts';
import { formatsFor } from '../kit/formats.ts';
import type { PageRequest } from '../kit/page-request.ts';
import { parseQuery } from '../kit/text.ts';
import { wordsFor } from '../words/words.ts';
import type { ServiceContext } from './context.ts';

/** Who asks for a page: a session, and its account. */
export type Asker = { readonly session: Session; readonly account: Account };

/** The request of a page, with who asks. */
export function userRequestOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { session, account }: Asker,
  context: ServiceContext,
): UserRequest {
  const { store, directory, access, clock } = context;
  const { user } = session;
  let segments: ReturnType<UserRequest['readSegments']> | undefined;
  return {
    ...pageRequestOf(request, reply, { session, account }, context),
    session,
    user,
    account,
    extensions: directory.extensions(account.id),
    readSegments: () =>
      (segments ??= store.customers.offeredSegments(account.id, barChoiceOf(user).segments)),
    isOwnPassword: (given) =>
      access.guard.attempt('password', { as: user.uid, request }, (client) =>
        access.passwords.verify(given, user.password, client),
      ),
    checkAdmitted: () => context.turns.checkAdmitted(reply),
    audit: (what, target) =>
      store.audit.write({
        account: account.id,
        at: clock(),
        what,
        who: user.name,
        from: request.ip,
        target,
      }),
  };
}

/** What is asked for, in which language. */
function pageRequestOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { session, account }: Asker,
  { keys, publicUrl, linkOrigin, clock }: ServiceContext,
): PageRequest {
  const [path = '', ...query] = request.originalUrl.split('?');
  const words = wordsFor(session.user.language, request.headers['accept-language']);
  return {
    administrates: session.user.role === 'administrator',
    path,
    params: request.params as Record<string, string>,
    query: parseQuery(query.join('?')),
    form: request.body instanceof URLSearchParams ? request.body : new URLSearchParams(),
    isRenewal: request.headers.moved !== undefined,
    moved: movedIn(request),
    token: keys.sign('form', session.id),
    origin: publicUrl ?? `${request.protocol}://${request.host}`,
    linkOrigin: linkOrigin(),
    signal: closedWith(reply),
    now: clock(),
    words,
    formats: formatsFor(account.timeZone, words.locale),
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
