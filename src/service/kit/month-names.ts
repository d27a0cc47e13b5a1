import { languages } from '../words/words.ts';

/** Names of months in the languages of the pages, long and short, each with its number from 1 on. */
export const monthNames: readonly (readonly [name: string, month: number])[] = [...languages.keys()].flatMap(
  (language) =>
    (['long', 'short'] as const).flatMap((month) => {
      const { format } = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' });
      return Array.from({ length: 12 }, (_, at) => [format(Date.UTC(2026, at, 15)), at + 1] as const);
    }),
);
