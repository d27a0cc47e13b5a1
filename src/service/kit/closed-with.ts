import type { FastifyReply } from 'fastify';

/** Calls when the client has disconnected or the answer has been sent, which may have been before. */
export function whenClosed({ raw }: Pick<FastifyReply, 'raw'>, then: () => void): void {
  if (raw.destroyed) then();
  else raw.once('close', then);
}

/** A signal that is aborted then: what is still being read for the response is no longer needed. */
export function closedWith(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  whenClosed(reply, () => controller.abort());
  return controller.signal;
}
