import type { Statements, Value } from '../store/statements.ts';
import { answeredSql, missedSql, shortSql } from './call-meaning.ts';
import type { MissedPlace } from './call-record.ts';
import { updatedSql } from './call-rows.ts';

/** Which calls; null: any. Times are of the call's start: from `since` until before `until`, Unix ms. */
export type CallFilter = {
  /** As numbers are compared. */
  readonly number: { readonly is: string } | null;
  /** By reference. */
  readonly customer: { readonly is: string } | null;
  /** Answered at one of these. */
  readonly extensions: readonly string[] | null;
  readonly segment: string | null;
  readonly integration: number | null;
  readonly search: CallSearch | null;
  /** As it is kept (see CallExtras). */
  readonly numberCalled: string | null;
  /** Where a missed call ended. */
  readonly place: MissedPlace | null;
  /**
   * `open`: not over yet, answered or not; `answered` and `missed` as reports count them; `short`: missed within
   * SHORT_SECONDS.
   */
  readonly outcome: 'open' | 'answered' | 'missed' | 'short' | null;
  readonly since: number | null;
  readonly until: number | null;
  /** Changed then or later: such calls are in the order of their last change, not of their start. */
  readonly updatedSince: number | null;
};

/**
 * Matches a call if its number has the digits, if its customer's name has all of the words (none: names are not
 * searched; as `folded` makes them), or if one of the extensions answered it.
 */
type CallSearch = {
  readonly digits: string | null;
  readonly words: readonly string[];
  readonly extensions: readonly string[];
};

export type Condition = { readonly sql: string; readonly values: readonly Value[] };

export const sqlOf = (conditions: readonly Condition[]) => conditions.map(({ sql }) => sql).join(' AND ');
export const valuesOf = (conditions: readonly Condition[]) => conditions.flatMap(({ values }) => values);

/** An index to read in order, and its condition. */
export type Walk = Condition & { readonly index: string };

function searchCondition(
  { digits, words, extensions }: CallSearch,
  { contains, firstLine }: Statements,
): Condition {
  // The first line of a customer's search text is the name.
  const name = words.map(() => contains(firstLine("coalesce(k.search, '')"), '?')).join(' AND ');
  const any = [
    digits !== null && contains('c.number', '?'),
    name,
    // As one value, so that the statement's text does not depend on their number.
    extensions.length > 0 && contains('?', "'\n' || c.caller_id || '\n'"),
  ].filter(Boolean);
  return {
    sql: any.length === 0 ? '1 = 0' : `(${any.join(' OR ')})`,
    values: [
      ...(digits === null ? [] : [digits]),
      ...words,
      ...(extensions.length > 0 ? [`\n${extensions.join('\n')}\n`] : []),
    ],
  };
}

/** The indexes to read in order, by which time (`key`) of the calls, the range of these, and the conditions on each call (`rest`). */
export function callConditions(
  { number, customer, extensions, segment, integration, search, ...further }: CallFilter,
  numbers: readonly string[] | null,
  statements: Statements,
) {
  const { numberCalled, place, outcome, since, until, updatedSince } = further;
  /** Ways to find the calls by index, the first of which is taken; of the others only the condition is used. */
  const ways: { readonly walks: readonly Walk[]; readonly condition: Condition }[] = [];
  const rest: Condition[] = [];
  const walk = (index: string, sql: string, value: Value): Walk => ({ index, sql, values: [value] });
  const byNumber = (one: string) => walk('calls_by_number', 'c.number = ?', one);
  const byExtension = (one: string) => walk('calls_by_extension', 'c.caller_id = ?', one);
  const by = (one: Walk) => ways.push({ walks: [one], condition: one });
  const filter = (sql: string, ...values: Value[]) => rest.push({ sql, values });
  const either = (condition: Condition, walks: readonly Walk[] | undefined) =>
    walks ? ways.push({ walks, condition }) : rest.push(condition);

  if (number) by(byNumber(number.is));
  if (customer)
    either({ sql: "coalesce(k.reference, '') = ?", values: [customer.is] }, numbers?.map(byNumber));
  if (extensions?.length === 1) by(byExtension(extensions[0] as string));
  // The newest calls of several extensions are scattered across the index.
  else if (extensions !== null)
    rest.push(searchCondition({ digits: null, words: [], extensions }, statements));
  if (numberCalled !== null) by(walk('calls_by_number_called', 'c.number_called = ?', numberCalled));
  if (outcome === 'open') by({ index: 'calls_open', sql: "c.status <> 'completed'", values: [] });
  if (search)
    either(
      searchCondition(search, statements),
      customer || search.digits !== null
        ? undefined
        : numbers?.map(byNumber).concat(search.extensions.map(byExtension)),
    );
  if (segment !== null) filter("coalesce(s.name, '') = ?", segment);
  if (integration !== null) filter('c.integration_id = ?', integration);
  if (outcome === 'answered') filter(answeredSql('c'));
  if (outcome === 'missed' || outcome === 'short') filter(missedSql('c'));
  if (outcome === 'short') filter(shortSql('c'));
  if (place !== null) filter('c.missed_where = ?', place);

  const range: Condition[] = [];
  if (since !== null) range.push({ sql: 'c.started_at >= ?', values: [since] });
  if (until !== null) range.push({ sql: 'c.started_at < ?', values: [until] });
  if (updatedSince !== null)
    return {
      key: updatedSql,
      walks: [walk('calls_by_update', `${updatedSql} >= ?`, updatedSince)],
      range: [],
      rest: [...range, ...ways.map(({ condition }) => condition), ...rest],
    };
  const [first, ...others] = ways;
  return {
    key: 'c.started_at',
    walks: first?.walks ?? [{ index: 'calls_by_time', sql: '1 = 1', values: [] }],
    range,
    rest: [...others.map(({ condition }) => condition), ...rest],
  };
}
