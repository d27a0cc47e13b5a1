import { z } from 'zod';
import { spaced } from '../../shared/phone-number/normalise-number.ts';
import { readNumbers } from '../../shared/phone-number/read-numbers.ts';
import { parseJson } from '../../shared/process/parse-json.ts';
import { newUid } from '../accounts/directory.ts';
import { mayDelete, type Pages, type UserRequest } from '../accounts/user-request.ts';
import { isDialable } from '../calls/call-cells.ts';
import { given } from '../kit/administration.ts';
import { folded } from '../kit/folded.ts';
import { type FieldErrors, readForm } from '../kit/form.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { line } from '../kit/text.ts';
import { MAX_NOTE_LENGTH } from '../rules/limits.ts';
import { personAddress } from '../rules/person-address.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Customer, eachStored, MAX_NUMBERS, withChange } from './customer-fields.ts';
import { newCustomerPage } from './customer-pages.ts';
import { type CustomerRefusal, isSameCustomer } from './customer-writer.ts';
import { textSchemas } from './customers-csv.ts';
import { storedDigits } from './exported-numbers.ts';
import { personPath } from './person.ts';
import type { Draft } from './person-form.ts';
import { findCustomers, type PersonParts, showPerson } from './person-page.ts';
import { refusalText } from './refusal-text.ts';

/** Namesakes who are asked about. */
const MAX_FOUND = 5;

const edited = z.object({
  reference: line('reference', { blank: true }).optional(),
  ...textSchemas,
  blocked: z.enum(['', 'yes']).optional(),
  segment: z.string().optional(),
});
const named = z.object({
  number: z.string().refine(isDialable),
  name: line('name'),
  segment: z.string().default(''),
  blocked: z.enum(['', 'yes']).default(''),
});
const noteKey = z.object({
  id: z.coerce.number().int(),
  number: z.string(),
  user: z.string(),
  at: z.coerce.number().int(),
  text: z.string().trim().max(MAX_NOTE_LENGTH),
  /** What the note said when the form was made. */
  read: z.string().default(''),
});
/** A customer as a form was made with it; one that was made before an upgrade lacks the fields that are newer. */
const asRead = z.object({
  reference: z.string(),
  ...eachStored(() => z.string().optional()),
  segment: z.string().nullable(),
  numbers: z.array(z.string()),
});

/** What people change on the page of a person. */
export function personChanges(pages: Pages, parts: PersonParts): void {
  const { customers, callers } = parts.store;
  pages.post('/person/save', 'agent', (request) => save(request, parts));
  pages.post('/person/name', 'agent', (request) => nameStranger(request, parts));

  pages.post('/person/merge', 'agent', async (request) => {
    if (!mayDelete(request)) throw onlyAdministrators();
    const [customer, other] = await Promise.all([known(request, parts), known(request, parts, 'other')]);
    if (customer.reference === other.reference)
      return { redirect: personPath({ customer, number: '' }, request) };
    // Merged, somebody would be let in, or shut out, without a word.
    if (customer.blocked !== other.blocked) throw new Refusal(409, (errors) => errors.onlyOneBlocked);
    const merged = {
      ...customer,
      ...eachStored((name) => customer[name] || other[name]),
      numbers: [...customer.numbers, ...other.numbers],
      segment: customer.segment ?? other.segment,
    };
    const outcome = await customers.replace(request.account.id, {
      before: [customer, other],
      after: [merged],
    });
    if (outcome === 'changed') throw changedMeanwhile();
    if (outcome !== null) throw new Refusal(409, refusalText(outcome, request.words.customers));
    await request.audit('removal', `customer ${other.reference}, merged into ${customer.reference}`);
    return { redirect: personPath({ customer, number: '' }, request, { at: 'edit' }) };
  });

  pages.post('/person/remove', 'agent', async (request) => {
    const { account, form, audit } = request;
    if (!mayDelete(request)) throw onlyAdministrators();
    const reference = form.get('customer') ?? '';
    if (await customers.remove(account.id, reference)) await audit('removal', `customer ${reference}`);
    return { redirect: '/customers?removed' };
  });

  pages.post('/person/note', 'agent', async (request) => {
    const { account, form, user, audit } = request;
    const read = noteKey.safeParse(Object.fromEntries(form));
    if (!read.success) throw new Refusal(422, ({ notThere }) => notThere);
    const { number, user: author, text } = read.data;
    // A note that is changed loses what it said.
    if (!mayDelete(request)) throw onlyAdministrators();
    const of = `note of ${author} about ${number}`;
    const isDone =
      text === ''
        ? await callers.removeNote(account.id, read.data)
        : await callers.editNote(account.id, read.data, { by: user.name, text });
    if (!isDone) throw changedMeanwhile();
    if (text === '') await audit('removal', of);
    else if (author !== user.name) await audit('settings', `${of}, changed`);
    const reference = form.get('customer') ?? '';
    const customer = reference === '' ? null : { reference, name: '' };
    return { redirect: personAddress({ customer, number }, form.get('back') ?? '') };
  });
}

