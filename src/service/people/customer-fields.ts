import { sameLine } from '../../shared/phone-number/same-line.ts';
import { folded } from '../kit/folded.ts';
import type { Words } from '../words/words.ts';

type Field = {
  /** What pages call it. */
  readonly label: (words: Words) => string;
};

/**
 * The fields that are one line of text. A row here, a step of both databases that adds the column (never a change of
 * schema.sql, which is released), a label in the words and `npm run generate` are all that one needs: it is then read,
 * stored, searched, shown, edited, imported and exported. One that is not known is ''. The name comes first, in lists and
 * in what is searched.
 */
export const textFields = {
  name: {
    label: ({ common }) => common.name,
  },
} as const satisfies Record<string, Field>;

export type TextField = keyof typeof textFields;
export const textNames = Object.keys(textFields) as TextField[];

/** A value for each text. */
export const eachText = <Of>(of: (name: TextField) => Of) =>
  Object.fromEntries(textNames.map((name) => [name, of(name)])) as Record<TextField, Of>;

const blockedValues: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['', 'no', 'false', '0'].map((text) => [text, ''])),
  ...Object.fromEntries(['yes', 'true', '1'].map((text) => [text, 'yes'])),
};

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/**
 * The fields with one of few values, '' for none: what a priority lookup also says of a caller. They are no part of what is
 * searched. `read`: the value of what somebody has written, undefined if it is none.
 */
export const codeFields = {
  language: {
    label: ({ customers }) => customers.language,
    read: languageCode,
  },
  /** `yes`: the office does not want these calls. */
  blocked: {
    label: ({ customers }) => customers.blocked,
    read: (text) => blockedValues[text.toLowerCase()],
  },
} as const satisfies Record<string, Field & { readonly read: (text: string) => string | undefined }>;

export type CodeField = keyof typeof codeFields;
export const codeNames = Object.keys(codeFields) as CodeField[];

/** What a line of a table says that denies a field, such as `false`: unlike an empty cell it is an answer. No field has this value: `no` is Norwegian. */
export const DENIED = '-';

/** The language's code of two letters (ISO 639-1), also of `DE` and `de-AT`. */
function languageCode(text: string): string | undefined {
  if (text === '') return text;
  const [, code] = /^([a-z]{2})(?:[-_][a-z\d]+)*$/i.exec(text) ?? [];
  // `iw` is `he` today.
  const language = code && new Intl.Locale(code).language;
  return language && /^[a-z]{2}$/.test(language) && languageNames.of(language) ? language : undefined;
}

/** All fields that are stored as a text of their own. */
export const storedNames: readonly (TextField | CodeField)[] = [...textNames, ...codeNames];

/** A value for each of them. */
export const eachStored = <Of>(of: (name: TextField | CodeField) => Of) =>
  Object.fromEntries(storedNames.map((name) => [name, of(name)])) as Record<TextField | CodeField, Of>;

/**
 * All fields. Their names are the columns of a table of customers: in this order when it is exported, in any order when
 * it is imported. `reference` is the account's own key (default: the first number); `numbers` holds one or more. A column
 * that is not there leaves that field of known customers as it is; an empty cell empties it.
 */
export const customerFields = {
  reference: {
    label: ({ customers }) => customers.reference,
  },
  ...textFields,
  segment: {
    label: ({ calls }) => calls.segment,
  },
  numbers: {
    label: ({ customers }) => customers.numbers,
  },
  ...codeFields,
} as const satisfies Record<string, Field>;

/** Numbers of one customer. */
export const MAX_NUMBERS = 100;

export type CustomerField = keyof typeof customerFields;
export const columns = Object.keys(customerFields) as CustomerField[];
/** As pages show them: the reference last. */
export const shownFields: readonly CustomerField[] = [...columns.slice(1), 'reference'];

/**
 * A customer; `reference` is the account's own key for it, `numbers` are in the form in which they are compared, and sorted
 * when they come from the store.
 */
export type Customer = Readonly<Record<'reference' | TextField | CodeField, string>> & {
  readonly segment: string | null;
  readonly numbers: readonly string[];
};

/** Without other forms of numbers that are among them: what people are shown. */
export function listedNumbers(numbers: readonly string[]): string[] {
  const all = new Set(numbers);
  return numbers.filter((number) => sameLine(number)[0] === number || !all.has(sameLine(number)[0]));
}

/** A field in one line. */
export function fieldText(customer: Customer, name: CustomerField, separator = ', '): string {
  const value = customer[name] ?? '';
  return typeof value === 'string' ? value : listedNumbers(value).join(separator);
}

/** A field in one line, as pages show it. */
export function shownText(
  customer: Customer,
  name: CustomerField,
  { words, formats }: { readonly words: Words; readonly formats: { readonly locale: string } },
): string {
  const text = fieldText(customer, name);
  if (text === '') return text;
  if (name === 'blocked') return words.common.yes;
  return name === 'language'
    ? (new Intl.DisplayNames(formats.locale, { type: 'language' }).of(text) ?? text)
    : text;
}

/** A customer by its reference, with the fields to set: a field that is not named stays as it is. */
export type CustomerChange = Pick<Customer, 'reference'> & Partial<Customer>;

/**
 * The customer after a change. A new one is named by its reference, and nothing else is known of it. Each of its numbers
 * is stored in all forms in which the line may call.
 */
export const withChange = (known: Customer | undefined, change: CustomerChange): Customer => ({
  ...eachStored(() => ''),
  name: change.reference,
  segment: null,
  numbers: [],
  ...known,
  ...change,
  ...(change.numbers && { numbers: [...new Set(change.numbers.flatMap(sameLine))] }),
});

/**
 * The search text of a customer, the same on every engine: it is made when the customer is saved, and compared by code
 * points. It begins with the name, so that lists are ordered by it, too.
 */
export const searchText = (customer: Customer): string =>
  [...textNames.map((name) => folded(customer[name])), folded(customer.reference), ...customer.numbers].join(
    '\n',
  );
