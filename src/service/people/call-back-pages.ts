import { z } from 'zod';
import { type Pages, type SegmentRequest, type UserRequest, withSegments } from '../accounts/user-request.ts';
import { dialLink, personLink, segmentChip } from '../calls/call-cells.ts';
import { displayText } from '../kit/display-text.ts';
import { pauseNow } from '../kit/event-loop-pauses.ts';
import { fold, oneOf } from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import { openingHoursOf } from '../kit/opening-hours.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { type Column, pager, table } from '../kit/table.ts';
import { MAX_NOTE_LENGTH } from '../rules/limits.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import { buttons, canUndo } from './call-back-buttons.ts';
import { type CallBackFilter, filterFields, filterIn, matcherOf, whichPeople } from './call-back-filter.ts';
import { actForm, pageAfter, positionIn, positionText, subject } from './call-back-form.ts';
import type { CallBackList } from './call-back-list.ts';
import { closedText, dueText, takenText, triedText, waitOf } from './call-back-texts.ts';
import { type CallBack, orderFor, rankFor } from './call-backs.ts';
import { type ColleagueStore, colleaguesOf } from './give-page.ts';
import { nextTry, whens } from './next-try.ts';
import { segmentChoice } from './segment-choice.ts';

const PER_PAGE = 100;
/** People who are closed stay on pages this long. */
export const CLOSED_MS = 24 * 3_600_000;
/** Of a note: longer ones end in an ellipsis. */
const NOTE_LENGTH = 100;

const change = subject.extend({
  kind: z.enum(['taken', 'released', 'done', 'reopened', 'note', 'tried', 'remind']),
  /** Of `tried` and `remind`: when next. */
  when: z.enum(whens).optional(),
  time: z.string().max(16).default(''),
  text: z.string().trim().max(MAX_NOTE_LENGTH).default(''),
  /** Of `taken`: the uid of a colleague who is to call back. */
  to: z.string().max(64).default(''),
});

type Parts = { readonly callBackList: CallBackList; readonly store: ColleagueStore };

/** Missed people who are to be called back: shared by all users of the account. */
export function callBackPages(pages: Pages, parts: Parts): void {
  pages.get('/call-back', 'agent', async (request) => listPage(await withSegments(request), parts));
  pages.post('/call-back', 'agent', (request) => act(request, parts));
}

async function listPage(request: SegmentRequest, { callBackList, store }: Parts): Promise<Page> {
  const { query, now, account, user, words } = request;
  const title = words.layout.callBack;
  const { people: all, more } = await callBackList.readAll(account.id);
  const canGive = (await colleaguesOf(store, request)).length > 0;
  await pauseNow(); // all who have waited for one reading go on at once
  const filter = filterIn(query);
  const isListed = matcherOf(filter, request);
  const open = all.filter(({ closed }) => closed === null);
  // Somebody about whom one has just done something stays until the next visit.
  const listed = all
    .filter((one) => (one.closed === null && isListed(one)) || one.person === query.get('at'))
    .sort(orderFor(user.name, now));
  const { shown, ...links } = pageOf(listed, request, filter);
  const closed = all
    .filter((one) => !shown.includes(one) && (one.closed?.at ?? 0) > now - CLOSED_MS)
    .sort((a, b) => (b.closed?.at ?? 0) - (a.closed?.at ?? 0))
    .slice(0, PER_PAGE);
  return {
    title,
    scripts: ['live'],
    body: html`
        <div class="head"><h1>${title}</h1></div>
        ${open.length > 0 && filterForm(filter, open, request)}
        <div id="call-backs" data-live>
          ${openTable(shown, request, canGive, Object.keys(filterFields(filter)).length > 0 && open.length > 0)}
          ${pager(words.kit, links)}
          ${more && html`<p class="quiet">${words.callBack.onlyNewest}</p>`}
        </div>
        <div id="closed" class="closed" data-live>${closedFold(closed, request)}</div>
      `,
  };
}

