import type { MetricRow } from '../process/metric-registry.ts';
import type { Seen, WatchedProblems } from './alert-rules.ts';
import type { Unsent } from './unsent-notices.ts';

export type AlertsStatus = {
  /** Present problems, announced or not. `since`: Unix ms. */
  readonly problems: readonly {
    readonly code: string;
    readonly what: string;
    readonly remedy: string;
    readonly since: number;
  }[];
  /** Announced problems that are gone, whose end is not announced yet: they may come back. Unix ms. */
  readonly over: readonly { readonly code: string; readonly what: string; readonly until: number }[];
  /** Alerts that a target accepted since the start. */
  readonly sent: number;
  /** Alerts that could not be sent yet, per target. */
  readonly unsent: readonly { readonly target: string; readonly count: number; readonly error: string }[];
};

/** What is present, and what was: `watched` knows since when. */
export function problemsNow(
  { problems, unknown }: Seen,
  watched: WatchedProblems,
  now: number,
): Pick<AlertsStatus, 'problems' | 'over'> {
  return {
    problems: problems.map(({ key, code, what, remedy, since = now }) => {
      const known = watched[key];
      const isWatched = known !== undefined && known.absentSince === undefined;
      return { code, what, remedy, since: isWatched ? known.since : since };
    }),
    over: Object.entries(watched).flatMap(([key, { alert, code, what, absentSince = now }]) => {
      const isPresent = problems.some((problem) => problem.key === key) || unknown?.includes(key);
      return alert === undefined || alert.flaps || isPresent ? [] : [{ code, what, until: absentSince }];
    }),
  };
}

/** The targets that refused what was sent to them last. */
export const refusals = (unsent: Unsent): AlertsStatus['unsent'] =>
  Object.entries(unsent).flatMap(([target, { notices, error }]) =>
    error === '' ? [] : [{ target, count: notices.length, error }],
  );

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
