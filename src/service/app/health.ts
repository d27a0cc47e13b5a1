import type { FastifyInstance } from 'fastify';
import type { ServiceContext } from './context.ts';

/** GET /healthz, for load balancers: 200 if this process reaches its storage, else 503. */
export function healthRoutes({ store }: Pick<ServiceContext, 'store'>) {
  return async (app: FastifyInstance) => {
    app.get('/healthz', async (_request, reply) => {
      const healthy = await store.about().then(
        () => true,
        () => false,
      );
      return reply.code(healthy ? 200 : 503).send({ storage: healthy ? 'reached' : 'out of reach' });
    });
  };
}
