import { limits } from '../../shared/api/contract/decisions.ts';
import { spaced } from '../../shared/phone-number/normalise-number.ts';
import { mayDelete, type SegmentRequest } from '../accounts/user-request.ts';
import { displayText } from '../kit/display-text.ts';
import { changeForm, choice, type FieldErrors, field, fold, hiddenFields, notice } from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import {
  type Customer,
  listedNumbers,
  shownText,
  type storedNames,
  textFields,
  textNames,
} from './customer-fields.ts';
import { backIn, type Person, personPath, SHOWN_NUMBERS } from './person.ts';

/** What the form of a customer shows: what is stored, or what somebody has typed. */
export type Draft = {
  readonly customer: Partial<Customer>;
  /** As they are typed. */
  readonly numbers: readonly string[];
  /** What was read: a save compares with it. Undefined for a new customer. */
  readonly read: Customer | undefined;
  readonly errors?: FieldErrors | undefined;
  /** A colleague has changed the customer since it was read. */
  readonly isConflict?: true;
};

export const draftOf = (customer: Customer): Draft => ({
  customer,
  numbers: hasMany(customer) ? [] : listedNumbers(customer.numbers).map(spaced),
  read: customer,
});

/** The form of such a customer leaves the numbers as they are. */
const hasMany = ({ numbers }: Pick<Customer, 'numbers'>) => numbers.length > SHOWN_NUMBERS;

/** The name that somebody gives a stranger, and the customers who have it. */
export type Namesakes = {
  readonly number: string;
  readonly name: string;
  readonly segment: string;
  readonly blocked: string;
  readonly found: readonly Customer[];
  readonly errors?: FieldErrors | undefined;
};

export const strangerDraft = (number: string): Namesakes => ({
  number,
  name: '',
  segment: '',
  blocked: '',
  found: [],
});

/** Tells a customer from others of the same name. */
const nameAndNumber = ({ name, numbers }: Customer) =>
  [plainText(name, 40), ...numbers.slice(0, 1).map(spaced)].join(', ');

const segmentChoice = (value: string | null | undefined, request: SegmentRequest, errors?: FieldErrors) =>
  request.segments.length > 0 &&
  choice({
    label: request.words.calls.segment,
    name: 'segment',
    value: value ?? '',
    errors,
    options: [
      ['', request.words.common.none],
      ...request.segments.map(({ name }) => [name, plainText(name, 60)] as const),
    ],
  });

const blockedChoice = (value: string | undefined, { words }: SegmentRequest, hint?: string) =>
  choice({
    label: words.customers.blocked,
    name: 'blocked',
    value: value ?? '',
    hint,
    options: [
      ['', words.common.no],
      ['yes', words.common.yes],
    ],
  });

/** The form of a stranger. A known name asks first: the same person with another number, or somebody else? */
export function nameForm(
  { number, name, segment, blocked, found, errors }: Namesakes,
  known: readonly Customer[],
  request: SegmentRequest,
): Html {
  const { token, words } = request;
  const text = words.person;
  const answers = <const Name extends string>(name: Name, value: string, label: string, is?: string) =>
    html`<button type="submit" class=${is} name=${name} value=${value} autofocus=${is === 'primary'}>${label}</button>`;
  return changeForm(
    { action: '/person/name', token, is: 'card name-form', refused: words.bar.refused },
    html`<input type="hidden" name="number" value=${number} /><input type="hidden" name="back" value=${backIn(request)} />
      <div>
        <label for="f-name">${text.addName}</label>
        <input id="f-name" name="name" value=${name} required maxlength=${limits.referenceLength} list="known" autocomplete="off" aria-describedby="h-name e-name" aria-invalid=${errors?.name ? 'true' : undefined} />
        <datalist id="known">${known.map((one) => html`<option value=${one.name} />`)}</datalist>
        <p class="wrong small is-missed" id="e-name">${errors?.name}</p>
      </div>
      ${segmentChoice(segment, request, errors)}
      ${blockedChoice(blocked, request)}
      ${
        found.length === 0
          ? html`<button type="submit" class="primary">${words.common.save}</button>
              <p class="hint" id="h-name">${text.nameHint}</p>`
          : html`<div class="notice" role="alert"><p>${text.isKnown}</p><div class="together">
              ${found.map((one, index) => answers('join', one.reference, text.addTo(nameAndNumber(one)), index === 0 ? 'primary' : undefined))}
              ${answers('new', '1', text.addNew)}
            </div></div>`
      }`,
  );
}

