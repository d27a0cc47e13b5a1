import type { FastifyReply, FastifyRequest } from 'fastify';
import { notice } from '../kit/form.ts';
import { plainLayout } from '../kit/layout.ts';
import type { Page } from '../kit/page-request.ts';
import { Refusal, refusalText } from '../kit/refusal.ts';
import { html } from '../words/html.ts';
import { type Words, wordsFor } from '../words/words.ts';

/** True for a browser that opens an address; programs ask for JSON or for anything. */
export const wantsPage = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '');

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
export function errorPage(status: number, error: Error, words: Words): Page {
  const { errors } = words;
  const kind =
    status === 403 ? 'noAccess' : status === 404 ? 'notFound' : status < 500 ? 'notPossible' : 'failed';
  const title = errors.titles[kind];
  return {
    title,
    status,
    body: html`<h1>${title}</h1>${notice(errorText(status, error, words), 'bad')}<p><a href="/">${errors.backToDashboard}</a></p>`,
  };
}

function errorText(status: number, error: Error, words: Words): string {
  const { errors } = words;
  if (error instanceof Refusal) return refusalText(error, words);
  if (status === 503) return errors.noStorage;
  if (status === 413) return errors.tooLarge;
  return status < 500 ? errors.notPossible : errors.failed;
}
