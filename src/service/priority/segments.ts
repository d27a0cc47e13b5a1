import { z } from 'zod';
import { accountLimits } from '../accounts/limits.ts';
import type { Pages, UserRequest } from '../accounts/user-request.ts';
import { name } from '../kit/administration.ts';
import { displayText } from '../kit/display-text.ts';
import { type FieldErrors, field, hiddenFields, readForm, refusedField } from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import { listPage, type RowForm } from '../kit/list-page.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import { numberedPage, table } from '../kit/table.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import { removeSegment, type SegmentStores, segmentUses, usesText } from '../people/segment-uses.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import { formError } from '../words/words.ts';

const segment = z.object({
  name,
  priority: z
    .string()
    .trim()
    .refine((text) => /^-?\d{1,6}$/.test(text), formError('wholeNumber'))
    .transform(Number),
});

const PER_PAGE = accountLimits.segments;

type Parts = { readonly store: SegmentStores };

/** Customer segments and their priorities. */
export function segmentPages(pages: Pages, parts: Parts): void {
  pages.get('/segments', 'administrator', (request) => segmentList(request, parts));
  pages.post('/segments', 'administrator', (request) => putSegment(request, parts));
  pages.post('/segments/remove', 'administrator', (request) => remove(request, parts), {
    turn: 'long',
  });
}

const about = (path: string, name: string, value: string) =>
  `${path}?${new URLSearchParams({ [name]: value })}`;

async function segmentList(request: UserRequest, { store }: Parts, errors?: FieldErrors): Promise<Page> {
  const { account, query, words, form } = request;
  const { customers } = store;
  const { common, segments: text } = words;
  const place = numberedPage(request, '/segments', 'page', PER_PAGE);
  const segments = await customers.segmentPage(account.id, PER_PAGE + 1, place.skipped);
  const chosen = form.get('name') ?? query.get('edit');
  const edited = chosen === null ? undefined : await customers.segment(account.id, chosen);
  const uses = edited && usesText(await segmentUses(store, account.id, edited.name), words);
  const priority = field({
    label: text.priority,
    name: 'priority',
    value: form.get('priority') ?? String(edited?.priority ?? ''),
    errors,
    required: true,
    maxlength: 7,
    hint: text.priorityHint,
    autofocus: edited !== undefined,
  });
  const name = field({
    label: common.name,
    name: 'name',
    value: form.get('name') ?? '',
    errors,
    required: true,
    maxlength: 80,
    autofocus: true,
  });
  return listPage(request, {
    path: '/segments',
    errors,
    add: () => [name, priority],
    edited: edited && segmentForm(request, edited.name, priority, uses),
    list: html`${segmentTable(request, segments.slice(0, PER_PAGE))}${place.links(segments.length > PER_PAGE)}`,
  });
}

const segmentForm = (
  { words: { segments: text } }: UserRequest,
  name: string,
  priority: Html,
  uses: string | undefined,
): RowForm => ({
  name: displayText(name, 80),
  label: plainText(name, 60),
  action: '/segments',
  fields: [hiddenFields({ name }), priority],
  remove: {
    action: `${about('/segments/remove', 'name', name)}${uses === undefined ? '' : '&force=true'}`,
    what: plainText(name, 40),
    hint: [text.removeHint, uses].filter(Boolean).join(' '),
  },
});

function segmentTable(
  { words, formats }: UserRequest,
  rows: Awaited<ReturnType<CustomerStore['segmentPage']>>,
): Html {
  const { segments: text } = words;
  return table({
    kind: 'ext',
    caption: words.settings.segments,
    rows,
    empty: html`${icon('tag')}${text.none}`,
    columns: [
      {
        head: words.calls.segment,
        name: true,
        cell: ({ name }) => html`<a href=${about('/segments', 'edit', name)}>${displayText(name, 80)}</a>`,
      },
      { head: text.priority, end: true, cell: ({ priority }) => priority },
      {
        head: words.layout.customers,
        end: true,
        cell: ({ name, size }) =>
          html`<a class="tel" href=${about('/customers', 'segment', name)}>${formats.number(size)}</a>`,
      },
    ],
  });
}

async function putSegment(request: UserRequest, parts: Parts): Promise<Answer> {
  const { values, errors } = readForm(segment, request);
  if (errors) return segmentList(request, parts, errors);
  const put = parts.store.customers.putSegment(request.account.id, values);
  const refused = await refusedField('name', request, put);
  if (refused) return segmentList(request, parts, refused);
  await request.audit('settings', `segment ${values.name}: priority ${values.priority}`);
  return { redirect: '/segments?done' };
}

/** `force`: the page has said what has chosen it. */
async function remove({ account, query, audit }: UserRequest, { store }: Parts): Promise<Answer> {
  const name = query.get('name') ?? '';
  if (await removeSegment(store, account.id, name, query.has('force')))
    await audit('removal', `segment ${name}`);
  return { redirect: '/segments?done' };
}
