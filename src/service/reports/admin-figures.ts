import { z } from 'zod';
import { oneOf } from '../../shared/api/contract/text.ts';
import type { Extensions } from '../accounts/account.ts';
import type { AdminAccess } from '../accounts/admin-access.ts';
import { integrationName, type ServiceDirectory } from '../accounts/directory.ts';
import { extensionName } from '../accounts/extensions.ts';
import { type Group, OTHERS, quantile, type ReportStore, serviceLevel } from '../calls/aggregate.ts';
import { notModified } from '../kit/admin-list.ts';
import { operation, type ZodInstance } from '../kit/administration.ts';
import { dateAt, dateIn, daysBetween } from '../kit/calendar.ts';
import { machineZone } from '../kit/formats.ts';
import { Refusal } from '../kit/refusal.ts';
import { makeReport, type NamedGroup } from './call-report.ts';
import { daysIn, stepLengths, stepsFor } from './period.ts';
import { personOf } from './report-filter.ts';

const seconds = z.int().nullable();
const counts = { calls: z.int(), answered: z.int(), missed: z.int() };
const figures = {
  ...counts,
  answer_median_seconds: seconds.describe('Half of the answered calls rang this long at most.'),
  answer_90_seconds: seconds.describe('The same for nine tenths of them.'),
  gave_up_median_seconds: seconds.describe('Half of the missed callers waited this long at most.'),
  talk_median_seconds: seconds,
  talk_seconds: z.int().describe('Of all calls together.'),
  service_level: z
    .number()
    .nullable()
    .describe(
      'The share of calls answered within `answer_within`, without those missed within five seconds.',
    ),
};
const named = z.array(
  z.object({
    name: z
      .string()
      .nullable()
      .describe('As calls have it; empty: of calls without one; null: all beyond the first thousand.'),
    ...figures,
  }),
);
const day = (name: string) => z.iso.date({ error: `The ${name} field must be a day such as 2026-11-20.` });

const read = operation('readFigures', "Read what an account's calls of some days come to, as under Reports", {
  turn: 'long',
  querystring: z.strictObject({
    from: day('from').describe("The first day, in the account's time zone."),
    to: day('to').describe('The last day.'),
    by: oneOf('by', stepLengths)
      .default('day')
      .describe('What a step is. By hour, at most 14 days; by day, 400; by week, 2,000; by month, 4,000.'),
  }),
  response: {
    200: z
      .object({
        from: z.string(),
        to: z.string(),
        time_zone: z.string(),
        answer_within: z.int().describe('Seconds, as set under Account.'),
        all: z.object(figures),
        steps: z.array(
          z.object({
            from: z.string().describe('Its first day, and the hour if it is one: `2026-11-20T09:00`.'),
            to: z.string().describe('Its last day.'),
            ...counts,
          }),
        ),
        people: z
          .array(
            z.object({
              name: z.string().nullable().describe('The user, or the extension as people call it.'),
              extensions: z.array(z.string()),
              offered: z.int(),
              answered: z.int(),
              taken_by_others: z.int(),
              missed: z.int(),
              talk_seconds: z.int(),
            }),
          )
          .describe('Who was offered calls, or took them, where bridges with API_EXTRAS say it.'),
        extensions: named.describe('By who answered.'),
        segments: named,
        integrations: named,
        numbers_called: named,
        missed_where: named.describe('Missed calls by where they ended.'),
      })
      .meta({ id: 'Figures' }),
    304: notModified,
  },
});

type Parts = AdminAccess & {
  readonly store: { readonly reports: ReportStore };
  readonly directory: ServiceDirectory;
  readonly clock: () => number;
};

/** The figures of an account's calls. */
export function adminFigureRoutes(app: ZodInstance, { store, directory, accountOf, clock }: Parts): void {
  app.get('/figures', read, async (request) => {
    const account = accountOf(request);
    const timeZone = account.timeZone ?? machineZone();
    const now = clock();
    const { by } = request.query;
    const { first, last } = periodOf(request.query, dateAt(now, timeZone));
    const days = daysBetween(first, last, timeZone);
    const extensions = directory.extensions(account.id);
    const report = await makeReport(
      { step: by },
      days,
      timeZone,
      store.reports.figures(account.id, days, now),
      null,
      null,
      (extension) => personOf(extensions, extension),
    );
    const groups = (all: readonly NamedGroup[], nameOf = (name: string) => name) =>
      all.map(([name, group]) => ({
        name: name === OTHERS ? null : nameOf(name),
        ...figuresOf(group, account.answerWithin),
      }));
    return {
      from: `${first}`,
      to: `${last}`,
      time_zone: timeZone,
      answer_within: account.answerWithin,
      all: figuresOf(report.all, account.answerWithin),
      steps: report.series.map(({ first, last, hour, calls, answered, missed }) => ({
        from:
          hour === null ? `${first}` : `${first}T${`${hour.hour}`.padStart(2, '0')}:00${hour.offset ?? ''}`,
        to: `${last}`,
        calls,
        answered,
        missed,
      })),
      people: report.people.map((one) => ({
        name: nameOf(one.extensions, extensions),
        extensions: one.extensions.filter((extension) => extension !== OTHERS),
        offered: one.offered,
        answered: one.answered,
        taken_by_others: one.byOthers,
        missed: one.missed,
        talk_seconds: one.talkedSeconds,
      })),
      extensions: groups(report.groups.extensions),
      segments: groups(report.groups.segments),
      integrations: groups(
        report.groups.integrations,
        (id) => integrationName(directory, account.id, Number(id)) ?? '',
      ),
      numbers_called: groups(report.groups.numbersCalled),
      missed_where: groups(report.groups.places),
    };
  });
}

/** Not beyond today. @throws Refusal 422 */
function periodOf({ from, to, by }: z.output<typeof read.schema.querystring>, today: Temporal.PlainDate) {
  const [first, end] = [dateIn(from), dateIn(to)] as [Temporal.PlainDate, Temporal.PlainDate];
  const { compare } = Temporal.PlainDate;
  if (compare(first, end) > 0) throw new Refusal(422, 'The to field must not be before from.');
  if (compare(first, today) > 0) throw new Refusal(422, 'The from field must not be in the future.');
  const last = compare(end, today) > 0 ? today : end;
  const days = daysIn({ first, last });
  if (days > 1 && !stepsFor({ first, last }).includes(by))
    throw new Refusal(422, `The by field cannot be ${by} for ${days} days.`);
  return { first, last };
}

function figuresOf(group: Group, within: number) {
  const { calls, answered, missed, waited, gaveUp, talked, talkedSeconds } = group;
  return {
    calls,
    answered,
    missed,
    answer_median_seconds: quantile(waited, 0.5),
    answer_90_seconds: quantile(waited, 0.9),
    gave_up_median_seconds: quantile(gaveUp, 0.5),
    talk_median_seconds: quantile(talked, 0.5),
    talk_seconds: talkedSeconds,
    service_level: serviceLevel({ waited, gaveUp }, within),
  };
}

function nameOf([first = OTHERS]: readonly string[], extensions: Extensions): string | null {
  if (first === OTHERS) return null;
  return extensions.get(first)?.userName || extensionName(extensions, first) || first;
}
