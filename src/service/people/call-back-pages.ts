import { z } from 'zod';
import { limits } from '../../shared/api/contract/decisions.ts';
import { spaced } from '../../shared/phone-number/normalise-number.ts';
import { extensionText } from '../accounts/extensions.ts';
import { backOf, callerAddress, customerLink, newCalls, segmentChip } from '../calls/call-cells.ts';
import { displayText } from '../kit/display-text.ts';
import { changeForm, hiddenFields } from '../kit/form.ts';
import type { PageRequest, Pages } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { type Column, pager, table } from '../kit/table.ts';
import { type Html, html } from '../words/html.ts';
import { type CallBack, type CallBackList, endOf, isDialable } from './call-backs.ts';
import type { CallerAction } from './caller-store.ts';

const PER_PAGE = 100;
/** A caller who is closed stays on the page this long. */
const CLOSED_MS = 24 * 3_600_000;

const change = z.object({
  number: z.string().max(limits.referenceLength).refine(isDialable),
  kind: z.enum(['taken', 'released', 'done', 'reopened', 'note']),
  text: z.string().trim().max(1000).default(''),
  from: z.enum(['bar', 'caller', 'list']).default('list'),
  back: z.string().default(''),
});

/** Missed callers who are to be called back: shared by all users of the account. */
export function callBackPages(pages: Pages, { callBackList }: { readonly callBackList: CallBackList }): void {
  pages.get('/call-back', 'agent', async (request) => {
    const text = request.words.callBack;
    const all = await callBackList.read(request.account.id);
    const open = all.filter(({ closed }) => closed === null);
    const { shown, ...links } = pageOf(open, beforeIn(request.query));
    const closed = all
      .filter((one) => (one.closed?.at ?? 0) > request.now - CLOSED_MS)
      .sort((a, b) => (b.closed?.at ?? 0) - (a.closed?.at ?? 0))
      .slice(0, PER_PAGE);
    return {
      title: text.title,
      scripts: ['live-parts.js'],
      body: html`
        <h1>${text.title}</h1>
        <div id="call-backs" data-live ...${newCalls(request)}>
          ${open.length > 0 && html`<p class="quiet">${text.count(open.length)}</p>`}
          ${openTable(shown, request)}
          ${pager(request.words.kit, links)}
          ${closed.length > 0 && html`<h2>${text.closedLately}</h2>${closedTable(closed, request)}`}
        </div>
      `,
    };
  });

  pages.post('/call-back', 'agent', async ({ form, user, account, now }) => {
    const read = change.safeParse(Object.fromEntries(form));
    if (!read.success) throw new Refusal(422, ({ notDialable }) => notDialable);
    const { number, kind, text, from, back } = read.data;
    const to =
      from === 'caller'
        ? callerAddress(number, back)
        : pageAddress(beforeIn(new URLSearchParams(back.split('?')[1])));
    if (kind === 'note' && text === '') return { redirect: to };
    await callBackList.act(account.id, {
      number,
      kind,
      user: user.name,
      at: now,
      text: kind === 'note' ? text : null,
    });
    return from === 'bar' ? 'done' : { redirect: to };
  });
}

/** The page of callers whose last attempts ended before this time, Unix ms; null: the newest. */
const pageAddress = (before: number | null) =>
  before === null ? '/call-back' : `/call-back?before=${before}`;

const beforeIn = (query: URLSearchParams): number | null => Number(query.get('before')) || null;

/** A page of the callers. It begins at a time, so that nobody moves to the page before when somebody there is closed. */
function pageOf(open: readonly CallBack[], before: number | null) {
  const from = before ?? Number.POSITIVE_INFINITY;
  const first = Math.max(
    0,
    open.findIndex((one) => endOf(one) < from),
  );
  const end = (at: number) => {
    const one = open[at];
    return one && endOf(one);
  };
  // Those of one moment are on one page.
  const last = end(first + PER_PAGE - 1);
  const shown = open.slice(first).filter((one) => last === undefined || endOf(one) >= last);
  const next = first + shown.length;
  return {
    shown,
    newer: first > 0 ? pageAddress(end(first - PER_PAGE - 1) ?? null) : undefined,
    older: last !== undefined && next < open.length ? pageAddress(last) : undefined,
  };
}

