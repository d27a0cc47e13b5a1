import type { FastifyReply } from 'fastify';
import type { Words } from '../words/words.ts';
import { plainLayout } from './layout.ts';
import type { Page } from './page-request.ts';

/** Sends a page without the calls, as to somebody who is not signed in. */
export function sendPlain(reply: FastifyReply, page: Page, words: Words): FastifyReply {
  return reply
    .code(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(plainLayout(page, words));
}
