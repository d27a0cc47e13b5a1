import type { z } from 'zod';
import { type Html, html } from './html.ts';

/** What is wrong with a form, by field. */
export type FieldErrors = Readonly<Record<string, string>>;

/** The values of a form as its schema takes them, or what is wrong with them: the first thing of each field. */
export function readForm<Schema extends z.ZodType>(
  schema: Schema,
  form: URLSearchParams,
): { values: z.output<Schema>; errors: null } | { values: null; errors: FieldErrors } {
  const read = schema.safeParse(Object.fromEntries(form));
  if (read.success) return { values: read.data, errors: null };
  const errors: Record<string, string> = {};
  for (const { path, message } of read.error.issues) errors[String(path[0] ?? '')] ??= message;
  return { values: null, errors };
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
  /** Set for the field that a page is opened to fill in. */
  readonly autofocus?: boolean;
};

/** One line of input with its label, hint and error, which belong together for screen readers too. */
export function field({ label, name, errors, hint, type = 'text', ...rest }: FieldOptions): Html {
  const error = errors?.[name];
  return html`<div class="field">
    <label for=${`f-${name}`}>${label}</label>
    <input id=${`f-${name}`} name=${name} type=${type} ...${rest} ...${described(name, hint, error)} />
    ${about(name, hint, error)}
  </div>`;
}

/** A choice of a few; `options` are value and label. */
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
    ${about(name, hint, error)}
  </div>`;
}

function described(name: string, hint: Html, error: string | undefined) {
  const ids = [hint && `h-${name}`, error && `e-${name}`].filter(Boolean).join(' ');
  return { ...(ids && { 'aria-describedby': ids }), ...(error && { 'aria-invalid': 'true' }) };
}

const about = (name: string, hint: Html, error: string | undefined) => html`
  ${hint && html`<p class="hint" id=${`h-${name}`}>${hint}</p>`}
  ${error && html`<p class="error" id=${`e-${name}`}>${error}</p>`}`;

/** A form that changes something: its token says that a page of ours made it, for this session. */
export function changeForm(
  { action, token, label, inline }: { action: string; token: string; label?: string; inline?: true },
  content: Html,
): Html {
  return html`<form method="post" action=${action} class=${inline && 'inline'} aria-label=${label}>
    <input type="hidden" name="token" value=${token} />${content}
  </form>`;
}

/** A form of one button. */
export function button(
  { action, token, danger }: { action: string; token: string; danger?: true },
  label: Html,
): Html {
  return changeForm(
    { action, token, inline: true },
    html`<button type="submit" class=${danger && 'danger'}>${label}</button>`,
  );
}

/** What happened, or what is wrong, above a page's content. */
export function notice(text: Html, kind: 'good' | 'bad' = 'good'): Html {
  return html`<p class=${`notice ${kind}`} role=${kind === 'good' ? 'status' : 'alert'}>${text}</p>`;
}
