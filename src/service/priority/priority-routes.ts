import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PriorityResult } from '../../shared/api/contract/phone-number.ts';
import { routes } from '../../shared/api/contract/routes.ts';
import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import type { Sender } from '../accounts/directory.ts';
import type { Exchange } from '../history/exchange.ts';
import type { ZodInstance } from '../kit/administration.ts';
import type { CustomerStore } from '../people/customer-store.ts';

type Parts = {
  readonly store: { readonly customers: CustomerStore };
  /** For metrics. */
  readonly meter: { readonly counts: { readonly lookups: Record<'found' | 'not_found', number> } };
};

/** Part 4.2: the priority of the segment of the customer with a number, and the customer's name. */
export function priorityRoutes(app: ZodInstance, exchange: Exchange, { store, meter }: Parts): void {
  async function lookUp(number: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { account } = request.sender as Sender;
    const known = await store.customers.priorityOf(account.id, normaliseNumber(number, account.country));
    meter.counts.lookups[known === undefined ? 'not_found' : 'found'] += 1;
    const { priority, segment, name } = known ?? { priority: null, segment: null, name: null };
    const result: PriorityResult = { priority, segment, name };
    return exchange.answer(request, reply, { status: 200, text: JSON.stringify(result) });
  }

  const { getPriority, postPriority } = routes;
  app.get(getPriority.path, { schema: getPriority.schema }, (request, reply) =>
    lookUp(request.query.number, request, reply),
  );
  app.post(postPriority.path, { schema: postPriority.schema }, (request, reply) =>
    lookUp(request.body.number, request, reply),
  );
}
