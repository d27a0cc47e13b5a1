import { z } from 'zod';
import { name } from '../accounts/administration.ts';
import type { ServiceContext } from '../http/context.ts';
import type { Segment } from '../store/customer-store.ts';
import { changeForm, type FieldErrors, field, notice, readForm } from './kit/form.ts';
import { html } from './kit/html.ts';
import { plain, shown } from './kit/shown.ts';
import { table } from './kit/table.ts';
import type { Page, Pages, Visit } from './kit/visit.ts';

const segment = z.object({
  name,
  priority: z
    .string()
    .trim()
    .regex(/^-?\d{1,6}$/, 'A whole number, such as 10.')
    .transform(Number),
});

/** Segments of customers, and how important each is. */
export function segmentPages(pages: Pages, { store }: ServiceContext): void {
  const list = async (visit: Visit, errors?: FieldErrors) =>
    listPage(visit, await store.customers.segments(visit.account.id), errors);
  pages.get('/customers/segments', 'administrator', (visit) => list(visit));
  pages.post('/customers/segments', 'administrator', async (visit) => {
    const { values, errors } = readForm(segment, visit.form);
    if (errors) return list(visit, errors);
    await store.customers.putSegment(visit.account.id, values);
    return { redirect: '/customers/segments?done' };
  });
  pages.post('/customers/segments/remove', 'administrator', async ({ account, form }) => {
    await store.customers.removeSegment(account.id, form.get('name') ?? '');
    return { redirect: '/customers/segments?done' };
  });
}

function listPage(visit: Visit, segments: readonly Segment[], errors?: FieldErrors): Page {
  const { token, query } = visit;
  const form = errors ? visit.form : new URLSearchParams();
  return {
    title: 'Segments',
    ...(errors && { status: 422 }),
    body: html`
      <p><a href="/customers">← Customers</a></p>
      <h1>Segments</h1>
      <p>A call of a more important segment stands further up on the notification bar, and a dialplan that asks for the priority lets it wait for less long. The larger number is the more important one.</p>
      ${query.has('done') && notice('Saved.')}
      ${table({
        caption: 'Segments, most important first',
        rows: segments,
        columns: [
          {
            head: 'Segment',
            cell: ({ name: of }) =>
              html`<a href=${`/customers?${new URLSearchParams({ segment: of })}`}>${shown(of)}</a>`,
          },
          {
            head: 'Priority',
            cell: ({ name: of, priority }) =>
              changeForm(
                { action: '/customers/segments', token, inline: true, label: `Priority of ${plain(of, 60)}` },
                html`<span class="row-form">
                  <input type="hidden" name="name" value=${of} />
                  <input class="short" name="priority" value=${priority} inputmode="numeric" aria-label=${`Priority of ${plain(of, 60)}`} />
                  <button type="submit">Save</button>
                </span>`,
              ),
          },
          {
            head: 'Remove',
            cell: ({ name: of }) => html`<details>
              <summary>Remove</summary>
              <p>Its customers stay, without a segment.</p>
              ${changeForm(
                { action: '/customers/segments/remove', token, inline: true },
                html`<input type="hidden" name="name" value=${of} /><button type="submit" class="danger">Remove ${shown(of, 40)}</button>`,
              )}
            </details>`,
          },
        ],
        empty: html`<p>There is none yet. Two are enough to begin with, such as VIP 10 and Supplier 1.</p>`,
      })}
      <section class="card" aria-labelledby="add">
        <h2 id="add">Add a segment</h2>
        ${changeForm(
          { action: '/customers/segments', token, label: 'Add a segment' },
          html`
            ${field({ label: 'Name', name: 'name', value: form.get('name') ?? '', errors, required: true, maxlength: 80 })}
            ${field({ label: 'Priority', name: 'priority', value: form.get('priority') ?? '', errors, required: true, maxlength: 7, hint: 'A whole number; the larger, the more important.' })}
            <button type="submit" class="main">Add</button>
          `,
        )}
      </section>
    `,
  };
}
