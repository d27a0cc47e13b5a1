import { alertRows } from '../../shared/alerts/alerts-status.ts';
import { createMetricRegistry, type MetricRow } from '../../shared/process/metric-registry.ts';
import { reasons } from '../calls/decisions.ts';
import type { BridgeStatus } from './bridge-status.ts';

const toSeconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);

const rows: readonly MetricRow<BridgeStatus>[] = [
  {
    name: 'ready',
    help: '1 if the PBX responds, events are stored and deliveries succeed; same as /readyz.',
    read: (it) => Number(it.ready),
  },
  {
    name: 'start_timestamp_seconds',
    help: 'Start time of the bridge, Unix time.',
    read: (it) => toSeconds(it.startedAt),
  },
  {
    name: 'ami_up',
    help: '1 while connected to Asterisk: logged in, and channels read.',
    read: (it) => Number(it.pbx.state === 'up'),
  },
  {
    name: 'ami_connects_total',
    help: 'Successful connections to Asterisk since the start.',
    read: (it) => it.pbx.connects,
  },
  { name: 'ami_received_bytes_total', help: 'Bytes received from Asterisk.', read: (it) => it.pbx.bytesIn },
  {
    name: 'ami_events_total',
    help: 'AMI events by result: used, ignored (not needed), bad (not as Asterisk writes them), lost (too long), failed (fault of this program).',
    label: 'fate',
    read: (it) => it.pbx.events,
  },
  {
    name: 'ami_line_breaks_total',
    help: 'AMI events with a line break in a value, which is ignored from there on.',
    read: (it) => it.pbx.lineBreaks,
  },
  {
    name: 'ami_last_event_timestamp_seconds',
    help: 'Time of the last call event, Unix time; absent before the first.',
    read: (it) => toSeconds(it.pbx.lastEventAt),
  },
  {
    name: 'ami_last_pong_timestamp_seconds',
    help: 'Time of the last answered Ping, Unix time; absent before the first.',
    read: (it) => toSeconds(it.pbx.lastPongAt),
  },
  { name: 'calls_open', help: 'Inbound calls in progress.', read: (it) => it.calls.open },
  {
    name: 'call_events_total',
    help: 'Call events since the start, by status.',
    label: 'status',
    read: ({ calls: { ringing, answered, completed } }) => ({ ringing, answered, completed }),
  },
  {
    name: 'calls_not_reported_total',
    help: `Calls not reported, by reason: ${reasons.map(([reason, text]) => `${reason} (${text})`).join(', ')}.`,
    label: 'reason',
    read: (it) => Object.fromEntries(reasons.map(([reason]) => [reason, it.calls.decided[reason]])),
  },
  {
    name: 'calls_repeated_total',
    help: 'Calls with the Uniqueid of an earlier call, which are not reported.',
    read: (it) => it.calls.repeated,
  },
  {
    name: 'calls_picked_up_total',
    help: 'Calls found in progress after connecting to Asterisk.',
    read: (it) => it.calls.decided['picked-up'],
  },
  {
    name: 'calls_vanished_total',
    help: 'Calls found ended after reconnecting to Asterisk.',
    read: (it) => it.calls.decided.vanished,
  },
  {
    name: 'journal_dropped_lines_total',
    help: 'Journal lines (for explain) dropped because the disk did not accept them in time.',
    read: (it) => it.calls.journalDropped,
  },
  {
    name: 'log_dropped_lines_total',
    help: 'Log lines dropped because standard output was blocked or full.',
    read: (it) => it.log?.dropped,
  },
  {
    name: 'outbox_lost_total',
    help: 'Events lost to a damaged database, as far as they could be counted.',
    read: (it) => it.outbox.lost,
  },
  { name: 'outbox_waiting', help: 'Events waiting for delivery.', read: (it) => it.outbox.waiting },
  {
    name: 'outbox_dead_letters',
    help: 'Dead letters: events that the API rejected or that expired; they can be sent again.',
    read: (it) => it.outbox.dead,
  },
  {
    name: 'outbox_oldest_waiting_seconds',
    help: 'Age of the oldest waiting event; 0 if none is waiting.',
    read: (it) => (it.now - (it.outbox.oldestWaitingAt ?? it.now)) / 1000,
  },
  {
    name: 'outbox_storage_working',
    help: '1 while the disk accepts writes; 0 while it is full or fails.',
    read: (it) => Number(it.outbox.storage.state === 'working'),
  },
  { name: 'outbox_commits_total', help: 'Transactions since the start.', read: (it) => it.outbox.commits },
  {
    name: 'delivery_state',
    help: '1 for the current state of delivery: ok, paused (token or address wrong), held (rate-limited, 429), outage.',
    label: 'state',
    read: ({ delivery: { state } }) => ({ ok: 0, paused: 0, held: 0, outage: 0, [state]: 1 }),
  },
  { name: 'delivery_in_flight', help: 'Requests in flight.', read: (it) => it.delivery.inFlight },
  {
    name: 'delivery_delivered_total',
    help: 'Events confirmed by the API since the start.',
    read: (it) => it.delivery.delivered,
  },
  {
    name: 'delivery_dead_letters_total',
    help: 'Events that became dead letters since the start.',
    read: (it) => it.delivery.deadLetters,
  },
  {
    name: 'delivery_failed_attempts_total',
    help: 'Failed delivery attempts since the start.',
    read: (it) => it.delivery.failedAttempts,
  },
  {
    name: 'reconcile_ok',
    help: "1 if deliveries could be compared with the API's request history; 0 if the history was not readable or too much was missing; absent if turned off.",
    read: (it) => it.reconcile && Number(it.reconcile.state === 'ok'),
  },
  {
    name: 'reconcile_last_timestamp_seconds',
    help: 'Time of the last comparison, Unix time; absent before the first.',
    read: (it) => toSeconds(it.reconcile?.lastAt),
  },
  {
    name: 'reconcile_events_total',
    help: "Confirmed events by the result of the comparison: there (in the API's history), sent_again (missing, sent again), overtaken (missing, but a later state of the call is there), gave_up (still missing after several attempts), skipped (not compared).",
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
    help: 'Priority lookups by CALLER_PRIORITY_STATUS: found, notfound, timeout, error.',
    label: 'status',
    read: ({ lookups: it }) =>
      it && { found: it.found, notfound: it.notFound, timeout: it.timeout, error: it.error },
  },
  {
    name: 'lookups_cached_total',
    help: 'Priority lookups answered from the cache.',
    read: (it) => it.lookups?.cached,
  },
  {
    name: 'call_backs_waiting',
    help: 'Numbers that wait for a call back, by the last answer of the service (CALL_BACKS).',
    read: (it) => it.callBacks?.waiting,
  },
  {
    name: 'call_backs_reported_total',
    help: 'Calls to such numbers that were reported.',
    read: (it) => it.callBacks?.reported,
  },
  ...alertRows,
];