function openTable(open: readonly CallBack[], request: PageRequest): Html {
  const { formats, now } = request;
  const text = request.words.callBack;
  const columns: Column<CallBack>[] = [
    { head: text.caller, cell: (one) => callerCell(one, request) },
    {
      head: text.tried,
      cell: ({ call, times, since }) =>
        html`${formats.moment(call.startedAt, now)}${
          times > 1 && html` <span class="quiet">${text.timesSince(times, formats.moment(since, now))}</span>`
        }`,
    },
    {
      head: text.whoCalls,
      cell: ({ taken }) =>
        taken &&
        html`${displayText(taken.user, 40)} <span class="quiet">${formats.moment(taken.at, now)}</span>`,
    },
    { head: text.actions, cell: (one) => callBackButtons(one, request, 'list') },
  ];
  return table({
    caption: text.caption,
    columns,
    rows: open,
    key: ({ number }) => number,
    empty: html`<p>${text.nobody}</p>`,
    stacked: true,
  });
}

function closedTable(closed: readonly CallBack[], request: PageRequest): Html {
  const text = request.words.callBack;
  const columns: Column<CallBack>[] = [
    { head: text.caller, cell: (one) => callerCell(one, request) },
    { head: text.closed, cell: (one) => closedText(one, request) },
    { head: text.actions, cell: (one) => callBackButtons(one, request, 'list') },
  ];
  return table({ caption: text.closed, columns, rows: closed, empty: null, stacked: true });
}

/** Of a note: longer ones end in an ellipsis. */
const NOTE_LENGTH = 100;

function callerCell({ number, note, call }: CallBack, request: PageRequest): Html {
  const { customer, segment } = call;
  return html`
    ${customer && html`${customerLink(customer)} ${segmentChip(segment)}<br />`}
    ${dialLink(number)} <a href=${callerAddress(number, backOf(request))}>${request.words.callBack.details}</a>
    ${note && html`<br /><span class="quiet">${displayText(note.user, 40)}: ${displayText((note.text ?? '').replace(/\s+/g, ' '), NOTE_LENGTH)}</span>`}`;
}

/** A number that a press dials where the device can. */
export const dialLink = (number: string): Html => {
  const shown = html`<span class="number">${displayText(spaced(number), 40)}</span>`;
  return isDialable(number) ? html`<a href=${`tel:${number}`}>${shown}</a>` : shown;
};

/** How a caller was closed, or that they are to be called back. */
export function closedText(
  { closed, taken }: CallBack,
  { formats, extensions, now, words }: PageRequest,
): Html {
  const text = words.callBack;
  if (closed === null) return taken === null ? text.notYet : text.takenBy(displayText(taken.user, 40));
  const when = formats.moment(closed.at, now);
  if (closed.how === 'done') return text.doneBy(displayText(closed.user, 40), when);
  return text.reached(closed.by && displayText(extensionText(extensions, closed.by), 60), when);
}

/** The number, and the page to go back to, in a form. */
export const returnFields = (number: string, from: 'caller' | 'list', request: PageRequest): Html =>
  hiddenFields({ number, from, back: backOf(request) });

/** The buttons for a missed caller; `from` is the page to go back to. */
export function callBackButtons(
  { number, taken, closed }: CallBack,
  request: PageRequest,
  from: 'caller' | 'list',
): Html {
  const { token, user } = request;
  const text = request.words.callBack;
  const act = (kind: CallerAction['kind'], label: string) =>
    changeForm(
      { action: '/call-back', token, inline: true },
      html`${returnFields(number, from, request)}
        <button type="submit" name="kind" value=${kind}>${label}</button>`,
    );
  if (closed?.how === 'reached') return null;
  if (closed !== null) return act('reopened', text.undo);
  return html`${taken === null ? act('taken', text.take) : act('released', taken.user === user.name ? text.release : text.releaseOther)} ${act('done', text.done)}`;
}
