import { quarterOf } from '../kit/calendar.ts';
import type { Statements } from '../store/statements.ts';
import type { IntegrationUse, RequestStore } from './request-store.ts';

/** How each of an account's integrations is used. */
export const integrationUse = ({ read, lookup }: Statements): Pick<RequestStore, 'use' | 'usedIn'> => ({
  async use(account, since) {
    // The newest quarter alone has the last request: years of quarters are not read.
    const rows = await read<IntegrationUse>(
      `SELECT i.id AS integration,
         (SELECT max(u.last_at) FROM integration_use u WHERE u.integration_id = i.id AND u.quarter =
           (SELECT max(n.quarter) FROM integration_use n WHERE n.integration_id = i.id)) AS "lastAt",
         (SELECT CAST(coalesce(sum(u.requests), 0) AS bigint) FROM integration_use u
           WHERE u.integration_id = i.id AND u.quarter >= $2) AS requests
       FROM integrations i WHERE i.account_id = $1 ORDER BY i.id`,
      account,
      quarterOf(since),
    );
    return rows.filter(({ lastAt }) => lastAt !== null);
  },
  usedIn: (integration, spans) =>
    Promise.all(
      spans.map(async ({ since, until }) => {
        const [row] = await lookup<{ requests: number }>(
          `SELECT CAST(coalesce(sum(requests), 0) AS bigint) AS requests FROM integration_use
           WHERE integration_id = $1 AND quarter >= $2 AND quarter < $3`,
          ...[integration, quarterOf(since), quarterOf(until)],
        );
        return row?.requests ?? 0;
      }),
    ),
});
