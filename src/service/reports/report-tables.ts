import { type Group, quantile } from '../calls/aggregate.ts';
import { type Cell, csvNumbers, csvOffset, csvTime } from '../kit/csv.ts';
import { displayText } from '../kit/display-text.ts';
import { pieces } from '../kit/event-loop-pauses.ts';
import type { Formats } from '../kit/formats.ts';
import type { PageRequest } from '../kit/page-request.ts';
import { type Column, table } from '../kit/table.ts';
import { duration } from '../rules/duration.ts';
import { numberFormat } from '../rules/number-format.ts';
import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import type { Counts } from './call-report.ts';
import type { PersonFigures } from './people-sums.ts';

export type Row = Counts & {
  readonly label: string;
  /** What the label is in CSV, if not itself: a date or time as ISO 8601 has them. */
  readonly iso?: string;
  /** Where the row leads: to its calls, to the caller. */
  readonly href?: string;
  readonly group?: Group | null;
  readonly person?: Pick<PersonFigures, 'offered' | 'byOthers'>;
  /** Calls of the period before; null if unknown. */
  readonly before?: number | null;
  /** The last call, Unix ms. */
  readonly at?: number;
};

/** A column of a report table, on the page and as CSV. Durations are in seconds. */
type ReportColumn = {
  readonly head: string;
  readonly csv: string;
  readonly kind: 'text' | 'count' | 'share' | 'seconds' | 'time';
  /** Sorted by what is shown, not by what it is in CSV. */
  readonly byLabel?: true;
  value(row: Row): string | number | null;
};

export type ReportTable = {
  readonly name: string;
  readonly caption: string;
  readonly columns: readonly ReportColumn[];
  readonly rows: readonly Row[];
  /** All rows, if `rows` are the first of very many; and how many. */
  readonly whole?: { readonly count: number; readonly rows: Iterable<Row> };
};

/** Rows that a page has of a table; all are in the CSV. */
export const MAX_ROWS = 400;

/** A column, by its name in CSV, and the direction of its values. */
type Sorting = { readonly table: string; readonly column: string; readonly descending: boolean };

/** Reads `extensions.-answered`. */
export function sortingIn(text: string | null): Sorting | null {
  const [, table, minus, column] = /^(\w+)\.(-?)(\w+)$/.exec(text ?? '') ?? [];
  return table && column ? { table, column, descending: minus === '-' } : null;
}

/** The share of missed calls among answered and missed ones; null without any. */
export function missedRate({ answered, missed }: Omit<Counts, 'calls'>): number | null {
  return answered + missed === 0 ? null : missed / (answered + missed);
}

/** `17.3%`; `–` if unknown. */
export const percent = (value: number | null, locale: string): string =>
  value === null
    ? '–'
    : numberFormat(locale, {
        style: 'percent',
        minimumFractionDigits: 1,
        maximumFractionDigits: 1,
      }).format(value);
const seconds = (value: number | null): string => duration(value === null ? null : value * 1000);

/** The columns of each kind of table; `head`: what its rows are, in words and in CSV. */
export function columnsOf({ layout, reports, calls: { outcomes } }: Words) {
  const column = (
    head: string,
    csv: string,
    kind: ReportColumn['kind'],
    value: ReportColumn['value'],
    how: Pick<ReportColumn, 'byLabel'> = {},
  ): ReportColumn => ({ head, csv, kind, value, ...how });
  const labelOf = ({ label }: Row) => label;
  const first = (head: string, csv: string) => column(head, csv, 'text', labelOf);
  const calls = column(layout.calls, 'calls', 'count', (row) => row.calls);
  const before = column(reports.beforeHead, 'calls_before', 'count', (row) => row.before ?? null);
  const answered = column(outcomes.answered, 'answered', 'count', (row) => row.answered);
  const missed = column(outcomes.missed, 'missed', 'count', (row) => row.missed);
  const rate = column(reports.missedRate, 'missed_rate', 'share', missedRate);
  const time = (head: string, csv: string, kind: 'waited' | 'gaveUp' | 'talked', part: number) =>
    column(head, csv, 'seconds', ({ group }) => (group ? quantile(group[kind], part) : null));
  const times = [
    time(reports.timeToAnswer, 'time_to_answer_median_seconds', 'waited', 0.5),
    time(reports.nineOfTen, 'time_to_answer_p90_seconds', 'waited', 0.9),
    time(reports.medianDuration, 'duration_median_seconds', 'talked', 0.5),
    time(reports.nineOfTen, 'duration_p90_seconds', 'talked', 0.9),
  ];
  const talkTime = ({ group }: Row) => group?.talkedSeconds ?? null;
  const totalTalkTime = column(reports.totalTalkTime, 'total_talk_seconds', 'seconds', talkTime);
  const offered = column(reports.offered, 'offered', 'count', ({ person }) => person?.offered ?? null);
  const byOthers = column(
    reports.takenByOthers,
    'taken_by_others',
    'count',
    (row) => row.person?.byOthers ?? null,
  );
  const last = column(reports.lastCall, 'last_call', 'time', ({ at }) => at ?? null);
  const caller = (head: string) => column(head, 'number', 'text', labelOf, { byLabel: true });
  return {
    counts: (head: string, csv: string) => [first(head, csv), calls, answered, missed, rate],
    steps: (head: string, csv: string) => [first(head, csv), calls, answered, missed, rate, ...times],
    groups: (head: string, csv: string) => [
      first(head, csv),
      calls,
      before,
      answered,
      missed,
      rate,
      ...times,
    ],
    places: (head: string, csv: string) => [
      first(head, csv),
      missed,
      before,
      time(reports.wait, 'wait_median_seconds', 'gaveUp', 0.5),
      time(reports.nineOfTen, 'wait_p90_seconds', 'gaveUp', 0.9),
    ],
    people: (head: string, csv: string, hasRang: boolean) => [
      first(head, csv),
      ...(hasRang ? [offered] : []),
      answered,
      before,
      ...(hasRang ? [byOthers, missed] : []),
      ...times,
      totalTalkTime,
    ],
    callers: (head: string) => [caller(head), calls, missed],
    neverReached: (head: string) => [caller(head), missed, last],
  };
}

