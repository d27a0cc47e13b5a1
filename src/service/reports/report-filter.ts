import { missedPlaces } from '../../shared/api/contract/call-extras.ts';
import { exportedNumber } from '../../shared/phone-number/normalise-number.ts';
import type { Extensions, Integration } from '../accounts/account.ts';
import { extensionsOf, extensionText, numberCalledText } from '../accounts/extensions.ts';
import type { UserRequest } from '../accounts/user-request.ts';
import { type GroupKind, OTHERS } from '../calls/aggregate.ts';
import { type HoursPart, openingHoursOf } from '../kit/opening-hours.ts';
import type { Segment } from '../people/segment-store.ts';
import type { Words } from '../words/words.ts';
import type { GroupFilter, Report } from './call-report.ts';

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
  return [...Map.groupBy(answered, (one) => personOf(extensions, one)).values()].map((own) =>
    personWith(own, extensions),
  );
}

/** The person of these extensions, which are those of one. */
export function personWith(own: readonly string[], extensions: Extensions): Person {
  const [first = ''] = own;
  const userName = extensions.get(first)?.userName;
  const name =
    own.length === 1 || !userName ? extensionText(extensions, first) : `${userName} (${own.join(', ')})`;
  return { name, extensions: own, search: own.join('|') };
}

/** Filters by person. `answered`: the extensions that answered in the period. */
export function peopleFilters(
  { extensions, words: { reports } }: UserRequest,
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
    label: reports.of(reports.person, name),
    groups: { kind: 'extensions', names: own },
    calls: { extension: search },
  }));
}

/** Names that only a report knows, since they are those of calls. */
type CalledNames = Pick<
  Record<GroupKind, readonly string[]>,
  'extensions' | 'numbersCalled' | 'places' | 'segments'
>;

/** Those in an address, `of=called:+4930901820`: the period may have no such call. */
export function namesIn(of: string | null): CalledNames {
  const [, kind, name = ''] = /^(\w+):(.*)$/s.exec(of ?? '') ?? [];
  return {
    extensions: kind === 'answered' ? name.split('|') : [],
    numbersCalled: kind === 'called' ? [name] : [],
    places: missedPlaces.filter((place) => kind === 'place' && place === name),
    segments: kind === 'segment' ? [name] : [],
  };
}

/** The same with those of a report. */
export function withNamesOf({ groups }: Pick<Report, 'groups'>, asked: CalledNames): CalledNames {
  const all = (kind: keyof CalledNames) =>
    [...new Set([...asked[kind], ...groups[kind].map(([name]) => name)])].filter((name) => name !== OTHERS);
  return {
    extensions: all('extensions'),
    numbersCalled: all('numbersCalled'),
    places: all('places').filter(Boolean), // some bridges do not report them
    segments: asked.segments,
  };
}

/** All filters of an account, once those names are known. */
export function filtersOf(
  request: UserRequest,
  segments: readonly Segment[],
  integrations: readonly Integration[],
  { extensions: answered, numbersCalled, places, segments: asked }: CalledNames,
): ReportFilter[] {
  const { account, extensions, words } = request;
  const { reports: text } = words;
  const ofGroup = (
    kind: GroupKind,
    name: string,
    of: string,
    label: string,
    calls: Record<string, string>,
  ): ReportFilter => ({ value: of, label, groups: { kind, names: [name] }, calls });
  return [
    ...peopleFilters(request, answered),
    ...numbersCalled.map((called) => {
      const label = text.of(words.calls.numberCalled, numberCalledText(extensions, called));
      return ofGroup('numbersCalled', called, `called:${called}`, label, {
        called: exportedNumber(called, account.country),
      });
    }),
    ...places.map((place) =>
      ofGroup('places', place, `place:${place}`, text.of(words.calls.place, placeText(words, place)), {
        place,
      }),
    ),
    ...(openingHoursOf(account) === null ? [] : (['in', 'out'] as const)).map((hours) => ({
      value: `hours:${hours}`,
      label: words.calls.inHours[hours],
      groups: null,
      hours,
      calls: { hours },
    })),
    ...[...new Set([...segments.map(({ name }) => name), ...asked])].map((name) =>
      ofGroup('segments', name, `segment:${name}`, text.of(words.calls.segment, name), { segment: name }),
    ),
    ...integrations.map(({ id, uid, name }) =>
      ofGroup('integrations', String(id), `integration:${uid}`, text.of(words.calls.integration, name), {
        integration: uid,
      }),
    ),
  ];
}

/** Where a missed call ended; '' if the bridge does not know. */
export const placeText = ({ calls }: Words, place: string): string =>
  calls.places[(place || 'unknown') as keyof typeof calls.places];