/** Name, number or note; all, mine or free, with how many there are; a segment. */
function filterForm(filter: CallBackFilter, open: readonly CallBack[], request: SegmentRequest): Html {
  const { words, formats } = request;
  const { callBack: text, common } = words;
  const { q, which, segment } = filter;
  const choice = (name: CallBackFilter['which'], label: string) => {
    const other = { ...filter, which: name };
    const count = open.filter(matcherOf(other, request)).length;
    return {
      text: `${label} ${formats.number(count)}`,
      href: addressOf(filterFields(other)),
      chosen: which === name,
    };
  };
  const labels = { mine: words.calls.mine, free: text.free };
  return html`<form class="filters" role="search" action="/call-back" aria-label=${words.layout.callBack}>
    <div class="search">${icon('search')}<input type="search" name="q" value=${q} maxlength="255" aria-label=${text.searchFor} placeholder=${text.searchFor} /></div>
    ${which !== '' && html`<input type="hidden" name="which" value=${which} />`}
    <div id="which" data-live>${oneOf(text.which, [choice('', common.all), ...whichPeople.map((one) => choice(one, labels[one]))])}</div>
    ${segmentChoice(segment, words.calls.segment, request)}
    <button type="submit">${common.search}</button>
  </form>`;
}

const addressOf = (fields: Record<string, string>): string =>
  Object.keys(fields).length === 0 ? '/call-back' : `/call-back?${new URLSearchParams(fields)}`;

async function act(
  { form, user, account, now, formats }: UserRequest,
  { callBackList, store }: Parts,
): Promise<Answer> {
  // A button says when, too: `remind 15`.
  const [asked, when] = (form.get('kind') ?? '').split(' ');
  const read = change.safeParse({ ...Object.fromEntries(form), kind: asked, when });
  if (!read.success) throw new Refusal(422, ({ notDialable }) => notDialable);
  const { number, kind, text, from, to, taker, time } = read.data;
  const due = dueOf(read.data.when, time, kind, now, {
    timeZone: formats.timeZone,
    hours: openingHoursOf(account),
  });
  const colleague = to === '' ? user : (await store.users.list(account.id)).find(({ uid }) => uid === to);
  if (colleague === undefined) throw new Refusal(409, ({ colleagueGone }) => colleagueGone);
  if (kind !== 'note' || text !== '') {
    const action = {
      number,
      kind,
      user: kind === 'taken' ? colleague.name : user.name,
      at: now,
      text: kind === 'note' ? text : null,
      ...(due !== undefined && { due }),
    };
    const refused = await callBackList.act(account.id, action, taker);
    if (refused !== undefined) throw takenMeanwhile(refused);
  }
  if (from === 'now') return 'done';
  return { redirect: pageAfter(read.data, kind) };
}

/** When a person is called next; undefined for what has no such time. */
function dueOf(
  when: (typeof whens)[number] | undefined,
  time: string,
  kind: string,
  now: number,
  office: Parameters<typeof nextTry>[3],
): number | undefined {
  if (kind !== 'tried' && kind !== 'remind') return undefined;
  const due = nextTry(when ?? 'time', time, now, office);
  if (due === null) throw new Refusal(422, ({ noTime }) => noTime);
  return due;
}

const takenMeanwhile = ({ taken }: CallBack) =>
  new Refusal(409, (errors) =>
    taken === null ? errors.changedMeanwhile : errors.takenMeanwhile(plainText(taken.user, 40)),
  );

