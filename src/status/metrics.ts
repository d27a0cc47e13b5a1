import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { BridgeStatus } from './bridge-status.ts';

/**
 * What Prometheus is told. Names by its conventions (prometheus.io/docs/practices/naming): seconds, bytes, `_total`.
 * A label never holds anything that callers or extensions could fill: no number, no call, no name of a channel.
 */
export type Metrics = {
  /** An attempt to deliver has ended: its HTTP status (undefined without an answer) and how long it took, ms. */
  attempted(httpStatus: number | undefined, durationMs: number): void;
  /** An event was delivered so long after it was taken, ms. */
  delivered(delayMs: number): void;
  /** The text of `/metrics`. */
  render(status: BridgeStatus): Promise<string>;
  /** Each metric of ours, for the page. */
  list(): { name: string; type: string; help: string; labels: string[] }[];
  readonly contentType: string;
};

type Reading = number | Readonly<Record<string, number>> | undefined;
type Row = {
  readonly name: string;
  readonly help: string;
  readonly read: (status: BridgeStatus) => Reading;
  /** The label whose values a reading's keys are. */
  readonly label?: string;
};

const toSeconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);

const infoRow = { name: 'info', help: 'Always 1; the labels name the version and the PBX_ID.' } as const;

/** All that is read off the status when Prometheus asks. A name that ends in `_total` is a counter. */
const rows: readonly Row[] = [
  {
    name: 'ready',
    help: '1 if the PBX answers, the disk takes what is taken, and deliveries go on; as /readyz.',
    read: (it) => Number(it.ready),
  },
  {
    name: 'start_timestamp_seconds',
    help: 'When the bridge started, Unix time.',
    read: (it) => toSeconds(it.startedAt),
  },
  {
    name: 'ami_up',
    help: '1 while the link to Asterisk is up: logged in, and its channels read.',
    read: (it) => Number(it.pbx.state === 'up'),
  },
  {
    name: 'ami_connects_total',
    help: 'How often the link came up since the start.',
    read: (it) => it.pbx.connects,
  },
  {
    name: 'ami_received_bytes_total',
    help: 'Bytes that Asterisk has sent.',
    read: (it) => it.pbx.bytesIn,
  },
  {
    name: 'ami_events_total',
    help: 'AMI events by what became of them: used, ignored (nobody needs them), bad (they lack what they are about), lost (too long), failed (a fault of this program).',
    label: 'fate',
    read: (it) => it.pbx.events,
  },
  {
    name: 'ami_last_event_timestamp_seconds',
    help: 'When the last call event came, Unix time; absent before the first.',
    read: (it) => toSeconds(it.pbx.lastEventAt),
  },
  {
    name: 'ami_last_pong_timestamp_seconds',
    help: 'When Asterisk last answered a Ping, Unix time; absent before the first.',
    read: (it) => toSeconds(it.pbx.lastPongAt),
  },
  { name: 'calls_open', help: 'Inbound calls in progress.', read: (it) => it.calls.open },
  {
    name: 'call_events_total',
    help: 'Call events that were made since the start, by the status they tell.',
    label: 'status',
    read: ({ calls: { ringing, answered, completed } }) => ({ ringing, answered, completed }),
  },
  {
    name: 'calls_not_told_total',
    help: 'Inbound calls that were not told, since the caller shows no number and WITHHELD_NUMBER is not set.',
    read: (it) => it.calls.notTold,
  },
  {
    name: 'calls_adopted_total',
    help: 'Calls that were found in progress when the link came up.',
    read: (it) => it.calls.adopted,
  },
  {
    name: 'calls_vanished_total',
    help: 'Calls that had ended when the link came up again.',
    read: (it) => it.calls.vanished,
  },
  {
    name: 'journal_dropped_lines_total',
    help: 'Lines that the journal of explain had to leave out, since the disk took none for too long.',
    read: (it) => it.calls.journalDropped,
  },
  {
    name: 'log_dropped_lines_total',
    help: 'Lines that are missing in the log, since nothing took what it says.',
    read: (it) => it.log?.dropped,
  },
  {
    name: 'outbox_lost_total',
    help: 'Events that a corrupt file took with it, as far as they could be counted.',
    read: (it) => it.outbox.lost,
  },
  { name: 'outbox_waiting', help: 'Events that wait for delivery.', read: (it) => it.outbox.waiting },
  {
    name: 'outbox_dead_letters',
    help: 'Events that were given up, kept and resendable.',
    read: (it) => it.outbox.dead,
  },
  {
    name: 'outbox_oldest_waiting_seconds',
    help: 'For how long the oldest waiting event has waited; 0 if none does.',
    read: (it) => (it.now - (it.outbox.oldestWaitingAt ?? it.now)) / 1000,
  },
  {
    name: 'outbox_storage_working',
    help: '1 while the disk takes everything; 0 while it is full or fails.',
    read: (it) => Number(it.outbox.storage.state === 'working'),
  },
  { name: 'outbox_commits_total', help: 'Transactions since the start.', read: (it) => it.outbox.commits },
  {
    name: 'delivery_state',
    help: '1 for the state that delivery is in: ok, paused (token or address at fault), held (429), outage.',
    label: 'state',
    read: ({ delivery: { state } }) => ({
      ...{ ok: 0, paused: 0, held: 0, outage: 0 },
      [state]: 1,
    }),
  },
  {
    name: 'delivery_in_flight',
    help: 'Requests under way.',
    read: (it) => it.delivery.inFlight,
  },
  {
    name: 'delivery_delivered_total',
    help: 'Events whose receipt the API confirmed, since the start.',
    read: (it) => it.delivery.delivered,
  },
  {
    name: 'delivery_dead_letters_total',
    help: 'Events that were given up, since the start.',
    read: (it) => it.delivery.deadLetters,
  },
  {
    name: 'delivery_failed_attempts_total',
    help: 'Attempts that did not deliver, since the start.',
    read: (it) => it.delivery.failedAttempts,
  },
  {
    name: 'reconcile_ok',
    help: "1 if the last comparison of what was delivered with the API's own history said something; 0 if the history could not be read or understood, or too much was missing; absent if there is none.",
    read: (it) => it.reconcile && Number(it.reconcile.state === 'ok'),
  },
  {
    name: 'reconcile_last_timestamp_seconds',
    help: 'When that was last compared, Unix time; absent before the first.',
    read: (it) => toSeconds(it.reconcile?.lastAt),
  },
  {
    name: 'reconcile_events_total',
    help: "Confirmed events by what the comparison found: there (in the API's history), sent_again (missing, sent again), overtaken (missing, but a later state of the call is there), gave_up (missing although sent again a few times), skipped (never compared).",
    label: 'fate',
    read: ({ reconcile: it }) =>
      it && {
        there: it.compared,
        sent_again: it.sentAgain,
        overtaken: it.overtaken,
        gave_up: it.gaveUp,
        skipped: it.skipped,
      },
  },
  {
    name: 'lookups_total',
    help: 'Priority lookups by what the dialplan was told: found, notfound, timeout, error.',
    label: 'status',
    read: ({ lookups: it }) =>
      it && { found: it.found, notfound: it.notFound, timeout: it.timeout, error: it.error },
  },
  {
    name: 'lookups_known_total',
    help: 'Priority lookups that were answered at once, from what was known.',
    read: (it) => it.lookups?.known,
  },
];

