import type { FastifyError } from 'fastify';
import { z } from 'zod';
import {
  type ErrorBody,
  type ValidationErrorBody,
  validationError,
} from '../../shared/api/contract/errors.ts';
import type { Log } from '../../shared/log/log.ts';
import { isUnavailable, TookTooLong } from '../../shared/storage/storage-error.ts';
import { plainText } from '../rules/plain-text.ts';
import { isOwnerGone } from '../store/statements.ts';
import { en } from '../words/en.ts';
import type { Words } from '../words/words.ts';

/** Fields of a body that there are not, of which the names are answered. */
const MAX_UNKNOWN = 10;

type ErrorText = string | ((errors: Words['errors']) => string);

/** An error with a status and a text for the client: pages show it in the user's language, the API in English. */
export class Refusal extends Error {
  readonly statusCode: number;
  readonly text: ErrorText;
  /** `message`: what the API says, if it is not the English text. */
  constructor(
    statusCode: number,
    text: ErrorText,
    message = typeof text === 'string' ? text : text(en.errors),
  ) {
    super(message);
    this.statusCode = statusCode;
    this.text = text;
  }
}

/** Work that an error ended in the middle: the page of the error also says what is done already. */
export class PartlyDone extends Error {
  override readonly cause: Error;
  readonly done: (words: Words) => string;
  constructor(cause: Error, done: (words: Words) => string) {
    super(cause.message, { cause });
    this.cause = cause;
    this.done = done;
  }
}

/** A refusal as a page shows it. */
export const refusalText = ({ text }: Refusal, { errors }: Words): string =>
  typeof text === 'string' ? text : text(errors);

/** What the log names of a request. */
type Asked = { readonly id: string; readonly routeOptions: { readonly url?: string | undefined } };

/** The response to an error. Internal errors are logged and give no details to the client. */
export function refusalOf(
  error: FastifyError,
  { id: request, routeOptions: { url: path = '' } }: Asked,
  log: Log,
): { status: number; body: ErrorBody | ValidationErrorBody } {
  if (error.validation !== undefined) {
    const issues = error.validation.flatMap(({ keyword, instancePath, params, message = '' }) => {
      const path = instancePath.split('/').filter(Boolean);
      const { keys } = keyword === 'unrecognized_keys' ? params : {};
      if (!Array.isArray(keys)) return { path, message };
      return keys.slice(0, MAX_UNKNOWN).map((key) => {
        const name = plainText(`${key}`, 60);
        return { path: [...path, name], message: `There is no ${name} field.` };
      });
    });
    return { status: 422, body: validationError(issues) };
  }
  if ((error as Error) instanceof z.ZodError)
    return { status: 422, body: validationError((error as unknown as z.ZodError).issues) };
  // Not logged per request: responder.ts logs the start and the end of an outage.
  if ((error as Error) instanceof TookTooLong)
    return { status: 503, body: { message: en.errors.tookTooLong } };
  if (isUnavailable(error))
    return { status: 503, body: { message: 'The storage cannot be reached, or takes nothing now.' } };
  if (isOwnerGone(error)) return { status: 404, body: { message: en.errors.notThere } };
  const status = error.statusCode ?? 500;
  if (status < 500 || error instanceof Refusal) return { status, body: { message: error.message } };
  log.say('service.failed', { error, path, request });
  return { status, body: { message: 'Server Error' } };
}
