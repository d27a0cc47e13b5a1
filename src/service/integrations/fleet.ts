import { bridgeHealthSchema } from '../../shared/api/contract/bridge-health.ts';
import { parseJson } from '../../shared/process/parse-json.ts';
import type { Refused } from '../accounts/directory.ts';
import type { FleetStore } from '../accounts/fleet-store.ts';
import { SILENT_MS } from './bridge-health.ts';

/** Retries after an outage take minutes; what waits longer has an operator's attention. */
const BEHIND_MS = 5 * 60_000;

/**
 * `unconnected`: it has never sent a request; `silent`: its bridge reported and does so no longer; `behind`: its oldest event has waited for more than five minutes;
 * `outdated`: its bridge is of another version than this service; `refused`: requests came with a wrong token.
 */
type BridgeTrouble = 'unconnected' | 'silent' | 'behind' | 'outdated' | 'refused' | 'problems';

/** What an account has almost, or already, as much of as it may. */
type NearLimit = 'requests' | 'users';
/** Of a limit. */
const NEAR = 0.9;

export type FleetBridge = {
  readonly uid: string;
  readonly name: string;
  readonly account: string;
  readonly trouble: readonly BridgeTrouble[];
  /** Unix ms; null: it has never sent a request. */
  readonly lastAt: number | null;
  /** Unix ms; null: its bridge reports nothing of itself (API_EXTRAS). */
  readonly reportedAt: number | null;
  readonly version: string | null;
  readonly queue: { readonly events: number; readonly oldestMs: number } | null;
  /** The codes of the problems that its bridge last reported. */
  readonly problems: readonly string[];
};

export type Fleet = Awaited<ReturnType<typeof readFleet>>;

/**
 * All bridges that are switched on, and what each account has, for who runs the service. `version`: of this service;
 * `refused`: of an integration's id; `recentPeak`: an account's requests in a minute, as far as this process knows them.
 */
export async function readFleet(
  directory: FleetStore,
  {
    now,
    version: ours,
    refused,
    recentPeak,
  }: {
    now: number;
    version: string;
    refused: (integration: number) => Refused | undefined;
    recentPeak: (account: number) => number;
  },
) {
  const [accounts, rows] = [await directory.fleetAccounts(), await directory.fleetBridges()];
  const uids = new Map(accounts.map(({ id, uid }) => [id, uid]));
  const bridges = rows.map(({ id, uid, name, account, lastAt, reportedAt, report }): FleetBridge => {
    const { data } = bridgeHealthSchema.safeParse(parseJson(report ?? ''));
    const { version = null, queue = null, problems = [] } = data ?? {};
    const isSilent = reportedAt !== null && now - reportedAt > SILENT_MS;
    const trouble = {
      // A phone system without a call yet may have reported that all is well.
      unconnected: lastAt === null && reportedAt === null,
      silent: isSilent,
      behind: queue !== null && queue.oldestMs > BEHIND_MS,
      outdated: data !== undefined && version !== ours,
      refused: (refused(id)?.at ?? 0) > (lastAt ?? 0),
      // Whether those of a silent bridge have ended is unknown.
      problems: !isSilent && problems.length > 0,
    } satisfies Record<BridgeTrouble, boolean>;
    return {
      uid,
      name,
      account: uids.get(account) ?? '',
      lastAt,
      reportedAt,
      version,
      queue,
      trouble: (Object.keys(trouble) as BridgeTrouble[]).filter((kind) => trouble[kind]),
      problems: problems.map(({ code }) => code),
    };
  });
  return {
    accounts: accounts.map(({ id, mostUsers, requestsPerMinute, ...account }) => {
      const near = {
        requests: requestsPerMinute !== null && recentPeak(id) >= NEAR * requestsPerMinute,
        users: mostUsers !== null && account.users >= NEAR * mostUsers,
      } satisfies Record<NearLimit, boolean>;
      return {
        ...account,
        mostUsers,
        requestsPerMinute,
        near: (Object.keys(near) as NearLimit[]).filter((kind) => near[kind]),
      };
    }),
    bridges,
  };
}

/** As JSON: times as text. */
export const fleetView = ({ accounts, bridges }: Fleet) => ({
  accounts: accounts.map(({ mostUsers, requestsPerMinute, ...account }) => ({
    ...account,
    most_users: mostUsers,
    requests_per_minute: requestsPerMinute,
  })),
  bridges: bridges.map(({ lastAt, reportedAt, queue, trouble, problems, ...bridge }) => ({
    ...bridge,
    trouble: [...trouble],
    last_request_at: lastAt === null ? null : new Date(lastAt).toISOString(),
    reported_at: reportedAt === null ? null : new Date(reportedAt).toISOString(),
    queue: queue && { events: queue.events, oldest_ms: queue.oldestMs },
    problems: [...problems],
  })),
});
