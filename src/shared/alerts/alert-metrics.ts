import type { MetricRow } from '../process/metric-registry.ts';
import type { AlertsStatus } from './alerts.ts';

/** The metrics of problems and alerts, of the bridge and of the service. */
export const alertRows: readonly MetricRow<{ readonly alerts: AlertsStatus }>[] = [
  {
    name: 'problems',
    help: 'Open problems, announced or not, by code; see messages.md.',
    label: 'code',
    read: (it) => countByCode(it.alerts),
  },
  {
    name: 'alerts_sent_total',
    help: 'Alerts that the mail server or the webhook accepted since the start.',
    read: (it) => it.alerts.sent,
  },
  {
    name: 'alerts_unsent',
    help: 'Alerts that could not be sent yet.',
    read: (it) => it.alerts.unsent.reduce((sum, { count }) => sum + count, 0),
  },
];

function countByCode({ problems }: AlertsStatus): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code } of problems) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
