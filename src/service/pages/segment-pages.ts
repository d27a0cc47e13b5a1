import { z } from 'zod';
import { name } from '../accounts/administration.ts';
import type { ServiceContext } from '../http/context.ts';
import type { Segment } from '../store/customer-store.ts';
import { displayText, plainText } from './kit/display-text.ts';
import { changeForm, type FieldErrors, field, notice, readForm } from './kit/form.ts';
import { html } from './kit/html.ts';
import type { Page, PageRequest, Pages } from './kit/page-request.ts';
import { table } from './kit/table.ts';
import { formError } from './words/words.ts';

const segment = z.object({
  name,
  priority: z
    .string()
    .trim()
    .refine((text) => /^-?\d{1,6}$/.test(text), formError('wholeNumber'))
    .transform(Number),
});

/** Customer segments and their priorities. */
export function segmentPages(pages: Pages, { store }: ServiceContext): void {
  const list = async (request: PageRequest, errors?: FieldErrors) =>
    listPage(request, await store.customers.segments(request.account.id), errors);
  pages.get('/customers/segments', 'administrator', (request) => list(request));
  pages.post('/customers/segments', 'administrator', async (request) => {
    const { values, errors } = readForm(segment, request);
    if (errors) return list(request, errors);
    await store.customers.putSegment(request.account.id, values);
    await request.audit('settings', `segment ${values.name}: priority ${values.priority}`);
    return { redirect: '/customers/segments?done' };
  });
  pages.post('/customers/segments/remove', 'administrator', async ({ account, form, audit }) => {
    const name = form.get('name') ?? '';
    if (await store.customers.removeSegment(account.id, name)) await audit('removal', `segment ${name}`);
    return { redirect: '/customers/segments?done' };
  });
}

function listPage(request: PageRequest, segments: readonly Segment[], errors?: FieldErrors): Page {
  const { token, query } = request;
  const form = errors ? request.form : new URLSearchParams();
  return {
    title: 'Segments',
    ...(errors && { status: 422 }),
    body: html`
      <p><a href="/customers">← Customers</a></p>
      <h1>Segments</h1>
      <p>Higher priority: shown first in the bar and answered first in queues that use the priority lookup.</p>
      ${query.has('done') && notice('Saved.')}
      ${table({
        caption: 'Segments, highest priority first',
        rows: segments,
        columns: [
          {
            head: 'Segment',
            cell: ({ name: of }) =>
              html`<a href=${`/customers?${new URLSearchParams({ segment: of })}`}>${displayText(of)}</a>`,
          },
          {
            head: 'Priority',
            cell: ({ name: of, priority }) =>
              changeForm(
                {
                  action: '/customers/segments',
                  token,
                  inline: true,
                  label: `Priority of ${plainText(of, 60)}`,
                },
                html`<span class="row-form">
                  <input type="hidden" name="name" value=${of} />
                  <input class="short" name="priority" value=${priority} inputmode="numeric" aria-label=${`Priority of ${plainText(of, 60)}`} />
                  <button type="submit">Save</button>
                </span>`,
              ),
          },
          {
            head: 'Remove',
            cell: ({ name: of }) => html`<details>
              <summary>Remove</summary>
              <p>Its customers are kept, without a segment.</p>
              ${changeForm(
                { action: '/customers/segments/remove', token, inline: true },
                html`<input type="hidden" name="name" value=${of} /><button type="submit" class="danger">Remove ${displayText(of, 40)}</button>`,
              )}
            </details>`,
          },
        ],
        empty: html`<p>No segments yet. Two are enough to start with, such as VIP (10) and Supplier (1).</p>`,
      })}
      <section class="card" aria-labelledby="add">
        <h2 id="add">Add segment</h2>
        ${changeForm(
          { action: '/customers/segments', token, label: 'Add segment' },
          html`
            ${field({ label: 'Name', name: 'name', value: form.get('name') ?? '', errors, required: true, maxlength: 80 })}
            ${field({ label: 'Priority', name: 'priority', value: form.get('priority') ?? '', errors, required: true, maxlength: 7, hint: 'A whole number. Higher is more important.' })}
            <button type="submit" class="main">Add</button>
          `,
        )}
      </section>
    `,
  };
}
