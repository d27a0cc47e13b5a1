import type { FastifyInstance } from 'fastify';
import { bridgeHealthPath, bridgeHealthSchema } from '../../shared/api/contract/bridge-health.ts';
import { basePath } from '../../shared/api/contract/routes.ts';
import type { Sender } from '../accounts/directory.ts';
import type { DirectoryStore } from '../accounts/directory-store.ts';
import { send } from '../history/exchange.ts';

type Parts = {
  readonly store: { readonly directory: DirectoryStore };
  /** Unix ms. */
  readonly clock: () => number;
};

/**
 * Stores the problems that a bridge reports. Not in the request history: they come each minute, and say nothing about
 * calls.
 */
export function bridgeHealthRoute(app: FastifyInstance, { store, clock }: Parts): void {
  app.post(bridgeHealthPath, async (request, reply) => {
    const { success, data } = bridgeHealthSchema.safeParse(request.body);
    if (!success)
      return send(
        reply,
        422,
        JSON.stringify({ message: `This is not what ${basePath}${bridgeHealthPath} takes.` }),
      );
    const { integration } = request.sender as Sender;
    await store.directory.saveBridgeReport(integration.id, clock(), JSON.stringify(data));
    return send(reply, 200, '{}');
  });
}