const histograms = {
  attempt: {
    name: 'delivery_attempt_duration_seconds',
    labels: ['http'],
    help: 'Duration of delivery attempts, by class of HTTP status; none: no response.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  delay: {
    name: 'event_delay_seconds',
    help: 'Time from storing an event to its confirmation by the API.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30, 120, 600, 3_600, 86_400],
  },
} as const;

export type Metrics = ReturnType<typeof createMetrics>;

/** @param withProcess adds the usual metrics of a process and of Node (`process_*`, `nodejs_*`). */
export function createMetrics({ withProcess = true } = {}) {
  const info = {
    help: 'Always 1; the labels name the version and the PBX_ID.',
    labels: ['version', 'pbx_id'],
  };
  const registry = createMetricRegistry('pbx_bridge_', { info, rows, histograms, withProcess });
  return {
    /** Counts a delivery attempt: its HTTP status (undefined without a response) and duration, ms. */
    attempted(httpStatus: number | undefined, durationMs: number) {
      const http = httpStatus === undefined ? 'none' : `${Math.floor(httpStatus / 100)}xx`;
      registry.observe('attempt', durationMs, { http });
    },
    /** Counts a delivered event: time from storing to confirmation, ms. */
    delivered: (delayMs: number) => registry.observe('delay', delayMs),
    /** Returns the text of `/metrics`. */
    render: (status: BridgeStatus) =>
      registry.render(status, { version: status.version, pbx_id: status.pbxId }),
    /** The bridge's own metrics, for the reference page. */
    list: registry.list,
    contentType: registry.contentType,
  };
}
