import { z } from 'zod';
import { answererName } from '../accounts/extensions.ts';
import { type Pages, type SegmentRequest, type UserRequest, withSegments } from '../accounts/user-request.ts';
import { dialLink, personLink, segmentChip } from '../calls/call-cells.ts';
import { displayText } from '../kit/display-text.ts';
import { pauseNow } from '../kit/event-loop-pauses.ts';
import { fold } from '../kit/form.ts';
import { type Icon, icon } from '../kit/icon.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { type Column, pager, table } from '../kit/table.ts';
import { MAX_NOTE_LENGTH } from '../rules/limits.ts';
import { plainText } from '../rules/plain-text.ts';
import { rankOf } from '../rules/waiting-order.ts';
import { type Html, html } from '../words/html.ts';
import { actForm, type Look, pageAfter, positionIn, subject } from './call-back-form.ts';
import type { CallBackList } from './call-back-list.ts';
import type { CallBack } from './call-backs.ts';
import type { CallerAction } from './caller-action-store.ts';
import { type ColleagueStore, colleaguesOf, giveLink } from './give-page.ts';

const PER_PAGE = 100;
/** People who are closed stay on pages this long. */
export const CLOSED_MS = 24 * 3_600_000;
/** Of a note: longer ones end in an ellipsis. */
const NOTE_LENGTH = 100;

