import type { z } from 'zod';
import { parseJson } from '../../shared/process/parse-json.ts';
import { plainText } from '../rules/plain-text.ts';
import { ChangeRefused } from '../store/change-refused.ts';
import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import { icon } from './icon.ts';
import { Refusal, refusalText } from './refusal.ts';

/** Error messages by field. */
export type FieldErrors = Readonly<Record<string, string>>;

/** The parsed values of a form, or the first error of each field, in the user's language (see formError). */
export function readForm<Schema extends z.ZodType>(
  schema: Schema,
  { form, words: { formErrors } }: { readonly form: URLSearchParams; readonly words: Words },
): { values: z.output<Schema>; errors: null } | { values: null; errors: FieldErrors } {
  const read = schema.safeParse(Object.fromEntries(form));
  if (read.success) return { values: read.data, errors: null };
  const errors: Record<string, string> = {};
  for (const issue of read.error.issues) errors[String(issue.path[0] ?? '')] ??= errorText(issue, formErrors);
  return { values: null, errors };
}

/** An error of a check in the user's language. */
export function errorText(issue: z.core.$ZodIssue, formErrors: Words['formErrors']): string {
  if (issue.code === 'too_big') return formErrors.tooLong(Number(issue.maximum));
  if (issue.code === 'too_small' || issue.code === 'invalid_type') return formErrors.required;
  const { key, value } = (issue.code === 'custom' && issue.params) || {};
  const text = formErrors[key as keyof typeof formErrors] ?? formErrors.invalid;
  return typeof text === 'string' ? text : text(value as never);
}

/** Why a change was refused, as an error of a field; undefined if it was made. */
export async function refusedField(
  name: string,
  { words }: { readonly words: Words },
  change: Promise<unknown>,
): Promise<FieldErrors | undefined> {
  try {
    await change;
    return undefined;
  } catch (error) {
    if (error instanceof ChangeRefused) return { [name]: error.text(words) };
    // What is not there has no field.
    if (error instanceof Refusal && error.statusCode !== 404) return { [name]: refusalText(error, words) };
    throw error;
  }
}

/** In a form of several fields, what it shows of them: `changedFields` tells from it what somebody has changed. */
export const asRead = (form: URLSearchParams, shown: Readonly<Record<string, string>>): Html =>
  html`<input type="hidden" name="read" value=${form.get('read') ?? JSON.stringify(shown)} />`;

/**
 * The fields that somebody has changed in a form with `asRead`: what a colleague has changed meanwhile stays. Without it, as
 * programs send a form, all that it has.
 * @param stored what the form would show now
 * @throws Refusal 409 if a colleague has changed one of these fields
 */
export function changedFields<Name extends string>(
  form: URLSearchParams,
  stored: Readonly<Record<Name, string>>,
): ReadonlySet<Name> {
  const read = parseJson(form.get('read') ?? '') as Readonly<Record<string, unknown>> | null | undefined;
  const names = (Object.keys(stored) as Name[]).filter(
    (name) => (form.get(name) ?? '') !== (read?.[name] ?? null),
  );
  const isTouched = (name: Name) => read && stored[name] !== read[name] && stored[name] !== form.get(name);
  if (names.some(isTouched)) throw new Refusal(409, ({ changedMeanwhile }) => changedMeanwhile);
  return new Set(names);
}

type FieldOptions = {
  readonly label: string;
  readonly name: string;
  /** Where a page has the field more than once. */
  readonly id?: string;
  readonly value?: string | undefined;
  readonly errors?: FieldErrors | null | undefined;
  readonly hint?: Html;
  readonly type?: 'text' | 'password' | 'number' | 'search' | 'date' | 'time' | 'datetime-local';
  readonly required?: boolean;
  readonly autocomplete?: string;
  /** The id of a datalist. */
  readonly list?: string;
  readonly maxlength?: number;
  readonly placeholder?: string;
  /** Of a time: seconds. */
  readonly step?: number;
  /** For the field that a page is opened for. */
  readonly autofocus?: boolean;
};

/** An input with its label, hint and error, connected for screen readers. */
export function field({ label, name, id = name, errors, hint, type = 'text', ...rest }: FieldOptions): Html {
  const error = errors?.[name];
  return html`<div>
    <label for=${`f-${id}`}>${label}</label>
    <input id=${`f-${id}`} name=${name} type=${type} ...${rest} ...${described(id, hint, error)} />
    ${hintAndError(id, hint, error)}
  </div>`;
}

/** The same for several lines. `secret`: is not kept in the browser if the session ends. */
export function area({
  label,
  name,
  value,
  errors,
  hint,
  rows,
  maxlength,
  code = false,
  secret = false,
}: Pick<FieldOptions, 'label' | 'name' | 'value' | 'errors' | 'hint' | 'maxlength'> & {
  readonly rows: number;
  readonly code?: boolean;
  readonly secret?: boolean;
}): Html {
  const error = errors?.[name];
  return html`<div class=${code && 'across'}>
    <label for=${`f-${name}`}>${label}</label>
    <textarea id=${`f-${name}`} name=${name} rows=${String(rows)} maxlength=${maxlength} spellcheck=${code ? 'false' : undefined} data-secret=${secret ? '' : undefined} ...${described(name, hint, error)}>${value ?? ''}</textarea>
    ${hintAndError(name, hint, error)}
  </div>`;
}