/** The rows in the order of a column; those without a value last. */
function sortedRows({ name, columns, rows }: ReportTable, sorting: Sorting | null): readonly Row[] {
  const column = columns.find(({ csv }) => csv === sorting?.column);
  if (sorting?.table !== name || column === undefined) return rows;
  const direction = sorting.descending ? -1 : 1;
  const byIso = column.kind === 'text' && !column.byLabel;
  const keyOf = (row: Row) => (byIso ? (row.iso ?? column.value(row)) : column.value(row));
  return rows.toSorted((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    return direction * (typeof x === 'string' ? x.localeCompare(String(y)) : x - Number(y));
  });
}

/** `address`: of the same page with this table sorted so. */
export function showTable(
  given: ReportTable,
  { words, formats }: Pick<PageRequest, 'words' | 'formats'>,
  sorting: Sorting | null,
  address: (sort: string) => string,
): Html {
  const { name, caption, columns } = given;
  const sortOf = ({ csv, kind }: ReportColumn): Column<Row>['sort'] => {
    const current = sorting?.table === name && sorting.column === csv;
    const descending = current ? !sorting.descending : kind !== 'text';
    return {
      href: address(`${name}.${descending ? '-' : ''}${csv}`),
      ...(current && { order: sorting.descending ? 'descending' : 'ascending' }),
    };
  };
  const rows = sortedRows(given, sorting).slice(0, MAX_ROWS);
  const more = (given.whole?.count ?? given.rows.length) - rows.length;
  const shown = table({
    caption,
    columns: columns.map(
      (column): Column<Row> => ({
        head: column.head,
        ...(column.kind !== 'text' && column.kind !== 'time' && { end: true }),
        ...(given.rows.length > 1 && { sort: sortOf(column) }),
        cell: (row) => cellText(column, row, column === columns[0], formats),
      }),
    ),
    rows,
    empty: words.reports.noCalls,
  });
  if (more <= 0) return shown;
  return html`${shown}<p class="quiet">${words.reports.moreInCsv(formats.number(more))}</p>`;
}

function cellText({ kind, value }: ReportColumn, row: Row, isFirst: boolean, formats: Formats): Html {
  const cell = value(row);
  if (kind === 'share') return percent(cell as number | null, formats.locale);
  if (kind === 'count' && typeof cell === 'number') return formats.number(cell);
  if (kind === 'seconds') return seconds(cell as number | null);
  if (kind === 'time') return cell !== null && formats.dateTime(cell as number);
  if (typeof cell !== 'string') return cell;
  const label = html`<span class="label">${displayText(cell, 80)}</span>`;
  return isFirst && row.href !== undefined && row.calls > 0 ? html`<a href=${row.href}>${label}</a>` : label;
}

/**
 * The table as CSV rows, its header first, in pieces. Times are on the clocks of the zone, their offset from UTC in the last
 * column.
 */
export async function* tableCells(
  { columns, rows, whole }: ReportTable,
  timeZone: string,
): AsyncGenerator<Cell[][]> {
  const cell = ({ kind, value }: ReportColumn, row: Row, at: number) => {
    if (at === 0) return nameCell(row.iso ?? value(row));
    const given = value(row);
    if (kind === 'time') return csvTime(given as number | null, timeZone);
    return kind === 'share' && given !== null ? Number(Number(given).toFixed(4)) : given;
  };
  const time = columns.find(({ kind }) => kind === 'time');
  const zone = (row: Row) => (time ? [csvOffset(time.value(row) as number | null, timeZone)] : []);
  yield [[...columns.map(({ csv }) => csv), ...(time ? ['zone'] : [])]];
  for await (const some of pieces(whole?.rows ?? rows))
    yield some.map((row) => [...columns.map((column, at) => cell(column, row, at)), ...zone(row)]);
}

/** What a row is about: a day, an hour, a number or a name. */
function nameCell(name: Cell): Cell {
  if (typeof name !== 'string') return name;
  if (/^\d{4}-\d\d(-\d\d(T.*)?)?$/.test(name)) return { plain: name.replace('T', ' ') };
  return /^\+\d+$/.test(name) ? csvNumbers([name]) : name;
}
