import { spaced } from '../../shared/phone-number/normalise-number.ts';
import { type Pages, type SegmentRequest, type UserRequest, withSegments } from '../accounts/user-request.ts';
import { backOf, segmentChip } from '../calls/call-cells.ts';
import { displayText } from '../kit/display-text.ts';
import { notice } from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import type { Page } from '../kit/page-request.ts';
import { searchWords } from '../kit/search-text.ts';
import { type Column, pager, table } from '../kit/table.ts';
import { personAddress } from '../rules/person-address.ts';
import { type Html, html } from '../words/html.ts';
import type { CallerStore } from './caller-store.ts';
import { type Customer, customerFields, listedNumbers } from './customer-fields.ts';
import type { CustomerCursor } from './customer-list-store.ts';
import type { CustomerStore } from './customer-store.ts';
import { type Draft, newForm } from './person-form.ts';
import { segmentChoice } from './segment-choice.ts';

const PAGE = 50;
/** Numbers that a row shows. */
const NUMBERS = 2;

type Parts = {
  readonly store: { readonly customers: CustomerStore; readonly callers: CallerStore };
};

/** Customers: found by any part of a name, number or reference. */
export function customerPages(pages: Pages, { store: { customers, callers } }: Parts): void {
  pages.get('/customers', 'agent', async (request) => {
    const { account, query } = request;
    const found = await customers.page({
      account: account.id,
      words: searchWords(query.get('q') ?? '', account.country),
      segment: query.get('segment') || null,
      after: cursorOf(query.get('after')),
      limit: PAGE,
    });
    const numbers = found.customers.flatMap((customer) => customer.numbers);
    return listPage(await withSegments(request), found, await callers.lastCalls(account.id, numbers));
  });
  pages.get('/customers/new', 'agent', (request) =>
    newCustomerPage(request, {
      customer: {},
      numbers: request.query.getAll('number'),
      read: undefined,
    }),
  );
}

export async function newCustomerPage(asked: UserRequest, draft: Draft): Promise<Page> {
  const request = await withSegments(asked);
  const { layout, customers: text } = request.words;
  return {
    title: text.newCustomer,
    ...(draft.errors && { status: 422 }),
    body: html`
      <a class="back" href="/customers">${icon('chevron-left')}${layout.customers}</a>
      <h1>${text.newCustomer}</h1>
      ${newForm(draft, request)}
    `,
  };
}

/** The cursor in the address of a next page. */
function cursorOf(value: string | null): CustomerCursor | null {
  const [reference, ...rest] = value?.split('\n') ?? [];
  return reference === undefined || rest.length === 0 ? null : { reference, text: rest.join('\n') };
}

function listPage(
  request: SegmentRequest,
  { customers, next }: Awaited<ReturnType<CustomerStore['page']>>,
  lastCalls: ReadonlyMap<string, number>,
): Page {
  const { query, administrates, words } = request;
  const { common, customers: text } = words;
  const [q, segment] = [query.get('q') ?? '', query.get('segment') ?? ''];
  const address = (also: Record<string, string> = {}) =>
    `/customers?${new URLSearchParams({ ...(q && { q }), ...(segment && { segment }), ...also })}`;
  return {
    title: words.layout.customers,
    body: html`
      <div class="head"><h1>${words.layout.customers}</h1><div class="together">
        <a class="button primary" href="/customers/new">${icon('plus')}${common.add}</a>
        ${
          administrates &&
          html`<a class="button" href="/customers/import">${text.importCsv}</a>
            <a class="button" href="/customers/export">${icon('download')}${text.exportCsv}</a>
            <a class="button" href="/customers/phone-book">${words.phoneBook.title}</a>`
        }
      </div></div>
      ${query.has('removed') && notice(text.removed)}
      ${searchForm(q, segment, request)}
      ${table({
        kind: 'known',
        caption: words.layout.customers,
        columns: customerColumns(lastCalls, request),
        rows: customers,
        empty: q !== '' || segment !== '' ? text.noMatch : text.none,
      })}
      ${pager(words.kit, {
        newer: query.has('after') ? address() : undefined,
        older: next === null ? undefined : address({ after: `${next.reference}\n${next.text}` }),
      })}
    `,
  };
}

function searchForm(q: string, segment: string, request: SegmentRequest): Html {
  const { common, customers: text, layout } = request.words;
  return html`<form class="filters" role="search" action="/customers">
        <div class="search">${icon('search')}<input type="search" name="q" value=${q} aria-label=${text.searchFor} placeholder=${text.searchFor} /></div>
        ${segmentChoice(segment, layout.customers, request)}
        <button type="submit">${common.search}</button>
      </form>`;
}

function customerColumns(
  lastCalls: ReadonlyMap<string, number>,
  request: SegmentRequest,
): readonly Column<Customer>[] {
  const { words, formats, now } = request;
  const { common, customers: text } = words;
  const lastCall = ({ numbers }: Customer) =>
    Math.max(0, ...numbers.map((number) => lastCalls.get(number) ?? 0));
  return [
    {
      head: common.name,
      name: true,
      cell: (customer) =>
        html`<a href=${personAddress({ customer, number: '' }, backOf(request))}>${displayText(customer.name, 80)}</a>`,
    },
    {
      head: words.calls.segment,
      is: 'seg',
      cell: (customer) => segmentChip(customer.segment, request),
    },
    {
      head: customerFields.numbers.label(words),
      is: 'number quiet',
      cell: (customer) => {
        const numbers = listedNumbers(customer.numbers);
        return [
          html`<bdi class="digits">${numbers.slice(0, NUMBERS).map(spaced).join(', ')}</bdi>`,
          numbers.length > NUMBERS && text.andMore(numbers.length - NUMBERS),
        ];
      },
    },
    {
      head: text.lastCall,
      is: 'when quiet',
      end: true,
      cell: (customer) => lastCall(customer) > 0 && formats.day(lastCall(customer), now),
    },
  ];
}
