import { spaced } from '../../shared/phone-number/normalise-number.ts';
import { numberCalledText } from '../accounts/extensions.ts';
import type { UserRequest } from '../accounts/user-request.ts';
import { countGroup, OTHERS } from '../calls/aggregate.ts';
import { backOf } from '../calls/call-cells.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { personAddress } from '../rules/person-address.ts';
import { type NamedGroup, type Report, shownSeries } from './call-report.ts';
import type { CallersReport } from './callers-report.ts';
import type { Period } from './period.ts';
import { personWith, placeText, type ReportFilter } from './report-filter.ts';
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

/** What the tables of a report are made of. `integration`: by its id; undefined if it was removed. */
type Tables = {
  readonly request: UserRequest;
  readonly reported: Reported;
  readonly columns: ReturnType<typeof columnsOf>;
  readonly integration: (id: string) => { readonly name: string; readonly uid: string } | undefined;
};

/** The tables of a report, in the order in which CSV looks for them. */
export function reportTables(
  request: UserRequest,
  reported: Reported,
  integration: Tables['integration'],
): ReportTable[] {
  const { filter } = reported;
  const tables: Tables = { request, reported, columns: columnsOf(request.words), integration };
  const isOfAll = filter === null || filter.groups === null;
  return [
    seriesTable(tables),
    ...callerTables(tables),
    ...partsTable(tables),
    ...(isOfAll
      ? [
          ...numbersTable(tables),
          ...placesTable(tables),
          peopleTable(tables),
          segmentsTable(tables),
          integrationsTable(tables),
        ]
      : []),
  ];
}

function seriesTable({ request, reported, columns }: Tables): ReportTable {
  const { period, report, filter } = reported;
  const text = request.words.reports;
  const { step } = period;
  const isOneDay = period.first.equals(period.last);
  return {
    name: 'series',
    caption: text.bySteps[step],
    columns: columns[step === 'hour' ? 'counts' : 'steps'](text.steps[step], step),
    rows: shownSeries(report).map((row) => ({
      ...row,
      ...stepNames(row, step, isOneDay, request),
      href: callsOf(filter, row.hour ? hourOf(row.first, row.hour.hour, row.hour.offset) : daysOf(row)),
    })),
  };
}

/** Who called most, and who was not reached. */
function callerTables({ request, reported, columns }: Tables): ReportTable[] {
  const { callers, filter, period } = reported;
  const { reports: text, calls } = request.words;
  if (callers === null) return [];
  const neverReached = (missed: readonly CallRecord[]) => neverReachedRow(missed, request);
  return [
    {
      name: 'callers',
      caption: text.busiest,
      columns: columns.callers(calls.caller),
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
      columns: columns.neverReached(calls.caller),
      rows: callers.neverReached.slice(0, MAX_ROWS).map(neverReached),
      whole: {
        count: callers.neverReached.length,
        rows: callers.neverReached.values().map(neverReached),
      },
    },
  ];
}

function neverReachedRow(calls: readonly CallRecord[], request: UserRequest): Row {
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
}

/** In opening hours, and out of them. */
function partsTable({ request: { words }, reported, columns }: Tables): ReportTable[] {
  const { report, filter, period } = reported;
  const { parts } = report;
  if (parts === null) return [];
  return [
    {
      name: 'parts',
      caption: words.settings.openingHours,
      columns: columns.counts(words.settings.openingHours, 'opening_hours'),
      rows: (['in', 'out'] as const).map((part) => ({
        ...parts[part],
        label: words.calls.inHours[part],
        iso: part,
        href: callsOf(filter, daysOf(period), { hours: part }),
      })),
    },
  ];
}

/** The rows of a kind of groups, each with a link to its calls. */
function groupRows(
  kind: 'segments' | 'integrations' | 'numbersCalled' | 'places',
  { request, reported: { report, before, filter, period } }: Tables,
  nameOf: (name: string) => string,
  calls: (name: string) => Record<string, string>,
): Row[] {
  const then = new Map<string, NamedGroup[1]>(before.groups[kind]);
  return report.groups[kind].map(([name, group]) => ({
    ...group,
    group,
    label: name === OTHERS ? request.words.reports.others : nameOf(name),
    before: then.get(name)?.calls ?? 0,
    ...(name !== '' && name !== OTHERS && { href: callsOf(filter, daysOf(period), calls(name)) }),
  }));
}

