import { spaced } from '../../shared/phone-number/normalise-number.ts';
import { numberCalledText } from '../accounts/extensions.ts';
import type { UserRequest } from '../accounts/user-request.ts';
import { countGroup, type Group, OTHERS } from '../calls/aggregate.ts';
import { backOf } from '../calls/call-cells.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { personAddress } from '../rules/person-address.ts';
import type { NamedGroup, Report } from './call-report.ts';
import type { CallersReport } from './callers-report.ts';
import type { Period } from './period.ts';
import { peopleOf, personOf, placeText, type ReportFilter } from './report-filter.ts';
import { callsOf, daysOf, hourOf, stepNames } from './report-names.ts';
import { columnsOf, MAX_ROWS, type ReportTable, type Row } from './report-tables.ts';

/** What a report's page and its CSV are made from. */
export type Reported = {
  readonly period: Period;
  readonly report: Report;
  readonly before: Report;
  readonly filter: ReportFilter | null;
  readonly filters: readonly ReportFilter[];
  readonly callers: CallersReport | null;
};

export function reportTables(
  request: UserRequest,
  { period, report, before, filter, callers }: Reported,
  integration: (id: string) => { readonly name: string; readonly uid: string } | undefined,
): ReportTable[] {
  const { extensions, words } = request;
  const text = words.reports;
  const columns = columnsOf(words);
  const { step } = period;
  const isOneDay = period.first.equals(period.last);
  const groups = (
    kind: 'segments' | 'integrations' | 'numbersCalled' | 'places',
    nameOf: (name: string) => string,
    calls: (name: string) => Record<string, string>,
  ) => {
    const then = new Map<string, NamedGroup[1]>(before.groups[kind]);
    return report.groups[kind].map(
      ([name, group]): Row => ({
        ...group,
        group,
        label: name === OTHERS ? text.others : nameOf(name),
        before: then.get(name)?.calls ?? 0,
        ...(name !== '' && name !== OTHERS && { href: callsOf(filter, daysOf(period), calls(name)) }),
      }),
    );
  };
  const neverReached = (calls: readonly CallRecord[]): Row => {
    const last = calls.at(-1) as CallRecord;
    return {
      calls: calls.length,
      missed: calls.length,
      answered: 0,
      label: last.customer?.name ?? spaced(last.number),
      iso: last.number,
      href: personAddress(last, backOf(request)),
      at: last.startedAt,
    };
  };
  const tables: ReportTable[] = [
    {
      name: 'series',
      caption: text.bySteps[step],
      columns: columns[step === 'hour' ? 'counts' : 'steps'](text.steps[step], step),
      rows: report.series.map((row) => ({
        ...row,
        ...stepNames(row, step, isOneDay, request),
        href: callsOf(filter, row.hour ? hourOf(row.first, row.hour.hour) : daysOf(row)),
      })),
    },
  ];
  if (callers !== null)
    tables.push(
      {
        name: 'callers',
        caption: text.busiest,
        columns: columns.callers(words.calls.caller),
        rows: callers.busiest.map(({ number, numbers, customer, name, calls, missed }) => ({
          calls,
          missed,
          answered: calls - missed,
          label: name ?? spaced(number),
          iso: number,
          href:
            numbers > 1 && customer !== null
              ? callsOf(filter, daysOf(period), { customer })
              : personAddress({ customer: null, number }, backOf(request)),
        })),
      },
      {
        name: 'never',
        caption: text.neverReached,
        columns: columns.neverReached(words.calls.caller),
        rows: callers.neverReached.slice(0, MAX_ROWS).map(neverReached),
        whole: {
          count: callers.neverReached.length,
          rows: callers.neverReached.values().map(neverReached),
        },
      },
    );
  if (report.parts !== null) {
    const { parts } = report;
    tables.push({
      name: 'parts',
      caption: words.settings.openingHours,
      columns: columns.counts(words.settings.openingHours, 'opening_hours'),
      rows: (['in', 'out'] as const).map((part) => ({
        ...parts[part],
        label: words.calls.inHours[part],
        iso: part,
        href: callsOf(filter, daysOf(period), { hours: part }),
      })),
    });
  }
  const isOfAll = filter === null || filter.groups === null;
  if (isOfAll && report.groups.numbersCalled.length > 0)
    tables.push({
      name: 'numbers',
      caption: words.calls.numberCalled,
      columns: columns.groups(words.calls.numberCalled, 'number_called'),
      rows: groups(
        'numbersCalled',
        (number) => numberCalledText(extensions, number),
        (called) => ({ called }),
      ),
    });
  const rest = withoutPlace(report);
  if (isOfAll && report.groups.places.length > 0)
    tables.push({
      name: 'places',
      caption: words.calls.place,
      columns: columns.places(words.calls.place, 'missed_at'),
      rows: [
        ...groups(
          'places',
          (place) => placeText(words, place),
          (place) => ({ place }),
        ),
        ...(rest > 0
          ? [
              {
                calls: rest,
                answered: 0,
                missed: rest,
                label: text.notReported,
                before: withoutPlace(before),
              },
            ]
          : []),
      ],
    });
  if (isOfAll)
    tables.push(
      {
        name: 'people',
        caption: text.person,
        columns: columns.people(text.person, 'person'),
        rows: peopleRows(extensions, words, report, before, (extension) =>
          callsOf(filter, daysOf(period), { extension }),
        ),
      },
      {
        name: 'segments',
        caption: words.calls.segment,
        columns: columns.groups(words.calls.segment, 'segment'),
        rows: groups(
          'segments',
          (name) => name || text.none,
          (segment) => ({ segment }),
        ),
      },
      {
        name: 'integrations',
        caption: words.calls.integration,
        columns: columns.groups(words.calls.integration, 'integration'),
        rows: groups(
          'integrations',
          (id) => integration(id)?.name ?? text.removed,
          (id) => ({ integration: integration(id)?.uid ?? '' }),
        ),
      },
    );
  return tables;
}

/** Missed calls of which the bridge did not report where they ended. */
const withoutPlace = ({ all, groups }: Report) =>
  groups.places.reduce((rest, [, { missed }]) => rest - missed, all.missed);

/** Answered calls by person, most first; before: at any of the person's extensions. */
export function peopleRows(
  extensions: UserRequest['extensions'],
  { reports: text }: UserRequest['words'],
  report: { readonly groups: Pick<Report['groups'], 'extensions'> },
  before: { readonly groups: Pick<Report['groups'], 'extensions'> },
  calls: (extension: string) => string,
): Row[] {
  const now = new Map(report.groups.extensions);
  const keyOf = (extension: string) => personOf(extensions, extension);
  const then = Map.groupBy(before.groups.extensions, ([extension]) => keyOf(extension));
  return peopleOf([...now.keys()], extensions)
    .map(({ name, extensions: own, search }): Row => {
      const sum = countGroup();
      for (const extension of own) sum.merge(now.get(extension) as Group);
      const group = sum.group();
      return {
        ...group,
        group,
        label: search === '' ? text.unknown : search === OTHERS ? text.others : name,
        before: (then.get(keyOf(own[0] as string)) ?? []).reduce(
          (sum, [, { answered }]) => sum + answered,
          0,
        ),
        ...(search !== '' && search !== OTHERS && { href: calls(search) }),
      };
    })
    .sort((a, b) => b.answered - a.answered);
}
