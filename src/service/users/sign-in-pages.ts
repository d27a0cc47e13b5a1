import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { type Keys, sameText } from '../accounts/keys.ts';
import type { User } from '../accounts/user.ts';
import type { AuditStore } from '../audit/audit-store.ts';
import { field, fold, hiddenFields, notice } from '../kit/form.ts';
import type { Page } from '../kit/page-request.ts';
import { sendPlain } from '../kit/plain-page.ts';
import { Refusal, refusalText } from '../kit/refusal.ts';
import { isInForce } from '../rules/time-limit.ts';
import type { AuditKind } from '../words/audit-kinds.ts';
import { html } from '../words/html.ts';
import { languages, type Words, wordsFor } from '../words/words.ts';
import type { Access } from './access.ts';
import { cookieNames, cookieOptions, sessionCookie } from './session-cookie.ts';
import type { Sessions } from './sessions.ts';
import type { UserStore } from './user-store.ts';
import { signInName, useLink, userName } from './users.ts';

/** Between the password, or the link, and the code of the second factor. */
const CODE_MS = 10 * 60_000;

type Parts = {
  readonly store: { readonly users: UserStore; readonly audit: AuditStore };
  readonly directory: ServiceDirectory;
  readonly sessions: Sessions;
  readonly access: Access;
  readonly keys: Keys;
  readonly clock: () => number;
};

/** A request to sign in or out, and its reply. */
type Visit = { readonly request: FastifyRequest; readonly reply: FastifyReply };

/**
 * Signing in, by name and password or by a one-time link, then by a code if the user has a second factor; and out. The
 * API redirects unauthenticated browsers here (part 5).
 */
export function signInPages(app: FastifyInstance, parts: Parts): void {
  app.get('/sign-in', (request, reply) => showSignIn({ request, reply }, parts));
  app.post('/sign-in', (request, reply) => signInByPassword({ request, reply }, parts));
  app.post('/sign-in/code', (request, reply) => signInByCode({ request, reply }, parts));
  app.post('/sign-in/link', (request, reply) => signInByLink({ request, reply }, parts));
  app.post('/sign-out', (request, reply) => signOut({ request, reply }, parts));
}

/** A name that no user has is not written down: people type passwords there. */
const audit = (
  { store, clock }: Parts,
  what: AuditKind,
  user: User | undefined,
  { ip }: FastifyRequest,
  target: string,
) =>
  store.audit.write({
    account: user?.account ?? null,
    at: clock(),
    what,
    who: user?.name ?? '',
    from: ip,
    target,
  });

/**
 * Every sign-in starts a new session and ends the one that the browser had. False if what was checked is not valid any more:
 * the password, for example, can be replaced while the line for hashing is waited for.
 */
async function signIn(user: User, { request, reply }: Visit, way: string, parts: Parts): Promise<boolean> {
  const { sessions, access, directory } = parts;
  const from = { address: request.ip, browser: request.headers['user-agent'] ?? '' };
  const cookie = await sessions.open(user, from);
  if (cookie === undefined) {
    await audit(parts, 'sign-in-failed', user, request, 'changed at the same moment');
    return false;
  }
  const before = await sessions.find(sessionCookie.read(request));
  if (before !== undefined) await sessions.close(before);
  sessionCookie.set(reply, cookie);
  const account = directory.accounts().find(({ id }) => id === user.account);
  access.browsers.remember(reply, user, account?.uid ?? '');
  await audit(parts, 'sign-in', user, request, way);
  return true;
}

/** Signs in, or keeps for some minutes that only the code is missing. False as for `signIn`. */
async function enter(user: User, visit: Visit, way: string, parts: Parts): Promise<boolean> {
  if (user.secondFactor === null) return signIn(user, visit, way, parts);
  const { request, reply } = visit;
  const text = `${user.uid}.${parts.clock() + CODE_MS}`;
  const options = { ...cookieOptions(request), maxAge: CODE_MS / 1000 };
  reply.setCookie(cookieNames(request.protocol).code, `${text}.${codeSignature(text, user, parts)}`, options);
  return true;
}

/** Ends with any change of the password or the second factor, also from none to none. */
const codeSignature = (text: string, { linkCounter, secondFactor: factor }: User, { keys }: Parts) =>
  keys.sign('code', `${text} ${linkCounter} ${factor}`);

