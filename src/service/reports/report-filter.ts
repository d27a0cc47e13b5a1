import type { ServiceDirectory } from '../accounts/directory.ts';
import { type Extensions, extensionsOf, extensionText, numberCalledText } from '../accounts/extensions.ts';
import { OTHERS } from '../calls/aggregate.ts';
import { type HoursPart, minutesIn } from '../kit/opening-hours.ts';
import type { PageRequest } from '../kit/page-request.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import type { Words } from '../words/words.ts';
import type { GroupFilter } from './call-report.ts';
import type { Period, Times } from './period.ts';

/** A choice of the calls to report. */
export type ReportFilter = {
  /** As in the address: `segment:VIP`. */
  readonly value: string;
  readonly label: string;
  /** Null: of all groups. */
  readonly groups: GroupFilter | null;
  /** In opening hours, or out of them. */
  readonly hours?: HoursPart;
  /** The same calls, as the call list's address has them. */
  readonly calls: Readonly<Record<string, string>>;
};

/** The times in an address, `start=09:00&end=11:00`: those of one day; null if they cannot be used. */
export function timesIn(query: URLSearchParams, { first, last }: Period): Times | null | undefined {
  const [start, end] = [minutesIn(query.get('start')), minutesIn(query.get('end'))];
  if (start === null && end === null) return undefined;
  const times: Times = [start ?? 0, end === 0 ? 1440 : (end ?? 1440)];
  return first.equals(last) && times[0] < times[1] ? times : null;
}

/** A person with the extensions that answered, or an extension without a user. */
export type Person = {
  readonly name: string;
  readonly extensions: readonly string[];
  /** The extensions by which the call list finds their calls. */
  readonly search: string;
};

/** The user of an extension, or the extension itself if it has no user. */
export const personOf = (extensions: Extensions, extension: string): number | string =>
  extensions.get(extension)?.user ?? extension;

/** Who answered, given the extensions that did. */
export function peopleOf(answered: readonly string[], extensions: Extensions): Person[] {
  return [...Map.groupBy(answered, (one) => personOf(extensions, one)).values()].map((own) => {
    const [first = ''] = own;
    const userName = extensions.get(first)?.userName;
    const name =
      own.length === 1 || !userName ? extensionText(extensions, first) : `${userName} (${own.join(', ')})`;
    return { name, extensions: own, search: own.join('|') };
  });
}

/** Filters by person. `answered`: the extensions that answered in the period. */
export function peopleFilters(
  { extensions, words: { reports } }: PageRequest,
  answered: readonly string[],
): ReportFilter[] {
  const named = answered.filter((extension) => extension !== '' && extension !== OTHERS);
  // All extensions of a person, so that the filter is the same in every period.
  const all = named.flatMap((one) => {
    const user = extensions.get(one)?.user ?? null;
    return user === null ? [one] : extensionsOf(extensions, user);
  });
  return peopleOf([...new Set(all)], extensions).map(({ name, extensions: own, search }) => ({
    value: `answered:${own.join('|')}`,
    label: reports.answeredBy(name),
    groups: { kind: 'extensions', names: own },
    calls: { extension: search },
  }));
}

/** Filters by opening hours, if the account has set them. */
export const hoursFilters = ({ account, words: { calls } }: PageRequest): ReportFilter[] =>
  account.openingHours === null
    ? []
    : (['in', 'out'] as const).map((hours) => ({
        value: `hours:${hours}`,
        label: calls.inHours[hours],
        groups: null,
        hours,
        calls: { hours },
      }));

/** Filters by data that only some bridges report: `numbers` that were called, and `places` where missed calls ended. */
export const extrasFilters = (
  { extensions, words }: PageRequest,
  numbers: readonly string[],
  places: readonly string[],
): ReportFilter[] => [
  ...numbers.map(
    (number): ReportFilter => ({
      value: `called:${number}`,
      label: words.reports.ofNumber(numberCalledText(extensions, number)),
      groups: { kind: 'numbersCalled', names: [number] },
      calls: { called: number },
    }),
  ),
  ...places.map(
    (place): ReportFilter => ({
      value: `place:${place}`,
      label: words.reports.ofPlace(placeText(words, place)),
      groups: { kind: 'places', names: [place] },
      calls: { place },
    }),
  ),
];

/** Where a missed call ended; '' if the bridge does not know. */
export const placeText = ({ calls }: Words, place: string): string =>
  calls.places[(place || 'unknown') as keyof typeof calls.places];

/** The other filters. */
export async function groupFilters(
  { account, words: { reports } }: PageRequest,
  {
    store,
    directory,
  }: {
    readonly store: { readonly customers: CustomerStore };
    readonly directory: ServiceDirectory;
  },
): Promise<ReportFilter[]> {
  const segments = await store.customers.segments(account.id);
  return [
    ...segments.map(
      ({ name }): ReportFilter => ({
        value: `segment:${name}`,
        label: reports.ofSegment(name),
        groups: { kind: 'segments', names: [name] },
        calls: { segment: name },
      }),
    ),
    ...directory.integrations(account.id).map(
      ({ id, uid, name }): ReportFilter => ({
        value: `integration:${uid}`,
        label: reports.ofIntegration(name),
        groups: { kind: 'integrations', names: [String(id)] },
        calls: { integration: uid },
      }),
    ),
  ];
}
