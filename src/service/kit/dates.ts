import { monthNames } from './month-names.ts';

/** Months as people type them: without accents and dots. */
const months = new Map<string, number>(monthNames.map(([name, month]) => [plain(name), month]));

/** Days of one range at most: a slip in a year would close an office for a century. */
const LONGEST_RANGE = 400;

/** `24.12.`, `24. Dec`, `24/12`, each perhaps with a year before or behind it. */
type Parts = {
  readonly day: number;
  readonly month?: number | undefined;
  readonly year?: number | undefined;
  /** The month stands first. */
  readonly swaps?: boolean;
};

const between = String.raw`\s*(?:-|–|—|−|\bbis\b|\bto\b|\buntil\b|\bau\b|\bal\b|\ba\b|\bt/m\b|\btot\b)\s*`;
const name = String.raw`[\p{L}]{3,}`;
const date = [
  String.raw`\d{4}[-/.]\d{1,2}[-/.]\d{1,2}`,
  String.raw`\d{1,2}(?:\.\s?\d{1,2}\.\s?|/\d{1,2}/|-\d{1,2}-)(?:\d{4}|\d\d)`,
  String.raw`\d{1,2}\.?\s*(?:de\s+)?${name}\.?,?\s*(?:de\s+)?\d{4}`,
  String.raw`${name}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}`,
];
/** The beginning of a range whose month and year stand at its end. */
const beginning = String.raw`\d{1,2}\.?(?:\s?\d{1,2}\.|/\d{1,2}|\s*${name}\.?)?`;

/**
 * Reads days as people type them, one or several to a line, and ranges: `24.12.–31.12.2026`. ISO 8601, sorted, each once.
 * It stops at more than `most` days, however often each is named.
 */
export function readDates(
  text: string,
  { monthFirst, most }: { readonly monthFirst: boolean; readonly most: number },
): { readonly dates: string[]; readonly wrong: string[]; readonly isTooMuch: boolean } {
  const dates = new Set<string>();
  const wrong: string[] = [];
  let count = 0;
  for (const line of text.normalize('NFKC').split(/[\n\r;]+/))
    for (
      let rest = line.replace(/^[\s,]+/, '');
      rest !== '' && count <= most;
      rest = rest.replace(/^[\s,]+/, '')
    ) {
      const [found, days] = firstOf(rest, monthFirst);
      if (days.length === 0) wrong.push(found);
      count += days.length;
      for (const day of days) dates.add(day.toString());
      rest = rest.slice(found.length);
    }
  return { dates: [...dates].sort(), wrong, isTooMuch: count > most };
}

/** The text of the first day or range of a line, and its days; none if it is no day. */
function firstOf(text: string, monthFirst: boolean): [string, Temporal.PlainDate[]] {
  for (const one of date) {
    const range = match(`(?<first>${one}|${beginning})${between}(?<last>${one})`, text);
    const { first = '', last = '' } = range?.groups ?? {};
    const until = range && dateOf(last, monthFirst);
    // `4.-7.12.2026`: a day alone stands first where days do.
    const isUnclear = /^\d+\.?$/.test(first) && partsOf(last, monthFirst).swaps;
    const since = until && !isUnclear ? dateOf(first, monthFirst, until) : undefined;
    if (range && since && until && Temporal.PlainDate.compare(since, until) <= 0) {
      const { days } = since.until(until);
      if (days < LONGEST_RANGE)
        return [range[0], Array.from({ length: days + 1 }, (_, at) => since.add({ days: at }))];
    }
  }
  for (const one of date) {
    const single = match(one, text);
    const day = single && dateOf(single[0], monthFirst);
    if (single && day) return [single[0], [day]];
  }
  return [/^[^,]+/.exec(text)?.[0] ?? text, []];
}

/** At the beginning of the text; a number or word that goes on is another one. */
const match = (pattern: string, text: string) =>
  new RegExp(`^(?:${pattern})(?![\\p{L}\\d])`, 'iu').exec(text) ?? undefined;

/** A day; what it leaves out is as in `like`. Undefined if there is no such day. */
function dateOf(
  text: string,
  monthFirst: boolean,
  like?: Temporal.PlainDate,
): Temporal.PlainDate | undefined {
  const { day, month = like?.month, year = like?.year } = partsOf(text, monthFirst);
  if (month === undefined || year === undefined) return undefined;
  try {
    return Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' });
  } catch {
    return undefined;
  }
}

function partsOf(text: string, monthFirst: boolean): Parts {
  const numbers = [...text.matchAll(/\d+/g)].map(([digits]) => digits);
  const month = months.get(plain(new RegExp(`(?!de\\b)${name}`, 'iu').exec(text)?.[0] ?? ''));
  const [first = '', second, third] = numbers;
  if (first.length === 4) return { year: Number(first), month: Number(second), day: Number(third) };
  if (month !== undefined) return { day: Number(first), month, year: yearOf(second) };
  const isName = /\p{L}/u.test(text.replace(/\bde\b/giu, ''));
  if (isName) return { day: Number.NaN };
  if (second === undefined) return { day: Number(first) };
  // The order depends on the country, unless only one is possible. Day first, only slashes leave that open: `25.13.` is a slip.
  const swaps = monthFirst
    ? Number(second) <= 31 && Number(first) <= 12
    : text.includes('/') && Number(second) > 12;
  const [day, number] = swaps ? [second, first] : [first, second];
  return { day: Number(day), month: Number(number), year: yearOf(third), swaps };
}

function yearOf(digits: string | undefined): number | undefined {
  if (digits === undefined) return undefined;
  return digits.length === 2 ? 2000 + Number(digits) : Number(digits);
}

function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\p{M}.]/gu, '')
    .toLowerCase();
}

/**
 * True for countries where the month is written before the day: `12/25/2026`. Asked in the country's own language, since
 * English where nobody speaks it is that of the USA; false for a country that CLDR does not know.
 */
export function isMonthFirst(country: string | null): boolean {
  if (country === null) return false;
  const { language } = new Intl.Locale(`und-${country}`).maximize();
  const known = [`${language}-${country}`, `en-${country}`]
    .map((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeZone: 'UTC' }))
    .find((format) => format.resolvedOptions().locale.endsWith(`-${country}`));
  const parts = known?.formatToParts(0) ?? [];
  const at = (type: string) => parts.findIndex((part) => part.type === type);
  return at('month') < at('day') && at('year') > at('day');
}