/** The user who has given the password, but not the code yet. */
async function halfSignedIn({ cookies, protocol }: FastifyRequest, parts: Parts): Promise<User | undefined> {
  const [uid = '', until = '', given = ''] = (cookies[cookieNames(protocol).code] ?? '').split('.');
  if (!isInForce(Number(until), CODE_MS, parts.clock())) return undefined;
  const user = await parts.store.users.find({ uid });
  return user && sameText(given, codeSignature(`${uid}.${until}`, user, parts)) ? user : undefined;
}

async function showSignIn({ request, reply }: Visit, parts: Parts): Promise<FastifyReply> {
  const { to = '', account = '', language = '' } = request.query as Record<string, string | undefined>;
  if (await parts.sessions.find(sessionCookie.read(request))) return reply.redirect(inside(to), 303);
  const half = await halfSignedIn(request, parts);
  const words = wordsOf(request, half?.language || language);
  const page = half ? codePage(words, { to }) : signInPage(words, { to, account, language });
  return sendPlain(reply, page, words);
}

async function signInByPassword(visit: Visit, parts: Parts): Promise<FastifyReply> {
  const { request, reply } = visit;
  const form = formOf(request);
  const given = (field: string) => form.get(field) ?? '';
  const [name, to, account] = [given('name'), given('to'), given('account')];
  const language = languages.has(given('language')) ? given('language') : '';
  const words = wordsOf(request, language);
  const again = (status: number, error: string) =>
    sendPlain(reply, signInPage(words, { to, account, language, name, error, status }), words);
  const { guard, passwords } = parts.access;
  const { comparedName, user } = await userNamed(name, account, request, parts);
  try {
    const who = { as: user?.uid ?? comparedName, request };
    const right = await guard.attempt('password', who, (client) =>
      passwords.verify(given('password'), user?.password ?? null, client),
    );
    if (!right || user === undefined) {
      await audit(parts, 'sign-in-failed', user, request, user ? 'wrong password' : 'unknown name');
      return again(401, words.signIn.wrong);
    }
  } catch (error) {
    if (error instanceof Refusal) return again(error.statusCode, refusalText(error, words));
    throw error;
  }
  if (language !== '' && user.language === '') await parts.store.users.change(user.id, { language });
  if (!(await enter(user, visit, 'by password', parts))) return again(401, words.signIn.wrong);
  return reply.redirect(user.secondFactor === null ? inside(to) : codePath(to), 303);
}

/** The user of a name that somebody typed. `account`: the uid from an account's own address; '' for the browser's. */
async function userNamed(
  name: string,
  account: string,
  request: FastifyRequest,
  { store, directory, access }: Parts,
): Promise<{ readonly comparedName: string; readonly user: User | undefined }> {
  const typed = userName.safeParse(name);
  if (!typed.success) return { comparedName: '', user: undefined };
  const comparedName = signInName(typed.data);
  const uid = account || access.browsers.account(request);
  const id = directory.accounts().find((candidate) => candidate.uid === uid)?.id ?? null;
  return { comparedName, user: await store.users.find({ signInName: comparedName, account: id }) };
}

async function signInByCode(visit: Visit, parts: Parts): Promise<FastifyReply> {
  const { request, reply } = visit;
  const { guard, secondFactor } = parts.access;
  const form = formOf(request);
  const to = form.get('to') ?? '';
  const user = await halfSignedIn(request, parts);
  const words = wordsOf(request, user?.language);
  const again = (status: number, error: string) =>
    sendPlain(reply, codePage(words, { to, error, status }), words);
  if (user === undefined) return reply.redirect(codePath(to), 303);
  try {
    const code = form.get('code') ?? '';
    const right = await guard.attempt('code', { as: user.uid, request }, () =>
      secondFactor.verify(user, code),
    );
    if (!right) {
      await audit(parts, 'sign-in-failed', user, request, 'wrong code');
      return again(401, words.signIn.wrongCode);
    }
  } catch (error) {
    if (error instanceof Refusal) return again(error.statusCode, refusalText(error, words));
    throw error;
  }
  reply.clearCookie(cookieNames(request.protocol).code, cookieOptions(request));
  if (!(await signIn(user, visit, 'with a code', parts))) {
    const page = signInPage(words, { to, account: '', language: '', error: words.signIn.wrong, status: 401 });
    return sendPlain(reply, page, words);
  }
  return reply.redirect(inside(to), 303);
}