/** A page of the people. The next one begins after the place of its last row; those of one place are on one page. */
function pageOf(listed: readonly CallBack[], { query, user, now }: UserRequest, filter: CallBackFilter) {
  const rank = (one: CallBack) => rankFor(one, user.name, now);
  const placeText = (one: CallBack) => positionText(rank(one), one.since);
  const place = positionIn(query);
  const isAfter = (one: CallBack) =>
    place === null || rank(one) < place.priority || (rank(one) === place.priority && one.since > place.since);
  const rest = listed.filter(isAfter);
  const last = rest[PER_PAGE - 1];
  const text = last && placeText(last);
  const shown = rest.filter((one, index) => index < PER_PAGE || placeText(one) === text);
  const before = listed.length - rest.length;
  const previous = listed[before - PER_PAGE - 1];
  const fields = filterFields(filter);
  const address = (after: string) => addressOf({ ...fields, after });
  return {
    shown,
    newer: before === 0 ? undefined : previous ? address(placeText(previous)) : addressOf(fields),
    older: rest.length > shown.length && text !== undefined ? address(text) : undefined,
  };
}

function openTable(
  rows: readonly CallBack[],
  request: SegmentRequest,
  canGive: boolean,
  isFiltered: boolean,
): Html {
  const { words, moved } = request;
  const { callBack: text, calls } = words;
  const columns: Column<CallBack>[] = [
    { head: text.waits, is: 'often', cell: (one) => waitOf(one, request) },
    {
      head: calls.caller,
      name: true,
      cell: ({ call, note, closed }) =>
        html`${personLink(call, request)}${segmentChip(call.segment, request)}${
          note &&
          closed === null &&
          html`<span class="small quiet">${displayText((note.text ?? '').replace(/\s+/g, ' '), NOTE_LENGTH)}</span>`
        }`,
    },
    {
      head: text.whoCalls,
      is: 'by',
      cell: (one) =>
        html`${takenText(one, request)}${[dueText(one, request), triedText(one, request)].map((line) => line && html`<span class="small quiet">${line}</span>`)}`,
    },
    {
      head: calls.number,
      is: 'number',
      cell: ({ call, numbers: [number = ''] }) =>
        dialLink(number, call.customer === null ? words.person.call : undefined),
    },
    { head: '', is: 'act', end: true, cell: (one) => buttons(one, request, canGive) },
  ];
  const done = (one: CallBack): Column<CallBack>[] =>
    columns.flatMap((column) =>
      column.name || column.is === 'act'
        ? [column]
        : column.is === 'by'
          ? [{ ...column, is: 'said', cell: () => closedText(one, request) }]
          : [],
    );
  return table({
    kind: 'back',
    caption: words.layout.callBack,
    columns,
    heads: 'unseen',
    columnsOf: (one) => (one.closed === null ? columns : done(one)),
    rows,
    key: ({ person }) => person,
    moved,
    rowClass: ({ closed }) => (closed === null ? undefined : 'done'),
    empty: isFiltered
      ? html`${text.noMatch} <a class="button" href="/call-back">${words.common.clearFilter}</a>`
      : html`${icon('check')}${text.nobody}`,
  });
}

function closedFold(closed: readonly CallBack[], request: SegmentRequest): Html {
  const { formats, now, words } = request;
  const { callBack: text, calls } = words;
  const columns: Column<CallBack>[] = [
    { head: calls.caller, name: true, cell: ({ call }) => personLink(call, request) },
    { head: calls.segment, is: 'seg', cell: ({ call }) => segmentChip(call.segment, request) },
    { head: text.whoCalls, is: 'by', cell: (one) => closedText(one, request) },
    {
      head: words.common.time,
      is: 'when',
      end: true,
      cell: (one) => one.closed && formats.moment(one.closed.at, now),
    },
    {
      head: '',
      is: 'act',
      end: true,
      cell: (one) =>
        canUndo(one) &&
        actForm(one, request, html`${icon('undo-2')}${text.undo}`, 'reopened', { is: 'bare' }),
    },
  ];
  return (
    closed.length > 0 &&
    fold(
      text.closed,
      table({ kind: 'gone', caption: text.closed, columns, rows: closed, heads: 'unseen', empty: null }),
      closed.length,
    )
  );
}