const histograms = {
  attempt: {
    name: 'delivery_attempt_duration_seconds',
    help: 'How long attempts to deliver took, by the class of their HTTP status; none: there was no answer.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  delay: {
    name: 'event_delay_seconds',
    help: 'From the moment an event was taken to the confirmation of its receipt.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30, 120, 600, 3_600, 86_400],
  },
} as const;

const prefix = 'pbx_bridge_';

/** @param withProcess also what Prometheus expects of any process and of Node (`process_*`, `nodejs_*`). */
export function createMetrics({ withProcess = true } = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const info = new Gauge({
    ...infoRow,
    name: prefix + infoRow.name,
    labelNames: ['version', 'pbx_id'],
    registers,
  });
  const gauges = new Map<Row, Gauge | Counter>();
  for (const row of rows) {
    const kind = row.name.endsWith('_total') ? Counter : Gauge;
    const labelNames =
      row.name === 'info' ? ['version', 'pbx_id'] : row.label === undefined ? [] : [row.label];
    gauges.set(row, new kind({ name: prefix + row.name, help: row.help, labelNames, registers }));
  }
  const attempt = new Histogram({
    ...{ ...histograms.attempt, buckets: [...histograms.attempt.buckets] },
    ...{ name: prefix + histograms.attempt.name, labelNames: ['http'], registers },
  });
  const delay = new Histogram({
    ...{ ...histograms.delay, buckets: [...histograms.delay.buckets] },
    ...{ name: prefix + histograms.delay.name, registers },
  });
  if (withProcess) collectDefaultMetrics({ register: registry });

  function put({ label, read }: Row, metric: Gauge | Counter, status: BridgeStatus): void {
    metric.reset();
    const reading = read(status);
    if (typeof reading === 'number') metric.inc(reading);
    else if (label !== undefined)
      for (const [value, count] of Object.entries(reading ?? {})) metric.inc({ [label]: value }, count);
    else metric.remove();
  }

  return {
    attempted(httpStatus, durationMs) {
      const http = httpStatus === undefined ? 'none' : `${Math.floor(httpStatus / 100)}xx`;
      attempt.observe({ http }, durationMs / 1000);
    },
    delivered: (delayMs) => delay.observe(Math.max(delayMs, 0) / 1000),
    async render(status) {
      for (const [row, metric] of gauges) put(row, metric, status);
      info.set({ version: status.version, pbx_id: status.pbxId }, 1);
      return registry.metrics();
    },
    list: () =>
      [infoRow.name, ...rows.map(({ name }) => name), histograms.attempt.name, histograms.delay.name].map(
        (short) => {
          const metric = registry.getSingleMetric(prefix + short) as unknown as {
            name: string;
            help: string;
            labelNames: string[];
          };
          return {
            name: metric.name,
            type: typeOf(metric),
            help: metric.help,
            labels: [...metric.labelNames],
          };
        },
      ),
    contentType: registry.contentType,
  };
}

function typeOf(metric: unknown): string {
  return metric instanceof Counter ? 'counter' : metric instanceof Histogram ? 'histogram' : 'gauge';
}