const change = subject.extend({
  kind: z.enum(['taken', 'released', 'done', 'reopened', 'note']),
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
  const { query, now, account, words } = request;
  const title = words.layout.callBack;
  const { people: all, more } = await callBackList.readAll(account.id);
  const canGive = (await colleaguesOf(store, request)).length > 0;
  await pauseNow(); // all who have waited for one reading go on at once
  // Somebody whom one has just closed stays until the next visit.
  const listed = all.filter(({ closed, person }) => closed === null || person === query.get('at'));
  const { shown, ...links } = pageOf(listed, query);
  const closed = all
    .filter((one) => !shown.includes(one) && (one.closed?.at ?? 0) > now - CLOSED_MS)
    .sort((a, b) => (b.closed?.at ?? 0) - (a.closed?.at ?? 0))
    .slice(0, PER_PAGE);
  return {
    title,
    scripts: ['live'],
    body: html`
        <div class="head"><h1>${title}</h1></div>
        <div id="call-backs" data-live>
          ${openTable(shown, request, canGive)}
          ${pager(words.kit, links)}
          ${more && html`<p class="quiet">${words.callBack.onlyNewest}</p>`}
        </div>
        <div id="closed" class="closed" data-live>${closedFold(closed, request)}</div>
      `,
  };
}

async function act(
  { form, user, account, now }: UserRequest,
  { callBackList, store }: Parts,
): Promise<Answer> {
  const read = change.safeParse(Object.fromEntries(form));
  if (!read.success) throw new Refusal(422, ({ notDialable }) => notDialable);
  const { number, kind, text, from, to, taker } = read.data;
  const colleague = to === '' ? user : (await store.users.list(account.id)).find(({ uid }) => uid === to);
  if (colleague === undefined) throw new Refusal(409, ({ colleagueGone }) => colleagueGone);
  if (kind !== 'note' || text !== '') {
    const action = {
      number,
      kind,
      user: kind === 'taken' ? colleague.name : user.name,
      at: now,
      text: kind === 'note' ? text : null,
    };
    const refused = await callBackList.act(account.id, action, taker);
    if (refused !== undefined) throw takenMeanwhile(refused);
  }
  if (from === 'now') return 'done';
  return { redirect: pageAfter(read.data, kind) };
}

const takenMeanwhile = ({ taken }: CallBack) =>
  new Refusal(409, (errors) =>
    taken === null ? errors.changedMeanwhile : errors.takenMeanwhile(plainText(taken.user, 40)),
  );

const placeText = (one: CallBack) => `${one.call.priority ?? ''}.${one.since}`;

/** A page of the people. The next one begins after the place of its last row; those of one place are on one page. */
function pageOf(listed: readonly CallBack[], query: URLSearchParams) {
  const place = positionIn(query);
  const isAfter = (one: CallBack) =>
    place === null ||
    rankOf(one.call.priority) < place.priority ||
    (rankOf(one.call.priority) === place.priority && one.since > place.since);
  const rest = listed.filter(isAfter);
  const last = rest[PER_PAGE - 1];
  const text = last && placeText(last);
  const shown = rest.filter((one, index) => index < PER_PAGE || placeText(one) === text);
  const before = listed.length - rest.length;
  const previous = listed[before - PER_PAGE - 1];
  const address = (after: string) => `/call-back?${new URLSearchParams({ after })}`;
  return {
    shown,
    newer: before === 0 ? undefined : previous ? address(placeText(previous)) : '/call-back',
    older: rest.length > shown.length && text !== undefined ? address(text) : undefined,
  };
}

function openTable(rows: readonly CallBack[], request: SegmentRequest, canGive: boolean): Html {
  const { formats, now, user, words, moved } = request;
  const { callBack: text, calls } = words;
  const columns: Column<CallBack>[] = [
    {
      head: calls.caller,
      name: true,
      cell: ({ call, note, closed }) =>
        html`${personLink(call, request)}${
          note &&
          closed === null &&
          html`<span class="small quiet">${displayText((note.text ?? '').replace(/\s+/g, ' '), NOTE_LENGTH)}</span>`
        }`,
    },
    { head: calls.segment, is: 'seg', cell: ({ call }) => segmentChip(call.segment, request) },
    {
      head: calls.number,
      is: 'number',
      cell: ({ call, numbers: [number = ''] }) =>
        dialLink(number, call.customer === null ? words.person.call : undefined),
    },
    {
      head: calls.missed,
      is: 'often',
      cell: ({ times, since }) => {
        const when = formats.moment(since, now);
        return html`${icon('phone-missed', 'is-missed')}${times > 1 ? text.times(times, when) : when}`;
      },
    },
    {
      head: text.whoCalls,
      is: 'by',
      cell: ({ taken }) =>
        taken &&
        html`${taken.user === user.name ? html`<b>${words.common.you}</b>` : displayText(taken.user, 40)} <span class="quiet">${text.since(formats.moment(taken.at, now))}</span>`,
    },
    { head: '', is: 'act', end: true, cell: (one) => buttons(one, request, canGive) },
  ];
  const done = (one: CallBack): Column<CallBack>[] =>
    columns.flatMap((column) =>
      column.name || column.is === 'act'
        ? [column]
        : column.is === 'seg'
          ? [{ ...column, is: 'said', cell: () => closedText(one, request) }]
          : [],
    );
  return table({
    kind: 'back',
    caption: words.layout.callBack,
    columns,
    columnsOf: (one) => (one.closed === null ? columns : done(one)),
    rows,
    key: ({ person }) => person,
    moved,
    rowClass: ({ closed }) => (closed === null ? undefined : 'done'),
    empty: html`${icon('check')}${text.nobody}`,
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
        one.closed?.how === 'done' &&
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

/** How somebody was closed. */
export function closedText({ closed }: CallBack, { extensions, words: { callBack } }: UserRequest): Html {
  if (closed === null) return null;
  if (closed.how === 'done') return callBack.calledBack(displayText(closed.user, 40));
  return callBack.reached(closed.by && displayText(answererName(extensions, closed.by), 60));
}

/**
 * The actions for a missed person; after one, the focus is on what comes next. A person whom a colleague has taken can be
 * taken over. `canGive`: a person whom the user has taken can be given to a colleague.
 */
export function buttons(
  one: CallBack,
  request: UserRequest,
  canGive: boolean,
  is: 'row' | 'notice' = 'row',
): Html {
  const { query, user, words, path } = request;
  const text = words.callBack;
  const at = query.get('at');
  const focus =
    path === '/call-back' ? at === one.person : ['taken', 'released', 'done', 'reopened'].includes(at ?? '');
  const act = (kind: CallerAction['kind'], content: Html, look?: Look) =>
    actForm(one, request, content, kind, look);
  const iconOnly = (kind: CallerAction['kind'], name: Icon, label: string) =>
    act(kind, icon(name), { is: 'bare', label });
  if (one.closed?.how === 'reached') return null;
  if (one.closed !== null) return act('reopened', html`${icon('undo-2')}${text.undo}`, { focus });
  if (one.taken?.user === user.name)
    return html`${act('done', html`${icon('check')}${words.bar.done}`, { is: 'primary', focus })}${iconOnly('released', 'x', text.release)}${canGive && giveLink(one, request)}`;
  const take = act('taken', one.taken === null ? words.bar.take : words.bar.takeOver, {
    is: is === 'notice' ? 'primary' : 'soft',
    focus,
  });
  return html`${take}${is === 'notice' ? act('done', words.bar.done, { focus: false }) : iconOnly('done', 'check', words.bar.done)}`;
}
