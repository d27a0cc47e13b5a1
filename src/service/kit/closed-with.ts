import type { FastifyReply } from 'fastify';

/** Aborts when the client has disconnected, or the answer has been sent: nobody needs what is still read for it. */
export function closedWith({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  if (raw.destroyed) controller.abort();
  else raw.once('close', () => controller.abort());
  return controller.signal;
}
