import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TookTooLong } from '../../shared/storage/storage-error.ts';
import { extensionsOf } from '../accounts/extensions.ts';
import type { UserRequest } from '../accounts/user-request.ts';
import { barChoice } from '../activity/bar-choice.ts';
import { notice } from '../kit/form.ts';
import { firstSegment, layout, liveParts, type Reader } from '../kit/layout.ts';
import { type Answer, isHead, type Page } from '../kit/page-request.ts';
import { sendPlain } from '../kit/plain-page.ts';
import { PartlyDone, Refusal, refusalText } from '../kit/refusal.ts';
import { ChangeRefused } from '../store/change-refused.ts';
import { isOwnerGone } from '../store/statements.ts';
import { html } from '../words/html.ts';
import { type Words, wordsFor } from '../words/words.ts';
import type { ServiceContext } from './context.ts';

type Integrations = { readonly directory: Pick<ServiceContext['directory'], 'integrations'> };

/** Sends what a page's handler answers. */
export async function sendAnswer(
  reply: FastifyReply,
  answer: Answer,
  request: UserRequest,
  context: Integrations,
): Promise<FastifyReply> {
  if (answer === 'done') return reply.code(204).send();
  if ('redirect' in answer) return reply.redirect(answer.redirect, 303);
  if ('download' in answer) {
    if (answer.exported !== undefined && !isHead(reply.request))
      await request.audit('export', answer.exported);
    return reply
      .type(answer.type)
      .header('content-disposition', `attachment; filename="${answer.download}"`)
      .send(typeof answer.content === 'string' ? answer.content : Readable.from(answer.content));
  }
  return sendPage(reply, answer, request, context);
}

/** Sends a page of a signed-in user: its live parts alone, or with its frame, for which the user's segments are read. */
export async function sendPage(
  reply: FastifyReply,
  page: Page,
  request: UserRequest,
  context: Integrations,
): Promise<FastifyReply> {
  const text = request.isRenewal ? liveParts(page) : layout(page, request, await readerOf(request, context));
  return reply
    .code(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(text);
}

async function readerOf(request: UserRequest, { directory }: Integrations): Promise<Reader> {
  const { user, account, extensions } = request;
  const segments = await request.readSegments();
  const integrations = directory.integrations(account.id);
  return {
    uid: user.uid,
    name: user.name,
    office: account.name,
    extensions: extensionsOf(extensions, user.id),
    firstSegment: firstSegment(segments),
    choice: barChoice(user, { extensions, segments, integrations }),
  };
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

/** A page that says why a request failed. */
export function errorPage(status: number, error: Error, words: Words): Page {
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
