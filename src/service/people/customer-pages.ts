import { z } from 'zod';
import { limits } from '../../shared/api/contract/decisions.ts';
import { normaliseNumber, spaced } from '../../shared/phone-number/normalise-number.ts';
import { newUid } from '../accounts/directory.ts';
import { backOf, callerAddress, segmentChip } from '../calls/call-cells.ts';
import { given } from '../kit/administration.ts';
import type { Budgets } from '../kit/budget.ts';
import { displayText, plainText } from '../kit/display-text.ts';
import { changeForm, choice, type FieldErrors, field, notice, readForm } from '../kit/form.ts';
import { mayDelete, type Page, type PageRequest, type Pages } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { searchWords } from '../kit/search-text.ts';
import { type Column, pager, table } from '../kit/table.ts';
import { line } from '../kit/text.ts';
import { type Html, html } from '../words/html.ts';
import { formError, type Words } from '../words/words.ts';
import {
  type Customer,
  type CustomerField,
  customerFields,
  eachText,
  shownFields,
  textFields,
  textNames,
} from './customer-fields.ts';
import type { CustomerCursor, CustomerStore, Segment } from './customer-store.ts';
import { numbersIn, refusalText, textSchemas } from './customers-csv.ts';

const PAGE = 50;

/** The numbers of a form, one per line, as typed. */
const numbers = z.string().transform((text, context) => {
  const { numbers, invalid } = numbersIn(text, /[\n,;|]/);
  if (invalid !== undefined)
    context.addIssue({ code: 'custom', params: { key: 'notANumber', value: plainText(invalid, 60) } });
  if (numbers.length > 100) context.addIssue({ code: 'custom', ...formError('manyNumbers') });
  return numbers;
});

const edited = z.object({
  reference: line('reference', { blank: true }).optional(),
  ...textSchemas,
  segment: z.string().optional(),
  numbers: numbers.optional(),
});

/** Customers: search by any part of a name, number or reference; add, change and remove one. */
export function customerPages(
  pages: Pages,
  {
    store: { customers },
    budgets,
  }: { readonly store: { readonly customers: CustomerStore }; readonly budgets: Budgets },
): void {
  pages.get('/customers', 'agent', async (request) => {
    const { account, user, query } = request;
    const [found, segments] = await Promise.all([
      budgets.searches(account.id, `user ${user.id}`, () =>
        customers.page({
          account: account.id,
          words: searchWords(query.get('q') ?? ''),
          segment: query.get('segment') || null,
          after: cursorOf(query.get('after')),
          limit: PAGE,
        }),
      ),
      customers.segments(account.id),
    ]);
    return listPage(request, found, segments);
  });

  const editPage = async (request: PageRequest, customer: Partial<Customer>, errors?: FieldErrors) =>
    formPage(request, customer, await customers.segments(request.account.id), errors);

  pages.get('/customers/new', 'agent', (request) =>
    editPage(request, { numbers: request.query.getAll('number') }),
  );
  pages.get('/customers/edit', 'agent', async (request) => {
    const customer = await customers.get(request.account.id, request.query.get('reference') ?? '');
    if (customer === undefined) throw noCustomer();
    return editPage(request, customer);
  });
  pages.post('/customers/save', 'agent', async (request) => {
    const { account, form } = request;
    const before = form.get('before') ?? '';
    // A field that the form does not name stays as it is.
    const again = async (errors: FieldErrors) =>
      editPage(
        request,
        {
          ...(before !== '' && (await customers.get(account.id, before))),
          reference: before || (form.get('reference') ?? ''),
          ...given(eachText((name) => form.get(name) ?? undefined)),
          ...(form.has('segment') && { segment: form.get('segment') }),
          ...(form.has('numbers') && { numbers: [form.get('numbers') ?? ''] }),
        },
        errors,
      );
    const { values, errors } = readForm(edited, request);
    if (errors) return again(errors);
    const { segment, numbers } = values;
    if (before === '' && values.name === undefined) return again({ name: request.words.formErrors.required });
    const reference = before || values.reference || newUid();
    const known = (await customers.get(account.id, reference)) !== undefined;
    if (before === '' && known) return again({ reference: request.words.customers.referenceTaken });
    if (before !== '' && !known) throw noCustomer();
    const [refusal] = await customers.put(account.id, [
      given({
        ...values,
        reference,
        segment: segment === '' ? null : segment,
        numbers: numbers && [...new Set(numbers.map((number) => normaliseNumber(number, account.country)))],
      }),
    ]);
    const refused = refusal?.reason === 'number-taken' ? 'numbers' : 'segment';
    if (refusal) return again({ [refused]: refusalText(refusal, request.words.customers) });
    return { redirect: `/customers/edit?${new URLSearchParams({ reference, done: '' })}` };
  });
  pages.post('/customers/remove', 'agent', async (request) => {
    const { account, form, audit } = request;
    if (!mayDelete(request)) throw new Refusal(403, ({ onlyAdministrators }) => onlyAdministrators);
    const reference = form.get('reference') ?? '';
    if (await customers.remove(account.id, reference)) await audit('removal', `customer ${reference}`);
    return { redirect: '/customers?removed' };
  });
}

const noCustomer = () => new Refusal(404, (errors) => errors.noCustomer);

const editLink = ({ reference }: Customer) => `/customers/edit?${new URLSearchParams({ reference })}`;

/** The cursor in the address of a next page. */
function cursorOf(value: string | null): CustomerCursor | null {
  const [reference, ...rest] = value?.split('\n') ?? [];
  return reference === undefined || rest.length === 0 ? null : { reference, text: rest.join('\n') };
}

