import Fastify, { type FastifyInstance } from 'fastify';
import { limits } from '../api/contract/decisions.ts';
import { queryFields } from '../api/contract/fields.ts';
import { basePath } from '../api/contract/routes.ts';
import type { ServiceContext } from './context.ts';
import { apiRoutes } from './routes/api.ts';
import { eventRoutes } from './routes/events.ts';

export type AppOptions = {
  /** Addresses of proxies whose X-Forwarded-* headers count; empty: none. */
  readonly trustedProxies: readonly string[];
  /** How long a request may take to arrive, ms. */
  readonly requestTimeoutMs: number;
};

/** The service as a Fastify application: does not listen, reads no environment. */
export async function buildApp(context: ServiceContext, options: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    bodyLimit: limits.bodyBytes,
    exposeHeadRoutes: false, // a HEAD must not post an event
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: 72_000,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    routerOptions: { ignoreTrailingSlash: true, querystringParser: queryFields },
  });
  app.decorateRequest('receivedAt', 0);
  app.decorateRequest('caller', null);
  app.decorateRequest('payload', null);
  app.addHook('preClose', async () => context.screens.close());
  await app.register(apiRoutes(context), { prefix: basePath });
  await app.register(eventRoutes(context));
  return app;
}
