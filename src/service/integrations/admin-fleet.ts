import { z } from 'zod';
import { version } from '../../shared/process/version.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { moment, operation, type ZodInstance } from '../kit/administration.ts';
import type { RateLimit } from '../kit/budget.ts';
import { wantsPage } from '../kit/page-request.ts';
import { wordsFor } from '../words/words.ts';
import { fleetView, readFleet } from './fleet.ts';
import { fleetPage } from './fleet-page.ts';

const fleetSchema = z
  .object({
    accounts: z.array(
      z.object({
        uid: z.string(),
        name: z.string(),
        users: z.int(),
        customers: z.int(),
        most_users: z.int().nullable(),
        requests_per_minute: z.int().nullable(),
        near: z
          .array(z.enum(['requests', 'users']))
          .describe(
            'Which limits it has reached to nine tenths; requests: in this minute or the last, of this process.',
          ),
      }),
    ),
    bridges: z.array(
      z.object({
        uid: z.string().describe('Of the integration.'),
        name: z.string(),
        account: z.string().describe("The account's uid."),
        trouble: z
          .array(z.enum(['unconnected', 'silent', 'behind', 'outdated', 'refused', 'problems']))
          .describe(
            'unconnected: it has never sent a request; silent: no report for three minutes; behind: an event has waited for five minutes; outdated: of another version than the service; refused: wrong tokens since its last request, as this process saw them.',
          ),
        last_request_at: moment.nullable(),
        reported_at: moment.nullable().describe('Null: its bridge reports nothing of itself (API_EXTRAS).'),
        version: z.string().nullable(),
        queue: z.object({ events: z.int(), oldest_ms: z.int() }).nullable(),
        problems: z.array(z.string()).describe('Codes of its open problems.'),
      }),
    ),
  })
  .meta({ id: 'Fleet' });

/** All bridges and accounts, with the operator's token. */
export function adminFleetRoute(
  app: ZodInstance,
  { directory, rateLimit, clock }: { directory: ServiceDirectory; rateLimit: RateLimit; clock: () => number },
): void {
  app.get(
    '/fleet',
    operation('getFleet', "List the bridges of all accounts and what is wrong, with the operator's token", {
      response: { 200: fleetSchema },
    }),
    async (request, reply) => {
      const now = clock();
      const fleet = await readFleet(directory, {
        now,
        version,
        refused: directory.refused,
        recentPeak: (account) => rateLimit.recentPeak('account', account, now),
      });
      if (!wantsPage(request)) return fleetView(fleet);
      const page = fleetPage(fleet, wordsFor('', request.headers['accept-language']), now);
      return reply.type('text/html; charset=utf-8').send(page as never);
    },
  );
}
