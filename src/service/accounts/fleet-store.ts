import type { Statements } from '../store/statements.ts';

/** `lastAt`: its last request; `reportedAt`: the last report of its bridge. Unix ms; null: there was none. */
type FleetBridgeRow = {
  readonly id: number;
  readonly uid: string;
  readonly name: string;
  readonly account: number;
  readonly lastAt: number | null;
  readonly reportedAt: number | null;
  readonly report: string | null;
};

type FleetAccountRow = {
  readonly id: number;
  readonly uid: string;
  readonly name: string;
  readonly users: number;
  readonly mostUsers: number | null;
  readonly requestsPerMinute: number | null;
  readonly customers: number;
};

export type FleetStore = ReturnType<typeof createFleetStore>;

/** What the operator of the service sees of all accounts and bridges. */
export const createFleetStore = ({ read }: Pick<Statements, 'read'>) => ({
  /** All integrations that are switched on, with what their bridges last reported (JSON), and when. */
  fleetBridges: (): Promise<FleetBridgeRow[]> =>
    read(
      `SELECT i.id, i.uid, i.name, i.account_id AS account, h.heard_at AS "reportedAt", h.report,
         (SELECT max(u.last_at) FROM integration_use u WHERE u.integration_id = i.id AND u.quarter =
           (SELECT max(n.quarter) FROM integration_use n WHERE n.integration_id = i.id)) AS "lastAt"
       FROM integrations i LEFT JOIN bridge_health h ON h.integration_id = i.id
       WHERE i.enabled ORDER BY i.account_id, i.id`,
    ),
  /** What each account has, in the order in which they were added. */
  fleetAccounts: (): Promise<FleetAccountRow[]> =>
    read(
      `SELECT a.id, a.uid, a.name, a.most_users AS "mostUsers", a.requests_per_minute AS "requestsPerMinute",
         (SELECT count(*) FROM users u WHERE u.account_id = a.id) AS users,
         (SELECT count(*) FROM customers c WHERE c.account_id = a.id) AS customers
       FROM accounts a ORDER BY a.id`,
    ),
});
