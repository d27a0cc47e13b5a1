import type { FastifyError } from 'fastify';
import { type ErrorBody, type ValidationErrorBody, validationError } from '../../api/contract/errors.ts';
import type { Log } from '../../log/log.ts';
import { StoreUnavailable } from '../store/store.ts';

/** A request that is refused, with its status and what to tell the client. */
export class Refusal extends Error {
  readonly statusCode: number;
  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** What an error is to the client: never a stack, never more of a fault of ours than that it happened. */
export function refusalOf(
  error: FastifyError,
  path: string,
  log: Log,
): { status: number; body: ErrorBody | ValidationErrorBody } {
  if (error.validation !== undefined) {
    const issues = error.validation.map(({ instancePath, message = '' }) => ({
      path: instancePath.split('/').slice(1),
      message,
    }));
    return { status: 422, body: validationError(issues) };
  }
  // Said once where it is noticed, not for every request (see exchange.ts).
  if ((error as Error) instanceof StoreUnavailable)
    return { status: 503, body: { message: 'The storage cannot be reached now.' } };
  const status = error.statusCode ?? 500;
  if (status < 500) return { status, body: { message: error.message } };
  log.say('service.failed', { error, path });
  return { status, body: { message: 'Server Error' } };
}