function numbersTable(tables: Tables): ReportTable[] {
  const { request, reported, columns } = tables;
  const { extensions, words } = request;
  if (reported.report.groups.numbersCalled.length === 0) return [];
  const nameOf = (number: string) => numberCalledText(extensions, number);
  return [
    {
      name: 'numbers',
      caption: words.calls.numberCalled,
      columns: columns.groups(words.calls.numberCalled, 'number_called'),
      rows: groupRows('numbersCalled', tables, nameOf, (called) => ({ called })),
    },
  ];
}

/** Where missed calls ended. */
function placesTable(tables: Tables): ReportTable[] {
  const { request, reported, columns } = tables;
  const { report, before } = reported;
  const { words } = request;
  if (report.groups.places.length === 0) return [];
  const rest = withoutPlace(report);
  const restRow: Row = {
    calls: rest,
    answered: 0,
    missed: rest,
    label: words.reports.notReported,
    before: withoutPlace(before),
  };
  const nameOf = (place: string) => placeText(words, place);
  return [
    {
      name: 'places',
      caption: words.calls.place,
      columns: columns.places(words.calls.place, 'missed_at'),
      rows: [...groupRows('places', tables, nameOf, (place) => ({ place })), ...(rest > 0 ? [restRow] : [])],
    },
  ];
}

function peopleTable({ request, reported, columns }: Tables): ReportTable {
  const { extensions, words } = request;
  const { report, before, filter, period } = reported;
  return {
    name: 'people',
    caption: words.reports.person,
    columns: columns.people(words.reports.person, 'person', report.hasRang),
    rows: peopleRows(extensions, words, report, before, (extension) =>
      callsOf(filter, daysOf(period), { extension }),
    ),
  };
}

function segmentsTable(tables: Tables): ReportTable {
  const { calls, reports: text } = tables.request.words;
  const nameOf = (name: string) => name || text.none;
  return {
    name: 'segments',
    caption: calls.segment,
    columns: tables.columns.groups(calls.segment, 'segment'),
    rows: groupRows('segments', tables, nameOf, (segment) => ({ segment })),
  };
}

function integrationsTable(tables: Tables): ReportTable {
  const { calls, reports: text } = tables.request.words;
  const { integration } = tables;
  const nameOf = (id: string) => integration(id)?.name ?? text.removed;
  return {
    name: 'integrations',
    caption: calls.integration,
    columns: tables.columns.groups(calls.integration, 'integration'),
    rows: groupRows('integrations', tables, nameOf, (id) => ({ integration: integration(id)?.uid ?? '' })),
  };
}

/** Missed calls of which the bridge did not report where they ended. */
const withoutPlace = ({ all, groups }: Report) =>
  groups.places.reduce((rest, [, { missed }]) => rest - missed, all.missed);

type PeopleReport = Pick<Report, 'people'> & { readonly groups: Pick<Report['groups'], 'extensions'> };

/**
 * Calls by person, most answered first. The times are those of calls that the person answered first, and so are the calls to
 * which the number leads: it leads nowhere if others were handed over.
 */
export function peopleRows(
  extensions: UserRequest['extensions'],
  { reports: text }: UserRequest['words'],
  report: PeopleReport,
  before: PeopleReport,
  calls: (extension: string) => string,
): Row[] {
  const first = new Map(report.groups.extensions);
  const then = new Map(before.people.map(({ person, answered }) => [person, answered]));
  return report.people
    .map((person): Row => {
      const { name, extensions: own, search } = personWith(person.extensions, extensions);
      const sum = countGroup();
      for (const extension of own) sum.merge(first.get(extension) ?? countGroup().group());
      const group = { ...sum.group(), talkedSeconds: person.talkedSeconds };
      return {
        calls: person.answered,
        answered: person.answered,
        missed: person.missed,
        person,
        group,
        label: search === '' ? text.unknown : search === OTHERS ? text.others : name,
        before: then.get(person.person) ?? 0,
        ...(search !== '' &&
          search !== OTHERS &&
          group.calls > 0 &&
          group.calls === person.answered && { href: calls(search) }),
      };
    })
    .sort((a, b) => b.answered - a.answered);
}
