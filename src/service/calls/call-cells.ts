import { spaced } from '../../shared/phone-number/normalise-number.ts';
import { placeholderIn } from '../../shared/phone-number/number-text.ts';
import type { Extensions } from '../accounts/account.ts';
import { answererName, numberCalledText } from '../accounts/extensions.ts';
import type { SegmentRequest, UserRequest } from '../accounts/user-request.ts';
import { displayText } from '../kit/display-text.ts';
import { icon } from '../kit/icon.ts';
import { firstSegment, topPageOf } from '../kit/layout.ts';
import type { PageRequest } from '../kit/page-request.ts';
import { type Column, table } from '../kit/table.ts';
import { isDoubtful } from '../rules/doubtful.ts';
import { duration } from '../rules/duration.ts';
import { filled } from '../rules/filled.ts';
import { personAddress } from '../rules/person-address.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import { type CallRecord, FORGOTTEN, rangFor, talkedFor } from './call-record.ts';

/** A number that a telephone can dial, and no zeros or word in place of one. Callers without one cannot be called back. */
export const isDialable = (number: string) =>
  /^\+?\d{3,}$/.test(number) && placeholderIn(number) === undefined;

/** `Queue sales, caller hung up after 0:35`; '' if the bridge reports no end. */
export function endText({ extras: { missed } }: CallRecord, { calls: text }: Words): string {
  if (missed === null) return '';
  const { where, name, by, after } = missed;
  const place = [text.places[where ?? 'unknown'], name && plainText(name, 64)].filter(Boolean).join(' ');
  const end = [by && text.endedBy[by], after !== null && text.after(duration(after * 1000))];
  return [place, end.filter(Boolean).join(' ')].filter(Boolean).join(', ');
}

/** `101 0:15, Ben 0:20`: whose phones rang, and for how long; '' if nobody's did, or the bridge does not say it. */
export const rangText = ({ rang }: Pick<CallRecord, 'rang'>, extensions: Extensions): string =>
  (rang ?? []).map((one) => `${personName(extensions, one.by)} ${duration(one.for)}`).join(', ');

/** `Anna 0:20, then Ben 4:10`: who talked, one after the other or, with a comma alone, at the same time. */
export const talkedText = (
  { talked }: Pick<CallRecord, 'talked'>,
  extensions: Extensions,
  then: string,
): string =>
  (talked ?? [])
    .map(({ by, from, to }, nth, all) => {
      const long = to === undefined ? '' : ` ${duration(to - from)}`;
      const others = all.slice(0, nth).some((one) => (one.to ?? Number.POSITIVE_INFINITY) > from);
      const link = nth === 0 ? '' : others ? ', ' : then;
      return `${link}${personName(extensions, by)}${long}`;
    })
    .join('');

const personName = (extensions: Extensions, by: string) => plainText(answererName(extensions, by), 60);

/** `Ringing for 42 min?` */
const stillRinging = (
  { startedAt }: CallRecord,
  { now, words: { bar }, formats }: Pick<PageRequest, 'now' | 'words' | 'formats'>,
): string => filled(bar.stillRinging, { time: formats.span(now - startedAt) });

/** What a call is now, or became: its picture, and the word that says the same. */
export function stateOf(
  call: CallRecord,
  request: Pick<PageRequest, 'now' | 'words' | 'formats'>,
): { readonly picture: Html; readonly word: string; readonly live: 'ringing' | 'talking' | null } {
  const { status, missed } = call;
  const { calls: text } = request.words;
  if (missed) return { picture: icon('phone-missed', 'is-missed'), word: text.missed, live: null };
  if (status === 'completed')
    return { picture: icon('phone-incoming', 'quiet'), word: text.answered, live: null };
  if (isDoubtful(call, request.now))
    return { picture: icon('bell-ring', 'quiet'), word: stillRinging(call, request), live: null };
  return status === 'answered'
    ? { picture: icon('phone', 'is-talking'), word: text.onACall, live: 'talking' }
    : { picture: icon('bell-ring', 'is-ringing'), word: text.ringing, live: 'ringing' };
}

/** Who calls: a customer by reference, or a stranger by number. */
type Caller = Pick<CallRecord, 'customer' | 'number'>;

/** A person's name, or the number of a stranger, as a link to the person's page. */
export function personLink(caller: Caller, request: PageRequest): Html {
  const name = caller.customer
    ? displayText(caller.customer.name, 80)
    : html`<bdi class="digits">${plainText(spaced(caller.number), 40)}</bdi>`;
  return caller.number === FORGOTTEN && !caller.customer
    ? html`<b>${name}</b>`
    : html`<a href=${personAddress(caller, backOf(request))}>${name}</a>`;
}

