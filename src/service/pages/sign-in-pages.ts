import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { useLink } from '../access/one-time-link.ts';
import { sessionCookie } from '../access/session-cookie.ts';
import { makeSignInAttempts } from '../access/sign-in-attempts.ts';
import { signInName } from '../access/users.ts';
import type { ServiceContext } from '../http/context.ts';
import type { AuditKind } from '../store/audit-store.ts';
import type { User } from '../store/user-store.ts';
import { field, notice } from './kit/form.ts';
import { html } from './kit/html.ts';
import type { Page } from './kit/page-request.ts';

/** Signing in, by name and password or by a one-time link, and out. The API redirects unauthenticated browsers here (part 5). */
export function signInPages(
  app: FastifyInstance,
  { store, sessions, passwords, keys, clock, log }: ServiceContext,
  { sendPlain }: { sendPlain: (reply: FastifyReply, page: Page) => FastifyReply },
): void {
  const attempts = makeSignInAttempts();

  /** A name that nobody has is not written: people type passwords there. */
  const audit = (what: AuditKind, user: User | undefined, { ip }: FastifyRequest, target: string) =>
    store.audit.write({
      ...{ account: user?.account ?? 0, at: clock(), what, who: user?.name ?? '', from: ip, target },
    });

  /** Every sign-in starts a new session and ends the one that the browser had. */
  async function signIn(
    user: User,
    request: FastifyRequest,
    reply: FastifyReply,
    way: string,
  ): Promise<void> {
    const before = await sessions.find(sessionCookie.read(request));
    if (before !== undefined) await sessions.close(before);
    sessionCookie.set(reply, await sessions.open(user));
    await audit('sign-in', user, request, way);
  }

  app.get('/sign-in', async (request, reply) => {
    const { to = '' } = request.query as { to?: string };
    const session = await sessions.find(sessionCookie.read(request));
    return session ? reply.redirect(inside(to), 303) : sendPlain(reply, signInPage({ to }));
  });

  app.post('/sign-in', async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const [name, to] = [form.get('name') ?? '', form.get('to') ?? ''];
    const comparedName = signInName(name);
    const again = (status: number, error: string) =>
      sendPlain(reply, signInPage({ to, name, error, status }));
    if (!attempts.allowed(comparedName, request.ip, clock())) {
      log.say('service.sign-in-limited', { address: request.ip });
      return again(429, 'Too many attempts. Try again in 15 minutes.');
    }
    const user = await store.users.find({ signInName: comparedName });
    if (!(await passwords.verify(form.get('password') ?? '', user?.password ?? null)) || user === undefined) {
      attempts.failed(comparedName, request.ip, clock());
      await audit('sign-in-failed', user, request, user ? 'wrong password' : 'unknown name');
      return again(401, 'Wrong name or password.');
    }
    attempts.succeeded(comparedName, request.ip);
    await signIn(user, request, reply, 'by password');
    return reply.redirect(inside(to), 303);
  });

  app.post('/sign-in/link', async (request, reply) => {
    const link = request.body instanceof URLSearchParams ? (request.body.get('link') ?? '') : '';
    const user = await useLink(store, keys, link, clock());
    if (user === undefined) return reply.code(401).send();
    await signIn(user, request, reply, 'by one-time link');
    return reply.code(204).send();
  });

  app.post('/sign-out', async (request, reply) => {
    const session = await sessions.find(sessionCookie.read(request));
    if (session !== undefined) {
      await sessions.close(session);
      await audit('sign-out', session.user, request, '');
    }
    sessionCookie.clear(reply);
    return reply.redirect('/sign-in', 303);
  });
}

/** The path to go to after signing in; `/` unless it is a path of this service. */
function inside(to: string): string {
  const here = 'http://here.invalid';
  const url = to.startsWith('/') ? URL.parse(to, here) : null;
  return url?.origin === here ? url.href.slice(here.length) : '/';
}

function signInPage({
  to,
  name = '',
  error,
  status = 200,
}: {
  to: string;
  name?: string;
  error?: string;
  status?: number;
}): Page {
  return {
    title: 'Sign in',
    status,
    scripts: ['sign-in.js'],
    body: html`
      <h1>Sign in</h1>
      <div id="state">${error !== undefined && notice(error, 'bad')}</div>
      <form method="post" action="/sign-in" class="card">
        <input type="hidden" name="to" value=${to} />
        ${field({ label: 'Name', name: 'name', value: name, required: true, autocomplete: 'username', autofocus: name === '' })}
        ${field({ label: 'Password', name: 'password', type: 'password', required: true, autocomplete: 'current-password', autofocus: name !== '' })}
        <button type="submit" class="main">Sign in</button>
      </form>
      <h2>No password yet or forgotten?</h2>
      <p>Ask an administrator of your account for a link (under Users), or run this command on the server:</p>
      <pre tabindex="0">pbx-bridge service link</pre>
      <h2>Connecting a program?</h2>
      <p>
        If your program was sent here, its request had no valid token. Send the integration’s token
        as <code>Authorization: Bearer</code>, and <code>Accept: application/json</code> to get
        a 401 response instead of this page. The token is shown under Integrations, and by this command:
      </p>
      <pre tabindex="0">pbx-bridge service token</pre>
    `,
  };
}
