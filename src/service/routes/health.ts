import type { FastifyInstance } from 'fastify';
import type { ServiceContext } from '../http/context.ts';

/** GET /healthz, for whoever sends requests to one of several processes: 200 if this one reaches its storage, else 503. */
export function healthRoutes({ store }: Pick<ServiceContext, 'store'>) {
  return async (app: FastifyInstance) => {
    app.get('/healthz', async (_request, reply) => {
      const well = await store.about().then(
        () => true,
        () => false,
      );
      return reply
        .code(well ? 200 : 503)
        .header('cache-control', 'no-store')
        .send({ storage: well ? 'reached' : 'out of reach' });
    });
  };
}
