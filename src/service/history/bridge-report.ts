import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { basePath } from '../../shared/api/contract/paths.ts';
import type { InTurn } from './in-turn.ts';
import { send } from './responder.ts';

/**
 * A route for what a bridge reports besides call events (API_EXTRAS), by POST. Not in the request history. `take` gives what is
 * answered.
 */
export function bridgeReportRoute<Report>(
  app: FastifyInstance,
  { path, schema }: { readonly path: string; readonly schema: z.ZodType<Report> },
  inTurn: InTurn,
  take: (report: Report, request: FastifyRequest) => object | Promise<object>,
): void {
  app.post(path, (request, reply) =>
    inTurn('change', request, reply, async () => {
      const { success, data } = schema.safeParse(request.body);
      if (!success) return refuseReport(reply, path);
      return send(reply, 200, JSON.stringify(await take(data, request)));
    }),
  );
}

/** Answers a request of a bridge that is none of this route. */
export const refuseReport = (reply: FastifyReply, path: string): FastifyReply =>
  send(reply, 422, JSON.stringify({ message: `This is not what ${basePath}${path} takes.` }));
