import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { securityHeaders } from './security-headers.ts';

/**
 * Starts a response of server-sent events (HTML, "text/event-stream"); undefined if the client has disconnected.
 */
export function openEventStream(reply: FastifyReply): ServerResponse | undefined {
  const { raw } = reply;
  reply.hijack();
  if (raw.destroyed) return undefined;
  return raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    ...securityHeaders,
    'x-accel-buffering': 'no', // nginx would buffer events
  });
}
