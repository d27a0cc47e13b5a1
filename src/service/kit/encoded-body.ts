import type { FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';

/** Whether its body is compressed, or encoded otherwise (RFC 9110, 8.4). */
export function isEncoded({ raw }: Pick<FastifyRequest, 'raw'>): boolean {
  const codings = `${raw.headers['content-encoding'] ?? ''}`.toLowerCase().split(',');
  return codings.some((coding) => !['', 'identity'].includes(coding.trim()));
}

/** @throws Refusal 415 for an encoded body: app.ts adds which encodings are accepted (RFC 9110, 15.5.16). */
export function refuseEncoded(request: Pick<FastifyRequest, 'raw'>): void {
  if (isEncoded(request))
    throw new Refusal(415, 'The request body must not be compressed: send it without Content-Encoding.');
}
