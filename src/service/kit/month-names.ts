import { languages } from '../words/words.ts';

type MonthName = readonly [name: string, month: number];

/** Names of months in some languages, long and short, alone and beside a day, each with its number from 1 on. */
export const monthNamesIn = (some: Iterable<string>): readonly MonthName[] =>
  [...some].flatMap((language) =>
    (['long', 'short'] as const).flatMap((month) =>
      [{ month }, { month, day: 'numeric' } as const].flatMap((options) => {
        const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
        return Array.from({ length: 12 }, (_, at): MonthName => {
          const parts = format.formatToParts(Date.UTC(2026, at, 15));
          return [parts.find(({ type }) => type === 'month')?.value ?? '', at + 1];
        });
      }),
    ),
  );

/** Those of the languages of the pages. */
export const monthNames = monthNamesIn(languages.keys());
