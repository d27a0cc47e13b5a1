import { folded } from '../../kit/folded.ts';
import {
  type CodeField,
  type Customer,
  codeFields,
  DENIED,
  storedNames,
  type TextField,
  textNames,
} from '../customer-fields.ts';

/** What one line of a table says. */
export type Line = {
  readonly line: number;
  /** Undefined if the table does not give it. */
  readonly reference: string | undefined;
  /** The fields that the table has columns for; of a code, also DENIED. */
  readonly texts: Readonly<Partial<Record<TextField | CodeField, string | undefined>>>;
  readonly segment: string | undefined;
  /** Undefined if the table has no column for them. */
  readonly numbers: readonly string[] | undefined;
  /** Why numbers are left out. */
  readonly unread: readonly string[];
  /** Why texts are: what is known of them stays. */
  readonly lost: readonly string[];
  /** What else cells may mean. */
  readonly unsure: readonly string[];
};

/** What the lines of a table say of one customer. */
export type ImportedCustomer = {
  /** Undefined for a new one whose reference the table does not give. */
  readonly reference: string | undefined;
  /** Whether a line gives the reference. Lines without one only add. */
  readonly hasKey: boolean;
  readonly lines: number[];
  /** The fields that the table has columns for; the last line that says something counts. */
  readonly texts: Partial<Record<TextField | CodeField, string>>;
  segment: string | null | undefined;
  /** Each with its line; undefined if the table has no column for them. */
  numbers: Map<string, number> | undefined;
  /** How many of the numbers are of lines with the reference: they are the first. */
  keyedNumbers: number;
  /** The first line in which something that should be a number is left out. */
  unreadLine: number | undefined;
};

/** Whether the table says nothing but that there is such a reference. */
export const isBare = ({ texts, segment, numbers, unreadLine }: ImportedCustomer): boolean =>
  unreadLine === undefined && !segment && !numbers?.size && !textNames.some((name) => texts[name]);

/** Whether numbers that the table does not list stay the customer's. */
export const onlyAdds = ({ hasKey, numbers, unreadLine }: ImportedCustomer): boolean =>
  !hasKey || numbers === undefined || unreadLine !== undefined;

/** Adds what a line says. */
export function addLine(
  customer: ImportedCustomer,
  { line, reference, texts, segment, numbers, unread }: Line,
): void {
  // The first line with the reference can empty a field.
  const empties = reference !== undefined && customer.lines.length === 0;
  customer.lines.push(line);
  for (const name of storedNames) {
    const value = texts[name];
    if (value !== undefined && (value !== '' || empties))
      customer.texts[name] = name in codeFields && value === DENIED ? '' : value;
  }
  if (segment !== undefined && (segment !== '' || empties)) customer.segment = segment || null;
  if (unread.length > 0) customer.unreadLine ??= line;
  if (numbers === undefined) return;
  customer.numbers ??= new Map();
  for (const number of numbers) if (!customer.numbers.has(number)) customer.numbers.set(number, line);
  if (reference !== undefined) customer.keyedNumbers = customer.numbers.size;
}

/** Whether a line with this name can be about a customer of that name, '' for none, if they have a number in common. */
export const isSameName = (one: string, other: string): boolean =>
  one === '' || other === '' || folded(one) === folded(other);

/** The name of a known customer; '' if it is called by its reference. */
export const nameOf = ({ name, reference }: Customer): string => (name === reference ? '' : name);

/** The name of a customer after an import; '' for none. */
export const nameIn = ({ texts }: ImportedCustomer, before: Customer | undefined): string =>
  texts.name ?? (before ? nameOf(before) : '');
