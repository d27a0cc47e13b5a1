import { channel } from 'node:diagnostics_channel';
import type { TestContext } from 'node:test';
import type { FastifyInstance, RouteOptions } from 'fastify';

/** The routes that Fastify is given while the test runs. */
export function watchRoutes(t: TestContext): RouteOptions[] {
  const routes: RouteOptions[] = [];
  const listen = (message: unknown) =>
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => void routes.push(route));
  channel('fastify.initialization').subscribe(listen);
  t.after(() => channel('fastify.initialization').unsubscribe(listen));
  return routes;
}