const changedMeanwhile = () => new Refusal(409, (errors) => errors.changedMeanwhile);
const onlyAdministrators = () => new Refusal(403, (errors) => errors.onlyAdministrators);

/** The customer whom a form is about. */
async function known({ account, form }: UserRequest, { store }: PersonParts, field = 'customer') {
  const customer = await store.customers.get(account.id, form.get(field) ?? '');
  if (customer === undefined) throw new Refusal(404, (errors) => errors.notThere);
  return customer;
}

/**
 * The numbers of a form, or what is wrong with them. A field may hold several. Those that the customer has already stay:
 * a caller may have come with one that cannot be typed.
 */
function numbersOf(
  { form, account, words }: UserRequest,
  stored: readonly string[] = [],
): { numbers?: string[]; error?: string } {
  if (!form.has('number')) return {};
  const { notANumber, roundedNumber, unclearNumber, incompleteNumber, formerNumber } = words.formErrors;
  const { manyNumbers } = words.customers;
  const says = {
    'not-a-number': notANumber,
    rounded: roundedNumber,
    ambiguous: unclearNumber,
    incomplete: incompleteNumber,
    former: formerNumber,
  };
  const given = form.getAll('number').filter(Boolean);
  if (given.length > MAX_NUMBERS) return { error: manyNumbers };
  const numbers = new Set<string>();
  // A form has room for thousands: what is refused in the end is not read to its end.
  for (const text of given) {
    const same = stored.find((number) => text === spaced(number)) ?? storedDigits(text, stored);
    const read = same === undefined ? readNumbers(text, account.country) : { numbers: [same], unread: [] };
    const [unread] = read.unread;
    if (unread) return { error: says[unread.reason](plainText(unread.text, 60)) };
    for (const number of read.numbers) numbers.add(number);
    if (numbers.size > MAX_NUMBERS) return { error: manyNumbers };
  }
  return { numbers: [...numbers] };
}

/** The field whose value is refused. */
const fieldOf = {
  'number-taken': 'numbers',
  'no-such-segment': 'segment',
  'reference-taken': 'reference',
  'too-many-numbers': 'numbers',
} as const satisfies Record<CustomerRefusal['reason'], string>;

/** A form of a customer, and what is stored of it. */
type Saved = {
  readonly request: UserRequest;
  readonly parts: PersonParts;
  /** As it is stored; undefined for a new customer. */
  readonly now: Customer | undefined;
  /** As it was when the form was made. */
  readonly read: Customer | undefined;
};

/** Shows the form again, with what was typed. */
function again({ request, parts, now, read }: Saved, also: Partial<Draft> = {}): Promise<Page> {
  const { form } = request;
  const customer = {
    ...now,
    ...given(eachStored((name) => form.get(name) ?? undefined)),
    ...(form.has('reference') && { reference: form.get('reference') ?? '' }),
    ...(form.has('segment') && { segment: form.get('segment') }),
  };
  const numbers = form.has('number') ? form.getAll('number').filter(Boolean) : (now?.numbers ?? []);
  const draft: Draft = { customer, numbers, read, ...also };
  return now === undefined ? newCustomerPage(request, draft) : showPerson(request, parts, { draft });
}

/** Both are shown: what is typed, with the numbers that a colleague has added, and what is stored. */
function conflict(saved: Saved, stored: Customer, numbers: readonly string[] | undefined): Promise<Page> {
  const { request, read } = saved;
  const added = stored.numbers.filter((one) => !read?.numbers.includes(one) && !numbers?.includes(one));
  return again(saved, {
    isConflict: true,
    errors: {},
    read: stored,
    numbers: [...request.form.getAll('number').filter(Boolean), ...added],
  });
}