/** A select; `options` are value and label. */
export function choice({
  label,
  name,
  id = name,
  value,
  options,
  errors,
  hint,
  form,
}: Pick<FieldOptions, 'label' | 'name' | 'id' | 'value' | 'errors' | 'hint'> & {
  readonly options: readonly (readonly [value: string, label: string])[];
  /** The id of its form, if that is elsewhere in the page. */
  readonly form?: string;
}): Html {
  const error = errors?.[name];
  // What is chosen and not in the list is shown as it is.
  const isListed = !value || options.some(([option]) => option === value);
  const listed = isListed ? options : [...options, [value, plainText(value, 60)] as const];
  return html`<div>
    <label for=${`f-${id}`}>${label}</label>
    <select id=${`f-${id}`} name=${name} form=${form} ...${described(id, hint, error)}>
      ${listed.map(([option, text]) => html`<option value=${option} selected=${option === (value ?? '')}>${text}</option>`)}
    </select>
    ${hintAndError(id, hint, error)}
  </div>`;
}

/** Boxes to tick, or, with the type `radio`, one of several. */
export const choices = (
  label: string,
  options: readonly { name: string; value: string; text: Html; checked: boolean }[],
  { type = 'checkbox', error }: { type?: 'checkbox' | 'radio'; error?: string | undefined } = {},
): Html => html`<fieldset hidden=${options.length === 0}><legend class="label">${label}</legend>
  ${options.map(({ text, ...rest }) => html`<label class="choice"><input type=${type} ...${rest} /> ${text}</label>`)}
  ${error && html`<p class="wrong small is-missed">${error}</p>`}
</fieldset>`;

function described(name: string, hint: Html, error: string | undefined) {
  const ids = [hint && `h-${name}`, error && `e-${name}`].filter(Boolean).join(' ');
  return { ...(ids && { 'aria-describedby': ids }), ...(error && { 'aria-invalid': 'true' }) };
}

const hintAndError = (name: string, hint: Html, error: string | undefined) => html`
  ${hint && html`<p class="hint" id=${`h-${name}`}>${hint}</p>`}
  ${error && html`<p class="wrong small is-missed" id=${`e-${name}`}>${error}</p>`}`;

/**
 * A form that changes data, with the session's CSRF token. `refused`: in place (see client/send-forms.ts), in a row or in an
 * element with `data-place`; what is said if the service cannot be reached. `files`: it may send files, and long texts,
 * as they are. `id`: for buttons that stand elsewhere.
 */
export function changeForm(
  {
    action,
    token,
    label,
    is,
    refused,
    files,
    id,
  }: {
    action: string;
    token: string;
    label?: string;
    is?: string;
    refused?: string;
    files?: true;
    id?: string;
  },
  content: Html,
): Html {
  return html`<form id=${id} method="post" action=${action} enctype=${files && 'multipart/form-data'} class=${is} aria-label=${label} data-in-place=${refused === undefined ? undefined : ''} data-refused=${refused}>
    <input type="hidden" name="token" value=${token} />${content}
  </form>`;
}

/** What a form sends besides what one fills in. */
export const hiddenFields = (fields: Record<string, string>): Html =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`);

/** A form with only a button. */
export function button(
  { action, token, danger }: { action: string; token: string; danger?: true },
  label: Html,
): Html {
  return changeForm(
    { action, token },
    html`<button type="submit" class=${danger && 'danger'}>${label}</button>`,
  );
}

/** Switches on, or, after a hint, off: `at` gives the action. */
export function onOff(
  { enabled, at, token }: { enabled: boolean; at: (what: 'on' | 'off') => string; token: string },
  hint: Html,
  { common }: Pick<Words, 'common'>,
): Html {
  return enabled
    ? fold(
        common.switchOff,
        html`<p>${hint}</p>${button({ action: at('off'), token, danger: true }, common.switchOff)}`,
      )
    : button({ action: at('on'), token }, common.switchOn);
}

/** What is needed seldom, folded under its summary; `gist`: what is in it, in short. */
export const fold = (
  summary: Html,
  content: Html,
  gist: Html = null,
  open = false,
): Html => html`<details class="fold" open=${open}>
  <summary>${icon('chevron-down')}<b>${summary}</b>${gist && html`<span class="quiet">${gist}</span>`}</summary>
  ${content}
</details>`;

/** Two to four choices as links: one click, and it works without a script. */
export const oneOf = (
  label: string,
  choices: readonly { readonly text: string; readonly href: string; readonly chosen: boolean }[],
): Html => html`<nav class="one-of" aria-label=${label}>
  ${choices.map(({ text, href, chosen }) => html`<a href=${href} aria-current=${chosen ? 'true' : undefined}>${text}</a>`)}
</nav>`;

/** A message above a page's content. */
export const notice = (text: Html, kind: 'good' | 'bad' = 'good'): Html =>
  html`<div class="notice" role=${kind === 'good' ? 'status' : 'alert'}>${kind === 'good' ? icon('check', 'is-talking') : icon('x', 'is-missed')}<p>${text}</p></div>`;
