import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { ServiceContext } from '../context.ts';
import { sessionAccount, sessionCookie, useLink } from '../sign-in.ts';

const types = { html: 'text/html', js: 'text/javascript', css: 'text/css' } as const;

/** Nothing but our own files runs or loads, and nobody frames us. */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

const page = (file: string) => readFileSync(new URL(`../pages/${file}`, import.meta.url));

/** The sign-in page, where failed requests are sent (API part 5), and the notification bar. */
export function pageRoutes({ store, directory, keys, clock }: ServiceContext) {
  return async (app: FastifyInstance) => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers(headers);
    });
    const html = (file: string) => ({ body: page(file), type: `${types.html}; charset=utf-8` });
    const [signIn, bar] = [html('sign-in.html'), html('bar.html')];

    for (const file of ['style.css', 'bar.js', 'sign-in.js']) {
      const body = page(file);
      const type = `${types[file.split('.')[1] as keyof typeof types]}; charset=utf-8`;
      app.get(`/pages/${file}`, (_request, reply) => reply.type(type).send(body));
    }
    app.get('/', (_request, reply) => reply.redirect('/bar', 302));
    app.get('/bar', (request, reply) => {
      const uid = sessionAccount(request.headers.cookie, keys, clock());
      return uid === undefined ? reply.redirect('/sign-in', 302) : reply.type(bar.type).send(bar.body);
    });
    app.get('/sign-in', (_request, reply) => reply.type(signIn.type).send(signIn.body));
    app.post('/sign-in', async (request, reply) => {
      const { link } = (request.body ?? {}) as { link?: unknown };
      const uid = typeof link === 'string' ? await useLink(link, keys, store, clock()) : undefined;
      if (uid === undefined || !directory.accounts().some((account) => account.uid === uid)) {
        return reply.code(401).send({ message: 'This link is not valid any more.' });
      }
      const cookie = sessionCookie(keys, uid, clock(), request.protocol === 'https');
      return reply.header('set-cookie', cookie).code(204).send();
    });
  };
}