/** The fields of a customer; `isFirst`: the name gets the focus. */
function customerFieldset(
  { customer, numbers, read, errors, isConflict }: Draft,
  request: SegmentRequest,
  isFirst = true,
): Html {
  const { words } = request;
  const text = words.person;
  const asRead = read && !hasMany(read) ? read : undefined;
  const other = (name: 'segment' | (typeof storedNames)[number], mine: string | null | undefined) =>
    isConflict && read && (read[name] ?? '') !== (mine ?? '')
      ? html`<p class="hint">${text.theirs(plainText(shownText(read, name, request) || words.common.none, 80))}</p>`
      : null;
  return html`
    ${isConflict && notice(text.changed, 'bad')}
    <button type="submit" class="unseen" tabindex="-1" aria-hidden="true">${words.common.save}</button>
    ${asRead && html`<input type="hidden" name="read" value=${JSON.stringify(asRead)} />`}
    ${textNames.map(
      (name, index) =>
        html`${field({
          label: textFields[name].label(words),
          name,
          value: customer[name] ?? '',
          errors,
          required: name === 'name',
          maxlength: limits.referenceLength,
          autofocus: isFirst && index === 0,
        })}${other(name, customer[name])}`,
    )}
    ${segmentChoice(customer.segment, request, errors)}${other('segment', customer.segment)}
    ${field({
      label: words.customers.language,
      name: 'language',
      value: customer.language ?? '',
      errors,
      hint: words.customers.languageHint,
      maxlength: 2,
    })}${other('language', customer.language)}
    ${blockedChoice(customer.blocked, request, words.customers.blockedHint)}${other('blocked', customer.blocked)}
    <fieldset><legend class="label">${words.customers.numbers}</legend>
      ${numbers.map(
        (number, index) =>
          html`<div class="pair"><input type="tel" name="number" value=${number} aria-label=${`${words.calls.number} ${index + 1}`} /><button type="submit" class="bare" name="drop" value=${String(index)} formnovalidate aria-label=${text.remove(number)} title=${words.common.remove}>${icon('x')}</button></div>`,
      )}
      ${
        read && !asRead
          ? html`<p class="hint">${words.customers.manyNumbers}</p>`
          : html`<div class="pair"><input type="tel" name="number" aria-label=${text.addNumber} placeholder=${text.addNumber} /></div>`
      }
      ${isConflict && asRead && html`<p class="hint">${text.theirs(asRead.numbers.map(spaced).join(', ') || words.common.none)}</p>`}
      ${errors?.numbers && html`<p class="wrong small is-missed" role="alert">${errors.numbers}</p>`}
    </fieldset>`;
}

/** In place of the facts of a customer. */
export function editForm(
  person: Person,
  draft: Draft,
  same: string,
  alike: readonly Customer[],
  request: SegmentRequest,
): Html {
  const { token, words } = request;
  const text = words.person;
  const reference = person.customer?.reference ?? '';
  const hidden = hiddenFields({ customer: reference, back: backIn(request) });
  const name = plainText(person.customer?.name ?? '', 40);
  const others = alike.filter((one) => one.reference !== reference);
  return html`<div class="facts card">
    ${changeForm(
      { action: '/person/save', token, is: 'form', label: text.edit },
      html`${hidden}${customerFieldset(draft, request, same === '')}
        <p class="small quiet">${words.customers.reference} ${displayText(reference, 80)}</p>
        <div class="together"><button type="submit" class="primary">${words.common.save}</button><a class="button" href=${personPath(person, request, { at: 'edit' })}>${words.common.cancel}</a></div>`,
    )}
    ${
      mayDelete(request) &&
      html`<details class="fold" open=${same !== ''}><summary>${icon('chevron-down')}<b>${text.same}</b></summary><div class="form">
        <form action="/person" role="search">${hidden}<input type="hidden" name="edit" value="" />
          <div class="search">${icon('search')}<input type="search" name="same" value=${same} required autofocus=${same !== ''} aria-label=${words.customers.searchFor} placeholder=${words.customers.searchFor} /></div>
        </form>
        ${same !== '' && html`<p>${others.length === 0 ? words.customers.noMatch : text.mergeHint(name)}</p>`}
        ${others.map((one) =>
          changeForm(
            { action: '/person/merge', token },
            html`${hidden}<button type="submit" name="other" value=${one.reference}>${text.merge(nameAndNumber(one))}</button>`,
          ),
        )}
      </div></details>
      ${fold(
        words.common.remove,
        changeForm(
          { action: '/person/remove', token },
          html`${hidden}<p class="hint">${text.removeHint}</p><button type="submit" class="danger">${text.remove(name)}</button>`,
        ),
      )}`
    }
  </div>`;
}

/** The form of a customer who has not called. */
export function newForm(draft: Draft, request: SegmentRequest): Html {
  const { token, words } = request;
  const { customers: text } = words;
  return changeForm(
    { action: '/person/save', token, is: 'form card', label: text.newCustomer },
    html`${customerFieldset(draft, request)}
      ${field({
        label: text.reference,
        name: 'reference',
        value: draft.customer.reference ?? '',
        errors: draft.errors,
        maxlength: limits.referenceLength,
      })}
      <div class="together"><button type="submit" class="primary">${words.common.save}</button><a class="button" href="/customers">${words.common.cancel}</a></div>`,
  );
}
