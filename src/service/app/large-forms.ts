import type { FastifyReply, FastifyRequest } from 'fastify';
import { whenClosed } from '../kit/closed-with.ts';
import { Refusal } from '../kit/refusal.ts';
import { sessionCookie } from '../users/session-cookie.ts';
import type { ServiceContext } from './context.ts';

/**
 * Forms with much in them, such as a table to import: one at a time per account, of an administrator. `refuse`: answers who
 * is not signed in.
 */
export function createLargeForms(
  { sessions, budgets }: Pick<ServiceContext, 'sessions' | 'budgets'>,
  refuse: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
) {
  /** The work on each that has arrived: it goes on when the browser has gone. */
  const work = new WeakMap<FastifyRequest, Promise<unknown>>();
  return {
    /** Before the body is read. */
    async onRequest(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
      const session = await sessions.find(sessionCookie.read(request));
      if (session === undefined) return refuse(request, reply);
      if (session.user.role !== 'administrator')
        throw new Refusal(403, ({ onlyAdministrators }) => onlyAdministrators);
      const giveBack = budgets.imports.take(session.user.account);
      whenClosed(reply, () => void Promise.allSettled([work.get(request)]).then(giveBack));
      return undefined;
    },
    answeredBy(handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) {
      return (request: FastifyRequest, reply: FastifyReply) => {
        const answered = handler(request, reply);
        work.set(request, answered);
        return answered;
      };
    },
  };
}
