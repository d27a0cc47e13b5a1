import { join } from 'node:path';
import type { Seen } from '../shared/alerts/alert-rules.ts';
import { type AlertSettings, alertTargets } from '../shared/alerts/alert-targets.ts';
import { type Alerts, createAlerts } from '../shared/alerts/alerts.ts';
import type { AlertsStatus } from '../shared/alerts/alerts-status.ts';
import { watchDisk } from '../shared/alerts/machine-problems.ts';
import type { ApiClient, ApiClientOptions } from '../shared/api/client.ts';
import { type BridgeHealth, bridgeHealthReplySchema } from '../shared/api/contract/bridge-health.ts';
import { type ApiResult, proxyFor } from '../shared/api/result.ts';
import type { Log } from '../shared/log/log.ts';
import { escapeControls, maskNumbers } from '../shared/log/redact.ts';
import type { MailOptions } from '../shared/mail/mail.ts';
import { monotonicMs } from '../shared/process/clock.ts';
import { parseJson } from '../shared/process/parse-json.ts';
import { valueWithin } from '../shared/process/within.ts';
import type { AmiStatus } from './ami/link-state.ts';
import { newestDamaged } from './outbox/recovery/damaged-file.ts';
import { databasePath } from './outbox/tables/database.ts';
import { bridgeProblems, damagedProblem, expiryOf, type Facts, watchApi } from './problems.ts';
import type { BridgeState } from './status/bridge-status.ts';

export type BridgeAlertsConfig = AlertAddresses & {
  /** `everyMs`: how often to look for problems. */
  readonly alerts: { readonly everyMs?: number };
  readonly outbox: { readonly stateDir: string };
};

const HEALTH_MS = 60_000;
/** Maximum time to wait for a disk that hangs, ms. */
const LOOK_MS = 1_000;
/** Retries alone take seconds. */
const LEAST_BACKLOG_MS = 5_000;

/** The alerts of a bridge, which see the API's clock and certificate in the answers that it gives. */
export function createBridgeAlerts(
  config: BridgeAlertsConfig,
  parts: {
    readonly read: () => Promise<BridgeState>;
    readonly link: () => AmiStatus;
    readonly client: Pick<ApiClient, 'reportHealth'>;
    readonly unreadable: () => Facts['records'];
    readonly log: Log;
  },
): Omit<Alerts, 'status'> & {
  answered(result: ApiResult): void;
  status(state: BridgeState): AlertsStatus;
  takesPast(): boolean | undefined;
} {
  const { stateDir } = config.outbox;
  const lookAtDisk = watchDisk(stateDir);
  const api = watchApi(config.api.baseUrl, Date.now);
  const ownCertificateEndsAt = expiryOf(config.api.clientCertificate?.cert);
  let takesPast: boolean | undefined;
  let reported = { problems: '', at: Number.NEGATIVE_INFINITY };
  let state: BridgeState | undefined;
  /** What changed at once, and otherwise each minute, so that the service sees that the bridge runs. */
  function reportHealth(): void {
    const problems = alerts.status().problems.map(({ what, ...it }) => ({
      ...it,
      what: maskNumbers(escapeControls(what)).slice(0, 1_000),
    }));
    const text = JSON.stringify(problems);
    if (text === reported.problems && monotonicMs() - reported.at < HEALTH_MS) return;
    reported = { problems: text, at: monotonicMs() };
    const health: BridgeHealth = { problems, ...(state && versionAndQueue(state)) };
    void parts.client.reportHealth(JSON.stringify(health)).then((result) => {
      if (result.kind === 'answer')
        takesPast = result.status === 200 && takesIn(result.body).includes('past');
    });
  }
  let disk: Seen = { problems: [] };
  let lookedAt = 0;
  function problemsOf(current: BridgeState) {
    const link = parts.link();
    return bridgeProblems(current, {
      stateDir,
      lookedAt,
      failure: link.failure?.kind,
      records: parts.unreadable(),
      clockAheadMs: api.clockAheadMs(),
      certificates: {
        pbx: link.certificateEndsAt,
        api: api.certificateEndsAt(),
        own: ownCertificateEndsAt,
      },
      backlogMs: Math.max(config.alerts.afterMs, LEAST_BACKLOG_MS),
    });
  }
  async function lookAtFolder({ outbox }: BridgeState): Promise<Seen> {
    const { problems, unknown } = await lookAtDisk();
    // A folder that cannot be read is a problem of the storage.
    const damaged = await valueWithin(LOOK_MS, newestDamaged(databasePath(stateDir))).catch(() => undefined);
    return {
      unknown,
      problems: damaged ? [...problems, damagedProblem(stateDir, damaged, outbox)] : problems,
    };
  }
  const withDisk = ({ problems, unknown = [] }: Seen): Seen => ({
    problems: [...problems, ...disk.problems],
    unknown: [...unknown, ...(disk.unknown ?? [])],
  });
  const onChecked = config.api.extras === true ? reportHealth : () => {};
  const alerts = createAlerts(
    { ...config.alerts, onChecked, file: join(stateDir, 'alerts.json'), targets: bridgeAlertTargets(config) },
    {
      async read() {
        state = await parts.read();
        disk = await lookAtFolder(state);
        const seen = withDisk(problemsOf(state));
        lookedAt = state.now;
        return seen;
      },
      log: parts.log,
      now: Date.now,
    },
  );
  return {
    ...alerts,
    answered: api.answered,
    /** Whether the API takes calls of the past; undefined: it has not been asked, or has not answered. */
    takesPast: () => takesPast,
    /** By the problems of this moment: what is over is not shown until the next check. */
    status: (current) => alerts.status(withDisk(problemsOf(current))),
    start() {
      api.start();
      alerts.start();
    },
    stop() {
      api.stop();
      return alerts.stop();
    },
  };
}

const takesIn = (body: string) => bridgeHealthReplySchema.safeParse(parseJson(body)).data?.takes ?? [];

/** What a report says besides the problems. */
function versionAndQueue({ version, outbox, now }: BridgeState): Pick<BridgeHealth, 'version' | 'queue'> {
  const { waiting, oldestWaitingAt = now } = outbox;
  return { version, queue: { events: waiting, oldestMs: Math.max(0, now - oldestWaitingAt) } };
}

/** The settings that say where the alerts of a bridge go. */
type AlertAddresses = {
  readonly alerts: AlertSettings;
  readonly mail: MailOptions | undefined;
  readonly api: ApiClientOptions;
  readonly calls: { readonly pbxId: string };
};

/** The targets of a bridge's alerts. A webhook is reached through the same proxies as the API. */
export function bridgeAlertTargets({ alerts, mail, api, calls }: AlertAddresses) {
  const { webhook } = alerts;
  const proxy = webhook === undefined ? undefined : proxyFor(webhook, api.proxies ?? {});
  return alertTargets(alerts, { program: 'bridge', name: calls.pbxId }, { server: mail, proxy });
}