/** Where a page that opens from here leads back to. */
export const backOf = ({ path, query }: PageRequest): string =>
  query.get('back') ?? (query.size > 0 ? `${path}?${query}` : path);

/** A link to the page that led here, if it is one of those at the top or under one. */
export function backLink({ query, words: { layout } }: PageRequest): Html {
  const back = query.get('back') ?? '';
  const top = topPageOf(back.split('?')[0] ?? '');
  return html`<a class="back" href=${top ? back : '/calls'}>${icon('chevron-left')}${layout[top?.label ?? 'calls']}</a>`;
}

export const callAddress = (id: string) => `/calls/details?${new URLSearchParams({ id })}`;

/** A segment as a word; the highest one stands out. */
export const segmentChip = (segment: string | null, { segments }: Pick<SegmentRequest, 'segments'>): Html =>
  segment !== null &&
  html`<span class=${segment === firstSegment(segments) ? 'chip first' : 'chip'}>${displayText(segment, 40)}</span>`;

/** A number that a press dials where the device can. `text`: what is shown instead. */
export function dialLink(number: string, text?: Html): Html {
  const shown = displayText(spaced(number), 40);
  return isDialable(number)
    ? html`<a class="tel" href=${`tel:${number}`} aria-label=${text && `${text} ${spaced(number)}`}>${icon('phone')}${text ?? shown}</a>`
    : shown;
}

/** What client/keep-live.ts says of calls that came. */
export const newCalls = ({ words: { kit } }: PageRequest) => ({
  'data-new-one': kit.newCall,
  'data-new-many': kit.newCalls,
});

/** Who answered a call, as its reader reads it: `You` for the reader. */
export function answeredBy({ callerId }: Pick<CallRecord, 'callerId'>, request: UserRequest): Html {
  const { extensions, user, words } = request;
  if (!callerId) return null;
  return extensions.get(callerId)?.user === user.id
    ? words.common.you
    : displayText(answererName(extensions, callerId), 60);
}

/** Calls as rows: the name opens the person. */
export function callTable(calls: readonly CallRecord[], request: SegmentRequest, filtered: boolean): Html {
  const { formats, now, words, moved } = request;
  const text = words.calls;
  return table({
    kind: 'calls',
    caption: words.layout.calls,
    columns: callColumns(request),
    rows: calls,
    key: ({ id }) => id,
    moved,
    rowClass: (call) => (stateOf(call, request).live === 'ringing' ? 'live' : undefined),
    day: ({ startedAt }) =>
      formats.day(startedAt, now) === formats.day(now, now) ? '' : formats.day(startedAt, now),
    heads: 'unseen',
    empty: filtered
      ? html`${text.noMatch} <a class="button" href="/calls">${words.common.clearFilter}</a>`
      : text.none,
  });
}

function callColumns(request: SegmentRequest): readonly Column<CallRecord>[] {
  const { formats, now, extensions, words } = request;
  const text = words.calls;
  return [
    { head: '', is: 'mark-cell', cell: (call) => stateOf(call, request).picture },
    { head: text.caller, name: true, cell: (call) => personLink(call, request) },
    { head: text.segment, is: 'seg', cell: ({ segment }) => segmentChip(segment, request) },
    {
      head: text.number,
      is: 'number quiet',
      cell: ({ customer, number }) =>
        customer && html`<bdi class="digits">${plainText(spaced(number), 40)}</bdi>`,
    },
    {
      head: text.answeredBy,
      is: 'by',
      cell: (call) =>
        html`${outcomeOf(call, request)}${
          call.extras.numberCalled !== null &&
          html` <span class="quiet">${text.calledFor(displayText(numberCalledText(extensions, call.extras.numberCalled), 60))}</span>`
        }`,
    },
    {
      head: text.duration,
      is: 'long digits',
      end: true,
      cell: (call) => {
        const since = call.answeredAt ?? call.startedAt;
        return stateOf(call, request).live === null
          ? duration(talkedFor(call) ?? rangFor(call))
          : html`<span data-since=${since}>${duration(now - since)}</span>`;
      },
    },
    {
      head: words.common.time,
      is: 'when',
      end: true,
      cell: ({ startedAt }) =>
        html`<time datetime=${new Date(startedAt).toISOString()} title=${formats.dateTime(startedAt)}>${formats.time(startedAt)}</time>`,
    },
  ];
}

/** Who answered, or how else a call ended, or what it is now. */
function outcomeOf(call: CallRecord, request: UserRequest): Html {
  const { word, live } = stateOf(call, request);
  const end = endText(call, request.words);
  if (live === 'talking') return html`${answeredBy(call, request)} <span class="quiet">${word}</span>`;
  return call.missed || live || call.callerId === null
    ? html`${word}${end && html` <span class="quiet">${end}</span>`}`
    : answeredBy(call, request);
}