function listPage(
  request: PageRequest,
  { customers, next }: Awaited<ReturnType<CustomerStore['page']>>,
  segments: readonly Segment[],
): Page {
  const { query, administrates, words } = request;
  const { common, customers: text } = words;
  const [q, segment] = [query.get('q') ?? '', query.get('segment') ?? ''];
  const searched = q !== '' || segment !== '';
  const address = (after: CustomerCursor) =>
    `/customers?${new URLSearchParams({ q, segment, after: `${after.reference}\n${after.text}` })}`;
  return {
    title: text.title,
    body: html`
      <h1>${text.title}</h1>
      ${query.has('removed') && notice(text.removed)}
      <div class="buttons above">
        <a class="button main" href="/customers/new">${text.add}</a>
        ${
          administrates &&
          html`<a class="button" href="/customers/segments">${words.segments.title}</a>
            <a class="button" href="/customers/import">${text.importCsv}</a>
            <a class="button" href="/customers/export">${text.exportCsv}</a>`
        }
      </div>
      <form class="row" role="search" action="/customers">
        ${field({ label: text.searchFor, name: 'q', value: q, type: 'search' })}
        ${choice({
          label: words.segments.segment,
          name: 'segment',
          value: segment,
          options: [['', common.all], ...segments.map(({ name }) => [name, plainText(name, 60)] as const)],
        })}
        <button type="submit">${common.search}</button>
      </form>
      ${table({
        caption: text.title,
        rows: customers,
        stacked: true,
        columns: shownFields.map((name): Column<Customer> => {
          const head = customerFields[name].label(words);
          const cell = (customer: Customer) => listCell(customer, name, text);
          return name === 'name' || name === 'numbers' ? { head, cell } : { head, cell, wide: true };
        }),
        empty: searched ? html`<p>${text.noMatch}</p>` : html`<p>${text.none}</p>`,
      })}
      ${pager(request.words.kit, {
        newer: query.has('after') ? `/customers?${new URLSearchParams({ q, segment })}` : undefined,
        older: next === null ? undefined : address(next),
        labels: [text.firstPage, text.nextPage],
      })}
    `,
  };
}

function listCell(customer: Customer, name: CustomerField, { andMore }: Words['customers']): Html {
  const { numbers } = customer;
  if (name === 'numbers')
    return [
      numbers
        .slice(0, 3)
        .map((number, index) => [index > 0 && ', ', html`<bdi class="tabular">${spaced(number)}</bdi>`]),
      numbers.length > 3 && andMore(numbers.length - 3),
    ];
  if (name === 'name') return html`<a href=${editLink(customer)}>${displayText(customer.name)}</a>`;
  if (name === 'segment') return segmentChip(customer.segment);
  return customer[name] && displayText(customer[name], 40);
}

function formPage(
  request: PageRequest,
  customer: Partial<Customer>,
  segments: readonly Segment[],
  errors?: FieldErrors,
): Page {
  const { token, query, form, words } = request;
  const { common, customers: text } = words;
  const savedReference = errors ? (form.get('before') ?? '') : (customer.reference ?? '');
  const title = savedReference === '' ? text.newCustomer : plainText(customer.name ?? '', 60);
  const { numbers = [] } = customer;
  return {
    title,
    ...(errors && { status: 422 }),
    body: html`
      <p><a href="/customers">← ${text.title}</a></p>
      <h1>${savedReference === '' ? title : displayText(customer.name ?? '')}</h1>
      ${query.has('done') && notice(text.saved)}
      <section class="card">
        ${changeForm(
          { action: '/customers/save', token, label: title },
          html`
            <input type="hidden" name="before" value=${savedReference} />
            ${textNames.map((name) =>
              field({
                label: textFields[name].label(words),
                name,
                value: customer[name] ?? '',
                errors,
                required: name === 'name',
                maxlength: limits.referenceLength,
                autofocus: name === 'name' && savedReference === '',
              }),
            )}
            ${choice({
              label: words.segments.segment,
              name: 'segment',
              value: customer.segment ?? '',
              errors,
              options: [
                ['', common.none],
                ...segments.map(
                  ({ name, priority }) =>
                    [name, words.segments.withPriority(plainText(name, 60), priority)] as const,
                ),
              ],
            })}
            <div class="field">
              <label for="f-numbers">${text.numbers}</label>
              <textarea id="f-numbers" name="numbers" rows="3" aria-describedby="h-numbers e-numbers" aria-invalid=${errors?.numbers ? 'true' : undefined}>${numbers.join('\n')}</textarea>
              <p class="hint" id="h-numbers">${text.numbersHint}</p>
              <p class="error" id="e-numbers">${errors?.numbers}</p>
            </div>
            ${
              savedReference === ''
                ? field({
                    label: text.reference,
                    name: 'reference',
                    value: customer.reference ?? '',
                    errors,
                    maxlength: limits.referenceLength,
                    hint: text.referenceHint,
                  })
                : html`<p class="quiet">${text.reference} ${displayText(savedReference, 80)}</p>`
            }
            <button type="submit" class="main">${common.save}</button>
          `,
        )}
        ${
          savedReference !== '' &&
          html`<p><a href=${`/calls?${new URLSearchParams({ customer: savedReference })}`}>${text.callsOf}</a></p>
            <p>${numbers.slice(0, 10).map((number) => html`<a href=${callerAddress(number, backOf(request))}>${words.caller.cardOf(spaced(number))}</a> `)}</p>
            ${
              mayDelete(request) &&
              html`<details>
              <summary>${common.remove}</summary>
              <p>${numbers.length > 0 ? text.removeHintNumber : text.removeHint}</p>
              ${changeForm(
                { action: '/customers/remove', token, inline: true },
                html`<input type="hidden" name="reference" value=${savedReference} /><button type="submit" class="danger">${text.removeButton}</button>`,
              )}
            </details>`
            }`
        }
      </section>
    `,
  };
}
