import type { FastifyError } from 'fastify';
import { z } from 'zod';
import { type ErrorBody, type ValidationErrorBody, validationError } from '../../api/contract/errors.ts';
import type { Log } from '../../log/log.ts';
import { StoreUnavailable } from '../store/store.ts';

/** An error with a status and a message for the client. */
export class Refusal extends Error {
  readonly statusCode: number;
  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** The response to an error. Internal errors are logged and give no details to the client. */
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
  if ((error as Error) instanceof z.ZodError)
    return { status: 422, body: validationError((error as unknown as z.ZodError).issues) };
  // Not logged per request: exchange.ts logs the start and the end of an outage.
  if ((error as Error) instanceof StoreUnavailable)
    return { status: 503, body: { message: 'The storage cannot be reached now.' } };
  const status = error.statusCode ?? 500;
  if (status < 500 || error instanceof Refusal) return { status, body: { message: error.message } };
  log.say('service.failed', { error, path });
  return { status, body: { message: 'Server Error' } };
}
