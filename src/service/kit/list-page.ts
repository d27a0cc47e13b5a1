import { type Html, html } from '../words/html.ts';
import type { Script } from './assets.ts';
import { button, changeForm, type FieldErrors, fold, notice } from './form.ts';
import { icon } from './icon.ts';
import type { Page, PageRequest } from './page-request.ts';
import { settingsPages } from './settings-frame.ts';

/** The form of a row, opened in place, or of a new row. */
export type RowForm = {
  /** What is edited; of a new row, what the form does. */
  readonly name: Html;
  readonly label: string;
  readonly action: string;
  readonly fields: Html;
  /** What is done seldom, folded below the form. */
  readonly also?: Html;
  readonly remove?: { readonly action: string; readonly what: string; readonly hint: string } | undefined;
};

/**
 * A page of the settings with a list: a row opens its form in place (`edited`), `?add` opens a form for a new one. A
 * form that was refused is shown again with its errors beside the fields; the forms keep what was typed.
 */
export function listPage(
  request: PageRequest,
  {
    path,
    list,
    add,
    addLabel = request.words.common.add,
    edited,
    errors,
    isAdding: isNew = false,
    above,
    scripts = [],
  }: {
    path: string;
    list: Html;
    /** The fields of a new row. */
    add: () => Html;
    addLabel?: string;
    edited?: RowForm | undefined;
    errors?: FieldErrors | undefined;
    /** Shows the form of a new row again, if none is edited. */
    isAdding?: boolean;
    above?: Html;
    scripts?: readonly Script[];
  },
): Page {
  const { query, words, params } = request;
  const title = words.settings[settingsPages.find((entry) => entry.path === path)?.label ?? 'office'];
  const isAdding = !edited && !params.uid && (isNew || query.has('add') || errors !== undefined);
  const opened = isAdding ? { name: null, label: addLabel, action: path, fields: add() } : edited;
  return {
    title,
    scripts: ['copy', ...scripts],
    ...(errors && { status: 422 }),
    body: html`
      <div class="head"><h1>${title}</h1>${!opened && html`<a class="button primary" href=${`${path}?add`}>${icon('plus')}${addLabel}</a>`}</div>
      ${query.has('done') && notice(words.common.saved)}
      ${above}
      ${opened && rowForm(request, path, isAdding ? addLabel : words.common.save, opened)}
      ${list}
    `,
  };
}

function rowForm(
  { token, words: { common } }: PageRequest,
  path: string,
  submit: string,
  form: RowForm,
): Html {
  const { name, label, action, fields, also, remove } = form;
  return html`<div class="card" id="edit">
    ${name && html`<h2>${name}</h2>`}
    ${changeForm(
      { action, token, is: 'form wide-form', label },
      html`${fields}
        <div class="together"><button type="submit" class="primary">${submit}</button><a class="button" href=${path}>${common.cancel}</a></div>`,
    )}
    ${also}
    ${
      remove &&
      fold(
        common.remove,
        html`<p>${remove.hint}</p>${button({ action: remove.action, token, danger: true }, `${common.remove} ${remove.what}`)}`,
      )
    }
  </div>`;
}
