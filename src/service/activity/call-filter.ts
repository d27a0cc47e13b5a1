import { missedPlaces } from '../../shared/api/contract/call-extras.ts';
import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import { monotonicMs } from '../../shared/process/clock.ts';
import type { Extensions, Integration } from '../accounts/account.ts';
import { extensionName, extensionsOf } from '../accounts/extensions.ts';
import type { User } from '../accounts/user.ts';
import type { UserRequest } from '../accounts/user-request.ts';
import type { CallFilter } from '../calls/call-conditions.ts';
import { type CallStore, newestCalls } from '../calls/call-store.ts';
import { dateAt, dateIn, daysBetween } from '../kit/calendar.ts';
import { folded } from '../kit/folded.ts';
import { type HoursPart, type OpeningHours, openingHoursOf, partsOf } from '../kit/opening-hours.ts';
import { numberTerm, searchWords } from '../kit/search-text.ts';

/** The search in the address of the call list, as typed. */
export type CallQuery = {
  /** Of a name, number or extension. */
  readonly q: string;
  /** By reference. */
  readonly customer: string;
  /** Or several: `1001|1002`. */
  readonly extension: string;
  /** `1`: calls that the user answered. */
  readonly mine: '1' | '';
  readonly segment: string;
  /** By uid. */
  readonly integration: string;
  readonly called: string;
  readonly place: string;
  readonly hours: HoursPart | '';
  readonly outcome: CallFilter['outcome'];
  /** `2026-11-20`, or `2026-11-20T09:00`, in the account's time zone or with an offset (`+01:00`); '' for none. */
  readonly from: string;
  readonly to: string;
};

export const extensionsIn = (extension: string): string[] => extension.split('|');

/** A part of the address that cannot be parsed. */
type NotUnderstood = { readonly name: 'number' | 'outcome' | 'from' | 'to'; readonly text: string };

export const outcomes = ['', 'open', 'answered', 'missed', 'short'] as const;

const textIn = (query: URLSearchParams, name: string) => (query.get(name) ?? '').trim().slice(0, 255);

export function callQueryIn(query: URLSearchParams): CallQuery {
  const text = (name: string) => textIn(query, name);
  const outcome = outcomes.find((value) => value !== '' && value === query.get('outcome')) ?? null;
  return {
    q: text('q') || text('number'),
    customer: text('customer'),
    extension: text('extension'),
    mine: query.has('mine') ? '1' : '',
    segment: text('segment'),
    integration: text('integration'),
    called: text('called'),
    place: missedPlaces.find((place) => place === text('place')) ?? '',
    hours: (['in', 'out'] as const).find((part) => part === text('hours')) ?? '',
    outcome: outcome as CallFilter['outcome'],
    from: momentIn(text('from'), 0) === null ? '' : text('from'),
    to: momentIn(text('to'), 1) === null ? '' : text('to'),
  };
}

/** The parts of the address that are ignored, or searched for as something else. */
export function notUnderstoodIn(query: URLSearchParams): NotUnderstood[] {
  const text = (name: string) => textIn(query, name);
  const isOdd = {
    number: text('q') === '' && text('number') !== '' && !/\d/.test(text('number')),
    outcome: !outcomes.some((value) => value === text('outcome')),
    from: text('from') !== '' && momentIn(text('from'), 0) === null,
    to: text('to') !== '' && momentIn(text('to'), 1) === null,
  };
  return (['number', 'outcome', 'from', 'to'] as const)
    .filter((name) => isOdd[name])
    .map((name) => ({ name, text: text(name) }));
}