/** Saves a customer, new or known. A field that the form does not name stays as it is. */
async function save(request: UserRequest, parts: PersonParts): Promise<Answer> {
  const { account, form, words } = request;
  const isNew = !form.has('customer');
  const now = isNew ? undefined : await known(request, parts);
  const sent = asRead.safeParse(parseJson(form.get('read') ?? ''));
  const read = sent.success ? ({ ...now, ...given(sent.data) } as Customer) : now;
  const saved: Saved = { request, parts, now, read };
  const drop = form.get('drop');
  if (drop !== null) {
    const left = form.getAll('number').filter((number, index) => number !== '' && index !== Number(drop));
    return again(saved, { numbers: left });
  }

  const { values, errors } = readForm(edited, request);
  const { numbers, error } = numbersOf(request, now?.numbers);
  const wrong: FieldErrors = {
    ...errors,
    ...(error && { numbers: error }),
    ...(isNew && values?.name === undefined && { name: words.formErrors.required }),
  };
  if (!values || Object.keys(wrong).length > 0) return again(saved, { errors: wrong });
  const reference = now?.reference ?? (values.reference || newUid());
  const segment = values.segment === '' ? null : values.segment;
  const change = given({ ...values, reference, segment, numbers });
  if (now && read && !isSameCustomer(now, read) && !isSameCustomer(now, withChange(now, change)))
    return conflict(saved, now, numbers);
  const wanted = withChange(now, change);
  const replacement = { before: now ? [now] : [], after: [wanted] };
  const outcome = await parts.store.customers.replace(account.id, replacement);
  if (outcome === 'changed') {
    // Somebody was quicker.
    const stored = await known(request, parts);
    if (!isSameCustomer(stored, withChange(stored, change))) return conflict(saved, stored, numbers);
  } else if (outcome !== null)
    return again(saved, { errors: { [fieldOf[outcome.reason]]: refusalText(outcome, words.customers) } });
  return { redirect: personPath({ customer: wanted, number: '' }, request, { at: 'edit' }) };
}

/** Gives a stranger a name: a new customer, or after a question the number to a known one. */
async function nameStranger(request: UserRequest, parts: PersonParts): Promise<Answer> {
  const { account, form, words } = request;
  const { customers } = parts.store;
  const { values, errors } = readForm(named, request);
  const typed = {
    number: form.get('number') ?? '',
    name: form.get('name') ?? '',
    segment: form.get('segment') ?? '',
    blocked: form.get('blocked') ?? '',
    found: [],
  };
  if (!values) {
    if (errors.number !== undefined) throw new Refusal(422, ({ notThere }) => notThere);
    return showPerson(request, parts, { named: { ...typed, errors } });
  }
  const { number, name, segment, blocked } = values;
  const join = form.get('join');
  if (join === null && !form.has('new')) {
    const found = await namesakes(name, request, parts);
    if (found.length > 0) return showPerson(request, parts, { named: { ...typed, found } });
  }
  // What is chosen goes for a known customer, too, to whom the number is added; what is not chosen stays.
  const chosen = { ...(segment !== '' && { segment }), ...(blocked !== '' && { blocked }) };
  const fresh = { reference: newUid(), name, numbers: [number], ...chosen };
  for (;;) {
    const known = join === null ? undefined : await customers.get(account.id, join);
    if (join !== null && known === undefined) throw new Refusal(404, (all) => all.notThere);
    const customer = withChange(
      known,
      known ? { reference: known.reference, numbers: [...known.numbers, number], ...chosen } : fresh,
    );
    const outcome = await customers.replace(account.id, { before: known ? [known] : [], after: [customer] });
    // Another number may be added to the same customer at the same moment: both are.
    if (outcome === 'changed') continue;
    if (outcome !== null)
      return showPerson(request, parts, {
        named: { ...typed, errors: { name: refusalText(outcome, words.customers) } },
      });
    return { redirect: personPath({ customer, number }, request) };
  }
}

/** Customers in whose names all words of this one are. */
async function namesakes(name: string, request: UserRequest, parts: PersonParts): Promise<Customer[]> {
  const wordsOf = (text: string) => folded(text).split(/\s+/).filter(Boolean);
  const words = wordsOf(name).slice(0, 8);
  const customers = await findCustomers(words, MAX_FOUND * 4, request, parts);
  return customers
    .filter((one) => words.every((word) => wordsOf(one.name).includes(word)))
    .sort((a, b) => a.name.length - b.name.length)
    .slice(0, MAX_FOUND);
}
