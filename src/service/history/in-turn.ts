import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Sender } from '../accounts/directory-copy.ts';
import type { AccountTurns, Turn } from '../kit/account-turns.ts';
import type { Unauthenticated } from './responder.ts';

/**
 * Does the work of a request under /api/v1 in a turn of its account, if its token is valid then. Undefined if its client has
 * left.
 * @throws Refusal 429 if too many wait
 */
export type InTurn = <T>(
  turn: Turn,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => T | Promise<T>,
) => Promise<T | undefined>;

export const createInTurn =
  (turns: AccountTurns, unauthenticated: Unauthenticated): InTurn =>
  async (turn, request, reply, work) => {
    const { account, integration } = request.sender as Sender;
    const refuse = () => {
      unauthenticated.refuse(request, reply);
      return reply as never; // what a handler returns when it has sent the answer itself
    };
    // The body may have taken its time.
    if (unauthenticated.is(request)) return refuse();
    return turns.run({ turn, account: account.id, client: `integration ${integration.id}` }, reply, {
      who: true,
      admit: () => (unauthenticated.is(request) ? undefined : true),
      refuse,
      work,
    });
  };
