import type { z } from 'zod';
import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';

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

type FieldOptions = {
  readonly label: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly errors?: FieldErrors | null | undefined;
  readonly hint?: Html;
  readonly type?: 'text' | 'password' | 'number' | 'search' | 'date' | 'time' | 'datetime-local';
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly maxlength?: number;
  /** Of a time: seconds. */
  readonly step?: number;
  /** For the field that a page is opened for. */
  readonly autofocus?: boolean;
};

/** An input with its label, hint and error, connected for screen readers. */
export function field({ label, name, errors, hint, type = 'text', ...rest }: FieldOptions): Html {
  const error = errors?.[name];
  return html`<div class="field">
    <label for=${`f-${name}`}>${label}</label>
    <input id=${`f-${name}`} name=${name} type=${type} ...${rest} ...${described(name, hint, error)} />
    ${hintAndError(name, hint, error)}
  </div>`;
}

/** A select; `options` are value and label. */
export function choice({
  label,
  name,
  value,
  options,
  errors,
  hint,
}: Pick<FieldOptions, 'label' | 'name' | 'value' | 'errors' | 'hint'> & {
  readonly options: readonly (readonly [value: string, label: string])[];
}): Html {
  const error = errors?.[name];
  return html`<div class="field">
    <label for=${`f-${name}`}>${label}</label>
    <select id=${`f-${name}`} name=${name} ...${described(name, hint, error)}>
      ${options.map(([option, text]) => html`<option value=${option} selected=${option === (value ?? '')}>${text}</option>`)}
    </select>
    ${hintAndError(name, hint, error)}
  </div>`;
}

function described(name: string, hint: Html, error: string | undefined) {
  const ids = [hint && `h-${name}`, error && `e-${name}`].filter(Boolean).join(' ');
  return { ...(ids && { 'aria-describedby': ids }), ...(error && { 'aria-invalid': 'true' }) };
}

const hintAndError = (name: string, hint: Html, error: string | undefined) => html`
  ${hint && html`<p class="hint" id=${`h-${name}`}>${hint}</p>`}
  ${error && html`<p class="error" id=${`e-${name}`}>${error}</p>`}`;

/** A form that changes data, with the session's CSRF token. */
export function changeForm(
  { action, token, label, inline }: { action: string; token: string; label?: string; inline?: true },
  content: Html,
): Html {
  return html`<form method="post" action=${action} class=${inline && 'inline'} aria-label=${label}>
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
    { action, token, inline: true },
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
    ? html`<details><summary>${common.switchOff}</summary>
        <p>${hint}</p>
        ${button({ action: at('off'), token, danger: true }, common.switchOff)}
      </details>`
    : html`<p>${button({ action: at('on'), token }, common.switchOn)}</p>`;
}

/** A message above a page's content. */
export function notice(text: Html, kind: 'good' | 'bad' = 'good'): Html {
  return html`<p class=${`notice ${kind}`} role=${kind === 'good' ? 'status' : 'alert'}>${text}</p>`;
}
