import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/**
 * Begins an answer of server-sent events (HTML, "text/event-stream"), which is written from then on as it comes;
 * undefined if whoever asked is gone already.
 */
export function openEventStream(reply: FastifyReply): ServerResponse | undefined {
  const { raw } = reply;
  reply.hijack();
  if (raw.destroyed) return undefined;
  return raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no', // nginx would hold events back
  });
}
