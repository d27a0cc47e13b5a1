import { type AlertsStatus, alertRows } from '../../shared/alerts/alerts-status.ts';
import {
  createMetricRegistry,
  type ListedMetric,
  type MetricRow,
} from '../../shared/process/metric-registry.ts';

/** Counts since the start of this process. */
const noCounts = {
  /** Stored call events. `accepted`: moved a call; `discarded`: too late or repeated. */
  events: { accepted: 0, discarded: 0, not_stored: 0 },
  lookups: { found: 0, not_found: 0 },
  /** Requests over a limit of requests per minute. */
  limited: 0,
  mails: { sent: 0, failed: 0 },
};

/** What is read at each scrape. Times are Unix ms. */
type ServiceReadings = {
  readonly startedAt: number;
  readonly storageWorking: boolean;
  readonly accounts: number;
  readonly integrations: number;
  readonly screens: number;
  readonly alerts: AlertsStatus;
  /** Undefined: no scheduled backups. */
  readonly backups: { readonly lastAt: number | undefined; readonly failing: boolean } | undefined;
  /** `waiting`: undefined while the storage does not answer. */
  readonly webhooks: {
    readonly delivered: number;
    readonly failed: number;
    readonly waiting: number | undefined;
  };
};

export type Meter = {
  readonly counts: typeof noCounts;
  /** Requests that are being stored. */
  storing: number;
  /** Counts a response: the path of its route, its HTTP status and how long it took, ms. */
  responded(route: string, status: number, durationMs: number): void;
  /** Returns the text of `/metrics`. */
  render(readings: ServiceReadings, version: string): Promise<string>;
  /** The service's own metrics, for the reference page. */
  list(): ListedMetric[];
  readonly contentType: string;
};

type Status = ServiceReadings & Pick<Meter, 'counts' | 'storing'>;

const rows: readonly MetricRow<Status>[] = [
  {
    name: 'start_timestamp_seconds',
    help: 'Start time of the service, Unix time.',
    read: (it) => it.startedAt / 1000,
  },
  {
    name: 'storage_working',
    help: '1 while the database answers and stores; 0 otherwise.',
    read: (it) => Number(it.storageWorking),
  },
  { name: 'accounts', help: 'Accounts.', read: (it) => it.accounts },
  { name: 'integrations', help: 'Integrations of all accounts.', read: (it) => it.integrations },
  {
    name: 'screens_connected',
    help: 'Browser windows and clients that receive calls live from this process.',
    read: (it) => it.screens,
  },
  { name: 'requests_storing', help: 'API requests that are being stored.', read: (it) => it.storing },
  {
    name: 'call_events_total',
    help: 'Valid call events by result: accepted, discarded (late or repeated), not_stored (answered 503, sent again).',
    label: 'result',
    read: (it) => it.counts.events,
  },
  {
    name: 'lookups_total',
    help: 'Priority lookups by whether the number is that of a customer: found, not_found.',
    label: 'result',
    read: (it) => it.counts.lookups,
  },
  {
    name: 'requests_limited_total',
    help: 'API requests refused with 429: more per minute than an account or integration may send.',
    read: (it) => it.counts.limited,
  },
  {
    name: 'mails_total',
    help: 'Invitations and weekly reports by result: sent (the mail server accepted them), failed.',
    label: 'result',
    read: (it) => it.counts.mails,
  },
  {
    name: 'webhook_deliveries_total',
    help: 'Requests to outgoing webhooks by result: delivered, failed.',
    label: 'result',
    read: ({ webhooks: { delivered, failed } }) => ({ delivered, failed }),
  },
  {
    name: 'webhook_deliveries_waiting',
    help: 'Deliveries of outgoing webhooks that are waiting.',
    read: (it) => it.webhooks.waiting,
  },
  ...alertRows,
  {
    name: 'backup_last_timestamp_seconds',
    help: 'Time of the newest scheduled backup, Unix time; absent without one.',
    read: (it) => it.backups?.lastAt && it.backups.lastAt / 1000,
  },
  {
    name: 'backup_failing',
    help: '1 if the last scheduled backup failed; absent if none are made.',
    read: (it) => it.backups && Number(it.backups.failing),
  },
];

const histograms = {
  requests: {
    name: 'request_duration_seconds',
    help: 'Duration of requests, without event streams, by part (api, admin, pages) and class of HTTP status.',
    labels: ['part', 'http'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  },
};

/** @param withProcess adds the usual metrics of a process and of Node (`process_*`, `nodejs_*`). */
export function createMeter({ withProcess = false } = {}): Meter {
  const info = { help: 'Always 1; the label names the version.', labels: ['version'] };
  const registry = createMetricRegistry('pbx_service_', { info, rows, histograms, withProcess });
  const meter: Meter = {
    counts: structuredClone(noCounts),
    storing: 0,
    responded(route, status, durationMs) {
      const part = route.startsWith('/api/') ? 'api' : route.startsWith('/admin') ? 'admin' : 'pages';
      registry.observe('requests', durationMs, { part, http: `${Math.floor(status / 100)}xx` });
    },
    render: (readings, version) =>
      registry.render({ ...readings, counts: meter.counts, storing: meter.storing }, { version }),
    list: registry.list,
    contentType: registry.contentType,
  };
  return meter;
}
