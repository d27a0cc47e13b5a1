import { sameLine } from '../../../shared/phone-number/same-line.ts';
import { en } from '../../words/en.ts';
import type { Words } from '../../words/words.ts';
import type { PutRefusal } from '../customer-store.ts';
import { dropNumber, type ImportedCustomer, isBare } from './imported-customer.ts';
import type { ReadCustomers } from './read-customers.ts';

const BATCH = 500;

/** Where customers are put: the store, or a copy of what is in it. */
export type Target = {
  isKnown(reference: string): boolean | Promise<boolean>;
  /** A refusal, or null, for each. */
  put(batch: readonly ImportedCustomer[]): Promise<readonly (PutRefusal | null)[]>;
};

/**
 * Puts all customers of a table, in batches, and adds to its errors and warnings. A customer that is refused for a number
 * is put again without it, after the rest of its batch. `progress` is told how many are stored after each batch.
 */
export async function putCustomers(
  { customers, refused, left }: ReadCustomers,
  target: Target,
  { words = en, progress = () => {} }: { words?: Words | undefined; progress?: (stored: number) => void },
): Promise<number> {
  let stored = 0;
  const refuse = ({ lines }: ImportedCustomer, message: string) => {
    for (const line of lines) refused.add(line, message);
  };

  /** Whether it can be put without the number that it is refused for. */
  function canGoOn(customer: ImportedCustomer, refusal: PutRefusal): boolean {
    const message = refusal === 'changed' ? words.importing.changed : refusalText(refusal, words.customers);
    if (refusal !== 'changed' && refusal.reason === 'number-taken') {
      const [number] = sameLine(refusal.number);
      const line = customer.numbers?.get(number);
      if (line !== undefined && dropNumber(customer, number)) {
        left.add(line, message);
        return true;
      }
    }
    refuse(customer, message);
    return false;
  }

  for (let at = 0; at < customers.length; at += BATCH) {
    let batch: ImportedCustomer[] = [];
    for (const customer of customers.slice(at, at + BATCH))
      if (isBare(customer) && !(await target.isKnown(customer.reference)))
        refuse(customer, words.importing.onlyReference);
      else batch.push(customer);
    while (batch.length > 0) {
      const outcomes = await target.put(batch);
      stored += outcomes.filter((refusal) => refusal === null).length;
      batch = batch.filter((customer, index) => {
        const refusal = outcomes[index] ?? null;
        return refusal !== null && canGoOn(customer, refusal);
      });
    }
    progress(stored);
  }
  return stored;
}

export function refusalText(
  refusal: Exclude<PutRefusal, 'changed'>,
  { noSuchSegment, numberTaken, referenceTaken }: Words['customers'] = en.customers,
): string {
  if (refusal.reason === 'no-such-segment') return noSuchSegment(refusal.segment);
  if (refusal.reason === 'reference-taken') return referenceTaken;
  return numberTaken(refusal.number, refusal.by);
}