/** Parses a date, adding `days`, or a time of a date, whose offset is left out. */
function momentIn(text: string, days: number): Temporal.PlainDateTime | null {
  const [, day = '', time] = /^(\d{4}-\d\d-\d\d)(T[0-2]\d:[0-5]\d(?:[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  const date = dateIn(day);
  if (date === undefined) return null;
  if (time === undefined) return date.add({ days }).toPlainDateTime();
  try {
    return Temporal.PlainDateTime.from(text);
  } catch {
    return null;
  }
}

/** The address of a page with this query and further parameters. */
export function addressOf(
  path: string,
  callQuery: Partial<CallQuery>,
  also: Record<string, string> = {},
): string {
  const given = Object.entries({ ...callQuery, ...also }).filter(
    ([, value]) => value !== '' && value !== null,
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given as [string, string][])}`;
}

/** Of a request: who asks, and where. */
type Asked = Pick<UserRequest, 'account' | 'extensions' | 'formats'> & { readonly user: Pick<User, 'id'> };

/** Reads pages of calls, those in or out of opening hours alone if the query says so. */
export function pageOf(
  { hours }: Pick<CallQuery, 'hours'>,
  { account, formats: { timeZone } }: Pick<Asked, 'account' | 'formats'>,
  { calls }: { readonly calls: CallStore },
): CallStore['page'] {
  const open = openingHoursOf(account);
  return hours === '' || open === null ? calls.page : pageInHours(calls.page, open, hours, timeZone);
}

/**
 * The store's filter for a query. A search for a number that has called, in national or international format, is exact.
 * Any other text is searched in numbers, extensions and names. An extension that has answered calls matches exactly;
 * any other text is searched in the names of extensions.
 */
export async function filterOf(
  callQuery: CallQuery,
  { account, extensions, formats: { timeZone }, user }: Asked,
  { calls }: { readonly calls: CallStore },
  integrations: readonly Integration[],
): Promise<CallFilter> {
  const exists = async (filter: Partial<CallFilter>) =>
    (await newestCalls(calls, account.id, filter, 1)).length > 0;
  const answeredAt = async (one: string) =>
    (await exists({ extensions: [one] })) ? [one] : [one, ...extensionsNamed(extensions, one)];
  const at = (text: string, days: number) =>
    /:\d\d[+-]/.test(text)
      ? Temporal.Instant.from(text).epochMilliseconds
      : (momentIn(text, days)?.toZonedDateTime(timeZone).epochMilliseconds ?? null);

  const { q, customer, extension, mine, segment, integration, called, place, outcome, from, to } = callQuery;
  const term = numberTerm(q, account.country);
  const known = await Promise.all((term?.numbers ?? []).map((is) => exists({ number: { is } })));
  const whole = term?.numbers[known.indexOf(true)];
  return {
    number: whole === undefined ? null : { is: whole },
    search:
      whole !== undefined || q === ''
        ? null
        : {
            digits: term?.digits ?? null,
            words: searchWords(q, account.country),
            extensions: [q, ...extensionsNamed(extensions, q)],
          },
    customer: customer === '' ? null : { is: customer },
    extensions: mine
      ? extensionsOf(extensions, user.id)
      : extension === ''
        ? null
        : (await Promise.all(extensionsIn(extension).map(answeredAt))).flat(),
    segment: segment || null,
    integration: integration === '' ? null : (integrations.find(({ uid }) => uid === integration)?.id ?? 0),
    numberCalled: called === '' ? null : normaliseNumber(called, account.country) || called,
    place: missedPlaces.find((one) => one === place) ?? null,
    outcome,
    since: at(from, 0),
    until: at(to, 1),
    updatedSince: null,
  };
}

/** The extensions with this as a part of their name, whatever its case and accents. */
function extensionsNamed(extensions: Extensions, part: string): string[] {
  const text = folded(part);
  return [...extensions.keys()].filter((extension) =>
    folded(extensionName(extensions, extension) ?? '').includes(text),
  );
}

/** Time limit of one page, ms; then it says how far it searched. */
const TIME_LIMIT_MS = 400;

/** `page` for the calls that began in opening hours, or out of them: part by part of each day that has calls. */
function pageInHours(
  page: CallStore['page'],
  hours: OpeningHours,
  part: HoursPart,
  timeZone: string,
): CallStore['page'] {
  return async ({ account, filter, towards, from, limit }) => {
    const older = towards === 'older';
    const began = monotonicMs();
    const calls: Awaited<ReturnType<CallStore['page']>>['calls'] = [];
    let back = from;
    let next = from;
    do {
      // Where the next calls are: days without any are not looked at.
      const ahead = await page({ account, filter, towards, from: next, limit: 1 });
      const [call] = ahead.calls;
      if (call === undefined) {
        next = ahead.next;
        continue;
      }
      const date = dateAt(call.startedAt, timeZone);
      const [day] = daysBetween(date, date, timeZone);
      if (day === undefined) break;
      const parts = partsOf(day, hours, part, timeZone);
      for (const { since, until } of older ? parts.reverse() : parts) {
        const within = {
          ...filter,
          since: Math.max(since, filter.since ?? since),
          until: Math.min(until, filter.until ?? until),
        };
        const found = await page({
          account,
          filter: within,
          towards,
          from: next,
          limit: limit - calls.length,
        });
        if (calls.length === 0 && found.calls.length > 0) back = found.back ?? back;
        if (older) calls.push(...found.calls);
        else calls.unshift(...found.calls);
        // Where the part goes on, or where it ends.
        next = found.next ?? (older ? { at: since, id: 0 } : { at: until - 1, id: Number.MAX_SAFE_INTEGER });
        if (found.next !== null || calls.length >= limit) return { calls, next, back };
      }
      next = older ? { at: day.since, id: 0 } : { at: day.until - 1, id: Number.MAX_SAFE_INTEGER };
    } while (next !== null && monotonicMs() - began < TIME_LIMIT_MS);
    return { calls, next, back };
  };
}
