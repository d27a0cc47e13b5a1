import { en } from '../words/en.ts';
import type { Words } from '../words/words.ts';
import type { CustomerRefusal } from './customer-writer.ts';

/** Why a customer cannot be stored, in words. */
export function refusalText(
  refusal: CustomerRefusal,
  { noSuchSegment, numberTaken, referenceTaken, manyNumbers }: Words['customers'] = en.customers,
): string {
  if (refusal.reason === 'no-such-segment') return noSuchSegment(refusal.segment);
  if (refusal.reason === 'reference-taken') return referenceTaken;
  if (refusal.reason === 'too-many-numbers') return manyNumbers;
  return numberTaken(refusal.number, refusal.by);
}
