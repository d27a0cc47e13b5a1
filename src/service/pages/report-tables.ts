import { type Group, OTHERS } from '../reports/aggregate.ts';
import type { Counts, Report } from '../reports/call-report.ts';
import type { Cell } from '../reports/csv.ts';
import { quantile } from '../reports/durations.ts';
import type { StepLength } from '../reports/period.ts';
import { displayText } from './kit/display-text.ts';
import { duration } from './kit/formats.ts';
import { type Html, html } from './kit/html.ts';
import { type Column, table } from './kit/table.ts';

type Row = Counts & { readonly label: string; readonly group: Group | null };

/** A column of a report table, on the page and as CSV. Durations are in seconds. */
type ReportColumn = {
  readonly head: string;
  readonly csv: string;
  readonly kind: 'text' | 'count' | 'share' | 'seconds';
  readonly wide?: true;
  value(row: Row): Cell;
};

export type ReportTable = {
  readonly caption: string;
  readonly columns: readonly ReportColumn[];
  readonly rows: readonly Row[];
};

export const tableNames = ['series', 'hours', 'extensions', 'segments'] as const;
export type TableName = (typeof tableNames)[number];

/** The share of missed calls among answered and missed ones; null without any. */
export function missedRate({ answered, missed }: Counts): number | null {
  return answered + missed === 0 ? null : missed / (answered + missed);
}

export const percent = (value: number | null): string =>
  value === null ? '–' : `${(value * 100).toFixed(1)} %`;
export const seconds = (value: number | null): string => duration(value === null ? null : value * 1000);

const counts: ReportColumn[] = [
  { head: 'Calls', csv: 'calls', kind: 'count', value: ({ calls }) => calls },
  { head: 'Answered', csv: 'answered', kind: 'count', value: ({ answered }) => answered },
  { head: 'Missed', csv: 'missed', kind: 'count', value: ({ missed }) => missed },
  { head: 'Missed rate', csv: 'missed_rate', kind: 'share', value: missedRate },
];

const time = (head: string, csv: string, kind: 'waited' | 'talked', part: number): ReportColumn => ({
  ...{ head, csv, kind: 'seconds', wide: true },
  value: ({ group }) => group && quantile(group[kind], part),
});
const timeToAnswer = [
  time('Median time to answer', 'time_to_answer_median_seconds', 'waited', 0.5),
  time('9 of 10 within', 'time_to_answer_p90_seconds', 'waited', 0.9),
];
const talkTime: ReportColumn[] = [
  time('Median duration', 'duration_median_seconds', 'talked', 0.5),
  time('9 of 10 within', 'duration_p90_seconds', 'talked', 0.9),
];
const totalTalkTime: ReportColumn = {
  ...{ head: 'Total talk time', csv: 'total_talk_seconds', kind: 'seconds' },
  value: ({ group }) => group?.talkedSeconds ?? null,
};

const first = (head: string): ReportColumn => ({
  head,
  csv: head.toLowerCase(),
  kind: 'text',
  value: ({ label }) => label,
});

const stepHeads: Record<StepLength, string> = { hour: 'Hour', day: 'Day', week: 'Week', month: 'Month' };

/** The tables of a report. */
export function reportTables(report: Report, step: StepLength): Record<TableName, ReportTable> {
  const groups = (list: Report['segments'], none: string) =>
    list.map(([name, group]) => ({ ...group, label: name === OTHERS ? 'all others' : name || none, group }));
  const withTimes = step === 'hour' ? [] : [...timeToAnswer, ...talkTime];
  return {
    series: {
      caption: `Calls by ${step}`,
      columns: [first(stepHeads[step]), ...counts, ...withTimes],
      rows: report.series,
    },
    hours: {
      caption: 'Calls by hour of the day',
      columns: [first('Hour'), ...counts],
      rows: withCalls(report.hours),
    },
    extensions: {
      caption: 'Answered calls by extension',
      columns: [first('Extension'), counts[1] as ReportColumn, ...timeToAnswer, ...talkTime, totalTalkTime],
      rows: groups(report.extensions, 'unknown'),
    },
    segments: {
      caption: 'Calls by segment',
      columns: [first('Segment'), ...counts, ...timeToAnswer, ...talkTime],
      rows: groups(report.segments, 'none'),
    },
  };
}

/** From the first row with calls to the last. */
function withCalls<T extends Counts>(rows: readonly T[]): readonly T[] {
  const has = ({ calls }: T) => calls > 0;
  return rows.slice(Math.max(0, rows.findIndex(has)), rows.findLastIndex(has) + 1);
}

export function showTable({ caption, columns, rows }: ReportTable): Html {
  return table({
    caption,
    columns: columns.map(
      (column): Column<Row> => ({
        head: column.head,
        ...(column.kind !== 'text' && { numeric: true }),
        ...(column.wide && { wide: true }),
        cell: (row) => cellText(column, row),
      }),
    ),
    rows,
    empty: html`<p>No calls.</p>`,
  });
}

function cellText({ kind, value }: ReportColumn, row: Row): Html {
  const cell = value(row);
  if (kind === 'share') return percent(cell as number | null);
  if (kind === 'seconds') return seconds(cell as number | null);
  return typeof cell === 'string' ? html`<span class="label">${displayText(cell, 80)}</span>` : cell;
}

/** The table as CSV rows, its header first. */
export function tableCells({ columns, rows }: ReportTable): Cell[][] {
  const cell = ({ kind, value }: ReportColumn, row: Row) => {
    const given = value(row);
    return kind === 'share' && given !== null ? Number(Number(given).toFixed(4)) : given;
  };
  return [columns.map(({ csv }) => csv), ...rows.map((row) => columns.map((column) => cell(column, row)))];
}
