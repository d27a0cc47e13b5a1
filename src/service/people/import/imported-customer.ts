import { type CustomerChange, type TextField, textNames } from '../customer-fields.ts';

/** What the lines of a table say of one customer. */
export type ImportedCustomer = {
  reference: string;
  /** False if the table does not give the reference: then it is the first number. */
  readonly hasKey: boolean;
  readonly lines: number[];
  /** The fields that the table has columns for; the last line that says something counts. */
  readonly texts: Partial<Record<TextField, string>>;
  segment: string | null | undefined;
  /** Each with its line; undefined if the table has no column for them. */
  numbers: Map<string, number> | undefined;
  /** Whether something that should be a number was left out. */
  isPartial: boolean;
};

/** What the customer is called in messages. */
export const labelOf = ({ texts, reference }: ImportedCustomer): string => texts.name || reference;

/** Whether the table says nothing but that there is such a reference. */
export const isBare = ({ texts, segment, numbers, isPartial }: ImportedCustomer): boolean =>
  !isPartial && !segment && (numbers?.size ?? 0) === 0 && !textNames.some((name) => texts[name]);

/**
 * The change to store. Without a name a customer is called by its reference. The numbers of a known customer stay if none
 * of those in the table can be taken.
 */
export function changeOf({
  reference,
  texts,
  segment,
  numbers,
  isPartial,
}: ImportedCustomer): CustomerChange {
  const isKept = numbers === undefined || (numbers.size === 0 && isPartial);
  return {
    reference,
    ...texts,
    ...(texts.name === '' && { name: reference }),
    ...(segment !== undefined && { segment }),
    ...(!isKept && { numbers: [...numbers.keys()] }),
  };
}

/** Takes away a number that cannot be stored. False if nothing is left of the customer. */
export function dropNumber(customer: ImportedCustomer, number: string): boolean {
  customer.numbers?.delete(number);
  customer.isPartial = true;
  if (customer.hasKey || customer.reference !== number) return true;
  const [next] = customer.numbers?.keys() ?? [];
  if (next !== undefined) customer.reference = next;
  return next !== undefined;
}
