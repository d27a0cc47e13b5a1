import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { PriorityResult } from '../../shared/api/contract/phone-number.ts';
import { routes } from '../../shared/api/contract/routes.ts';
import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import type { Sender } from '../accounts/directory.ts';
import type { Exchange } from '../history/exchange.ts';
import { name, type ZodInstance } from '../kit/administration.ts';
import { displayText, plainText } from '../kit/display-text.ts';
import { changeForm, type FieldErrors, field, notice, readForm } from '../kit/form.ts';
import type { Page, PageRequest, Pages } from '../kit/page-request.ts';
import { table } from '../kit/table.ts';
import type { CustomerStore, Segment } from '../people/customer-store.ts';
import { html } from '../words/html.ts';
import { formError } from '../words/words.ts';

type Parts = {
  readonly store: { readonly customers: CustomerStore };
  /** For metrics. */
  readonly meter: { readonly counts: { readonly lookups: Record<'found' | 'not_found', number> } };
};

/** Part 4.2: the priority of the segment of the customer with a number, and the customer's name. */
export function priorityRoutes(app: ZodInstance, exchange: Exchange, { store, meter }: Parts): void {
  async function lookUp(number: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { account } = request.sender as Sender;
    const known = await store.customers.priorityOf(account.id, normaliseNumber(number, account.country));
    meter.counts.lookups[known === undefined ? 'not_found' : 'found'] += 1;
    const { priority, segment, name } = known ?? { priority: null, segment: null, name: null };
    const result: PriorityResult = { priority, segment, name };
    return exchange.answer(request, reply, { status: 200, text: JSON.stringify(result) });
  }

  const { getPriority, postPriority } = routes;
  app.get(getPriority.path, { schema: getPriority.schema }, (request, reply) =>
    lookUp(request.query.number, request, reply),
  );
  app.post(postPriority.path, { schema: postPriority.schema }, (request, reply) =>
    lookUp(request.body.number, request, reply),
  );
}

const segment = z.object({
  name,
  priority: z
    .string()
    .trim()
    .refine((text) => /^-?\d{1,6}$/.test(text), formError('wholeNumber'))
    .transform(Number),
});

/** Customer segments and their priorities. */
export function segmentPages(
  pages: Pages,
  { store: { customers } }: { readonly store: { readonly customers: CustomerStore } },
): void {
  const list = async (request: PageRequest, errors?: FieldErrors) =>
    listPage(request, await customers.segments(request.account.id), errors);
  pages.get('/customers/segments', 'administrator', (request) => list(request));
  pages.post('/customers/segments', 'administrator', async (request) => {
    const { values, errors } = readForm(segment, request);
    if (errors) return list(request, errors);
    await customers.putSegment(request.account.id, values);
    await request.audit('settings', `segment ${values.name}: priority ${values.priority}`);
    return { redirect: '/customers/segments?done' };
  });
  pages.post('/customers/segments/remove', 'administrator', async ({ account, form, audit }) => {
    const name = form.get('name') ?? '';
    if (await customers.removeSegment(account.id, name)) await audit('removal', `segment ${name}`);
    return { redirect: '/customers/segments?done' };
  });
}

function listPage(request: PageRequest, segments: readonly Segment[], errors?: FieldErrors): Page {
  const { token, query, words } = request;
  const { common, segments: text } = words;
  const form = errors ? request.form : new URLSearchParams();
  return {
    title: text.title,
    ...(errors && { status: 422 }),
    body: html`
      <p><a href="/customers">← ${words.customers.title}</a></p>
      <h1>${text.title}</h1>
      <p>${text.hint}</p>
      ${query.has('done') && notice(common.saved)}
      ${table({
        caption: text.caption,
        rows: segments,
        columns: [
          {
            head: text.segment,
            cell: ({ name }) =>
              html`<a href=${`/customers?${new URLSearchParams({ segment: name })}`}>${displayText(name)}</a>`,
          },
          {
            head: text.priority,
            cell: ({ name, priority }) =>
              changeForm(
                {
                  action: '/customers/segments',
                  token,
                  inline: true,
                  label: text.priorityOf(plainText(name, 60)),
                },
                html`<span class="row-form">
                  <input type="hidden" name="name" value=${name} />
                  <input class="short" name="priority" value=${priority} inputmode="numeric" aria-label=${text.priorityOf(plainText(name, 60))} />
                  <button type="submit">${common.save}</button>
                </span>`,
              ),
          },
          {
            head: common.remove,
            cell: ({ name }) => html`<details>
              <summary>${common.remove}</summary>
              <p>${text.removeHint}</p>
              ${changeForm(
                { action: '/customers/segments/remove', token, inline: true },
                html`<input type="hidden" name="name" value=${name} /><button type="submit" class="danger">${text.removeOne(displayText(name, 40))}</button>`,
              )}
            </details>`,
          },
        ],
        empty: html`<p>${text.none}</p>`,
      })}
      <section class="card" aria-labelledby="add">
        <h2 id="add">${text.add}</h2>
        ${changeForm(
          { action: '/customers/segments', token, label: text.add },
          html`
            ${field({ label: common.name, name: 'name', value: form.get('name') ?? '', errors, required: true, maxlength: 80 })}
            ${field({ label: text.priority, name: 'priority', value: form.get('priority') ?? '', errors, required: true, maxlength: 7, hint: text.priorityHint })}
            <button type="submit" class="main">${common.add}</button>
          `,
        )}
      </section>
    `,
  };
}