async function signInByLink(visit: Visit, parts: Parts): Promise<FastifyReply> {
  const { request, reply } = visit;
  const { store, keys, clock } = parts;
  const user = await useLink(store, keys, formOf(request).get('link') ?? '', clock());
  if (user === undefined) return reply.code(401).send();
  const entered = await enter(user, visit, 'by one-time link', parts);
  return reply.code(entered ? 204 : 401).send();
}

async function signOut({ request, reply }: Visit, parts: Parts): Promise<FastifyReply> {
  const session = await parts.sessions.find(sessionCookie.read(request));
  if (session !== undefined) {
    await parts.sessions.close(session);
    await audit(parts, 'sign-out', session.user, request, '');
  }
  sessionCookie.clear(reply);
  return reply.redirect('/sign-in', 303);
}

/** In the language that was chosen, else in the browser's. */
const wordsOf = ({ headers }: FastifyRequest, chosen = '') => wordsFor(chosen, headers['accept-language']);

const formOf = ({ body }: FastifyRequest) => (body instanceof URLSearchParams ? body : new URLSearchParams());

/** The sign-in page asks for the code as long as only that is missing. */
const codePath = (to: string) => `/sign-in?${new URLSearchParams({ to })}`;

/** The path to go to after signing in; `/` unless it is a path of this service. */
function inside(to: string): string {
  const here = 'http://here.invalid';
  const url = to.startsWith('/') ? URL.parse(to, here) : null;
  // `//name` is another host, also where `/.//name` was given.
  return url?.origin === here ? url.href.slice(here.length).replace(/^\/+/, '/') : '/';
}

function codePage(
  { common, signIn }: Words,
  { to, error, status = 200 }: { to: string; error?: string; status?: number },
): Page {
  return {
    title: signIn.title,
    status,
    body: html`
      <h1>${signIn.title}</h1>
      ${error !== undefined && notice(error, 'bad')}
      <form method="post" action="/sign-in/code" class="card form">
        <input type="hidden" name="to" value=${to} />
        ${field({ label: signIn.code, name: 'code', required: true, autocomplete: 'one-time-code', autofocus: true, hint: signIn.codeHint })}
        <button type="submit" class="primary">${signIn.title}</button>
      </form>
      <form method="post" action="/sign-out"><button type="submit">${common.cancel}</button></form>
    `,
  };
}

function signInPage(
  { signIn, account: { language: label }, users, language: current }: Words,
  {
    to,
    account,
    language,
    name = '',
    error,
    status = 200,
  }: {
    to: string;
    /** The uid of the account, from its own sign-in address. */
    account: string;
    /** That was chosen; '' for the browser's. */
    language: string;
    name?: string;
    error?: string;
    status?: number;
  },
): Page {
  return {
    title: signIn.title,
    status,
    scripts: ['sign-in'],
    body: html`
      <h1>${signIn.title}</h1>
      <div id="state" data-signing-in=${signIn.signingIn} data-link-ended=${signIn.linkEnded}>${error !== undefined && notice(error, 'bad')}</div>
      <form method="post" action="/sign-in" class="card form">
        ${hiddenFields({ to, account, language })}
        ${field({ label: users.nameOrMail, name: 'name', value: name, required: true, autocomplete: 'username', autofocus: name === '' })}
        ${field({ label: signIn.password, name: 'password', type: 'password', required: true, autocomplete: 'current-password', autofocus: name !== '' })}
        <button type="submit" class="primary">${signIn.title}</button>
      </form>
      ${fold(signIn.noPassword, html`<p>${signIn.askForLink} <code>pbx-bridge service link</code></p>`)}
      <nav class="languages small" aria-label=${label}>
        ${Array.from(languages, ([tag, { languageName }]) => html`<a href=${`/sign-in?${new URLSearchParams({ to, account, language: tag })}`} lang=${tag} aria-current=${tag === current ? 'true' : undefined}>${languageName}</a>`)}
      </nav>
    `,
  };
}
