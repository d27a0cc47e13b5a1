import { z } from 'zod';
import type { UserRequest } from '../accounts/user-request.ts';
import { area, choice, choices, type FieldErrors, field, fold, readForm } from '../kit/form.ts';
import { type Html, html } from '../words/html.ts';
import { callEvents, formats, personEvents, type Webhook, webhookEvents } from './webhook.ts';
import { HIDDEN, headersIn } from './webhook-headers.ts';
import { checkedFilter, type GivenOptions, OptionRefused, refuseHeaders } from './webhook-options.ts';
import { type PresetName, presetNamed, presets } from './webhook-presets.ts';
import { maxTemplate } from './webhook-template.ts';

/** Characters of headers, and of a list of a filter, as they are typed. */
const MAX_LINES = 10_000;

/** What the form has in its fields. */
export type Draft = Pick<Webhook, 'url' | 'events'> &
  Readonly<Record<'format' | 'template' | 'headers' | 'called' | 'segments' | 'customers', string>>;

const lines = z.string().max(MAX_LINES).default('');
const unixLines = (text: string) => text.replaceAll('\r\n', '\n');
const linesIn = (text: string) =>
  text
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** The form of a webhook; `url`: an address that webhooks of this service may have, which a preview does without. */
export const webhookFields = (url: z.ZodType<string> = z.string().default('')) =>
  z.object({
    url,
    format: z.enum(['standard', ...formats]).default('standard'),
    template: z.string().transform(unixLines).pipe(z.string().max(maxTemplate)).default(''),
    headers: lines,
    called: lines,
    segments: lines,
    customers: lines,
  });

type Read = Pick<Webhook, 'url' | 'events'> & { readonly options: GivenOptions };

/** What the form of a webhook says, or its errors. */
export function readWebhook(
  request: UserRequest,
  fields: ReturnType<typeof webhookFields>,
): { values: Read; errors: null } | { values: null; errors: FieldErrors } {
  const { form, words } = request;
  const { values, errors } = readForm(fields, request);
  const events = webhookEvents.filter((event) => form.has(event));
  if (events.length === 0) return { values: null, errors: { ...errors, events: words.formErrors.choose } };
  if (errors) return { values: null, errors };
  const { url, format, template, headers, called, segments, customers } = values;
  try {
    const options: GivenOptions = {
      shape: format === 'standard' ? null : { format, template, language: words.language },
      headers: refuseHeaders(() => headersIn(headers)),
      filter: checkedFilter({
        called: linesIn(called),
        segments: linesIn(segments),
        customers: linesIn(customers),
      }),
    };
    return { values: { url, events, options }, errors: null };
  } catch (error) {
    return { values: null, errors: optionErrors(error, request) };
  }
}

/** The error of a field that is at fault; throws every other error. */
export function optionErrors(error: unknown, { words }: UserRequest): FieldErrors {
  if (!(error instanceof OptionRefused)) throw error;
  return { [error.field === 'filter' ? 'called' : error.field]: error.text(words) };
}

/** What is stored, as the form shows it; `names`: of the headers. */
export const draftOf = (
  { url, events, shape, filter }: Pick<Webhook, 'url' | 'events' | 'shape' | 'filter'>,
  names: readonly string[],
): Draft => ({
  url,
  events,
  format: shape?.format ?? 'standard',
  template: shape?.template ?? '',
  headers: names.map((name) => `${name}: ${HIDDEN}`).join('\n'),
  called: filter.called.join('\n'),
  segments: filter.segments.join('\n'),
  customers: filter.customers.join('\n'),
});

/** What was typed. */
const typedDraft = ({ form }: UserRequest): Draft => {
  const typed = (name: string) => form.get(name) ?? '';
  return {
    url: typed('url'),
    events: webhookEvents.filter((event) => form.has(event)),
    format: typed('format') || 'standard',
    template: typed('template'),
    headers: typed('headers'),
    called: typed('called'),
    segments: typed('segments'),
    customers: typed('customers'),
  };
};

/** A draft filled in for another program. */
function filledIn(draft: Draft, name: string | null): Draft {
  const preset = presetNamed(name);
  if (preset === undefined) return draft;
  const { events, format, template } = preset;
  return { ...draft, events, format, template };
}

type Shown = {
  /** What is stored, or that of a new webhook. */
  readonly stored: Draft;
  readonly errors?: FieldErrors | undefined;
  /** What a preview shows, of what was typed. */
  readonly preview?: { readonly isReal: boolean; readonly body: string } | undefined;
  /** Where the form is shown, and where a preview of it is made. */
  readonly at: { readonly form: string; readonly preview: string };
};

/** The fields of a webhook. A preset is a link that fills them in; a preview is sent like the form, and stores nothing. */
export function settingsFields(request: UserRequest, { stored, errors, preview, at }: Shown): Html {
  const { query, words } = request;
  const text = words.webhooks;
  const chosen = presetNamed(query.get('preset'));
  const draft = errors || preview ? typedDraft(request) : filledIn(stored, query.get('preset'));
  const events = (names: readonly (typeof webhookEvents)[number][]) =>
    names.map((event) => ({
      name: event,
      value: '1',
      text: text.names[event],
      checked: draft.events.includes(event),
    }));
  const isUsed = (...names: (keyof Draft)[]) =>
    names.some((name) => draft[name] !== '' || errors?.[name] !== undefined);
  const links = Object.entries(presets).map(
    ([name, preset]) =>
      html`<a class="button" href=${`${at.form}${at.form.includes('?') ? '&' : '?'}preset=${name as PresetName}#edit`}><bdi>${preset.name}</bdi></a>`,
  );
  return html`
    <nav class="together" aria-label=${text.presets}><span>${text.presets}</span>${links}</nav>
    ${field({ label: text.url, name: 'url', value: draft.url, errors, required: true, maxlength: 500, autocomplete: 'off', ...(chosen && { hint: chosen.url }) })}
    ${choices(text.groups.calls, events(callEvents), { error: errors?.events })}
    ${choices(text.groups.people, events(personEvents))}
    ${choice({ label: text.body, name: 'format', value: draft.format, options: (['standard', ...formats] as const).map((one) => [one, text.bodies[one]]), errors })}
    ${area({ label: text.template, name: 'template', value: draft.template, errors, rows: 4, maxlength: maxTemplate, hint: text.templateHint, code: true })}
    ${area({ label: text.headers, name: 'headers', value: draft.headers, errors, rows: 2, maxlength: MAX_LINES, hint: text.headersHint, code: true, secret: true })}
    <div class="across">${fold(
      text.filter,
      html`<div class="form wide-form">
        ${area({ label: text.called, name: 'called', value: draft.called, errors, rows: 2, maxlength: MAX_LINES, hint: text.calledHint })}
        ${area({ label: text.segments, name: 'segments', value: draft.segments, errors, rows: 2, maxlength: MAX_LINES, hint: text.oneALine })}
        ${area({ label: text.customers, name: 'customers', value: draft.customers, errors, rows: 2, maxlength: MAX_LINES, hint: text.oneALine })}
      </div>`,
      null,
      isUsed('called', 'segments', 'customers'),
    )}</div>
    <div class="across">
      <button type="submit" name="preview" value="1" formaction=${`${at.preview}#preview`} formnovalidate>${text.preview}</button>
      ${
        preview &&
        html`<div role="status" id="preview"><p id="preview-label">${preview.isReal ? text.realEvent : text.exampleEvent}</p>
          <pre tabindex="0" aria-labelledby="preview-label">${preview.body}</pre></div>`
      }
    </div>`;
}
