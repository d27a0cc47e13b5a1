import { newUid } from '../../accounts/directory.ts';
import { createPause, pieces } from '../../kit/event-loop-pauses.ts';
import type { Words } from '../../words/words.ts';
import { type Customer, type CustomerChange, MAX_NUMBERS, withChange } from '../customer-fields.ts';
import { type ImportedCustomer, isBare, onlyAdds } from './imported-customer.ts';
import { type KnownCustomers, tableNumbers } from './known-customers.ts';

/** What a line of a report says. */
export type Note = { readonly line: number; readonly message: string };

/** What becomes of a customer of a table. */
export type PlannedCustomer = {
  readonly imported: ImportedCustomer;
  /** As it was read; undefined for a new one. */
  readonly before: Customer | undefined;
  /** Numbers that are left out, and those that stay although the table does not list them. */
  readonly left: readonly Note[];
  readonly kept: readonly Note[];
} & (
  | { readonly after: Customer; readonly refusal?: undefined }
  | {
      readonly after?: undefined;
      /** Why its lines are refused. */
      readonly refusal: string;
      readonly missingSegment?: string | undefined;
    }
);

export type Storable = PlannedCustomer & { readonly after: Customer };
export const isStorable = (planned: PlannedCustomer): planned is Storable => planned.after !== undefined;

/** A customer of the table while it is decided who has which number. */
type Entry = {
  readonly imported: ImportedCustomer;
  readonly before: Customer | undefined;
  readonly missingSegment: string | undefined;
  refusal: string | undefined;
  /** Those that it has after the import. */
  readonly numbers: Set<string>;
  readonly left: Note[];
  readonly kept: Note[];
};

/**
 * Decides for all customers of a table together what becomes of them, from what is known and what the table says. A number
 * stays with the customer who has it, unless the lines with this customer's reference were all read and do not list it.
 * One that no customer keeps goes to the first customer whose lines list it, those with a reference first.
 */
export async function planCustomers(
  customers: readonly ImportedCustomer[],
  { byReference, byNumber }: KnownCustomers,
  hasSegment: (name: string) => boolean,
  { importing, customers: text }: Words,
): Promise<PlannedCustomer[]> {
  const pause = createPause();
  const entries: Entry[] = [];
  const owners = new Map<string, Entry>();
  const inTable = new Set<string | undefined>();
  for (const imported of customers) {
    await pause();
    const { reference, hasKey, segment, numbers, unreadLine } = imported;
    const before = reference === undefined ? undefined : byReference.get(reference);
    const missingSegment = segment && !hasSegment(segment) ? segment : undefined;
    const refusal = missingSegment
      ? text.noSuchSegment(missingSegment)
      : isBare(imported) && !before
        ? importing.onlyReference
        : undefined;
    const had = tableNumbers(before?.numbers ?? []);
    const unlisted = numbers ? had.difference(numbers) : new Set<string>();
    const entry: Entry = {
      imported,
      before,
      missingSegment,
      refusal,
      left: [],
      kept: [],
      numbers: refusal !== undefined || onlyAdds(imported) ? new Set(had) : had.difference(unlisted),
    };
    if (hasKey && unreadLine !== undefined && unlisted.size > 0)
      entry.kept.push({
        line: unreadLine,
        message: importing.kept(labelOf(entry), [...unlisted].join(', ')),
      });
    entries.push(entry);
    inTable.add(reference);
    for (const number of entry.numbers) owners.set(number, entry);
  }

  /** Why a customer cannot have a number that is listed with it; undefined: it has it now. */
  function take(entry: Entry, number: string): string | undefined {
    const owner = owners.get(number);
    if (owner === entry) return undefined;
    if (owner) return text.numberTaken(number, labelOf(owner));
    const elsewhere = byNumber.get(number);
    if (elsewhere && !inTable.has(elsewhere.reference)) return text.numberTaken(number, elsewhere.name);
    if (entry.numbers.size >= MAX_NUMBERS) return text.manyNumbers;
    owners.set(number, entry);
    entry.numbers.add(number);
    return undefined;
  }

  // Numbers of lines with a reference come first: by them it is known whom the other lines are about.
  for (const isKeyed of [true, false])
    for (const entry of entries) {
      await pause();
      const { numbers = [], keyedNumbers } = entry.imported;
      if (entry.refusal !== undefined) continue;
      for (const [number, line] of [...numbers].slice(...(isKeyed ? [0, keyedNumbers] : [keyedNumbers]))) {
        const message = take(entry, number);
        if (message !== undefined) entry.left.push({ line, message });
      }
    }

  const isFree = (reference: string) => !byReference.has(reference) && !inTable.has(reference);
  const planned = ({ numbers, ...entry }: Entry): PlannedCustomer => {
    const { imported, before, left, refusal } = entry;
    const { reference = [...numbers].find(isFree) ?? newUid() } = imported;
    const isNobody = imported.reference === undefined && numbers.size === 0;
    const why = refusal ?? (isNobody ? (left[0]?.message ?? importing.nothing) : undefined);
    if (why !== undefined) return { ...entry, refusal: why, left: [], kept: [] };
    return {
      ...entry,
      refusal: undefined,
      after: withChange(before, changeOf(imported, reference, numbers, before)),
    };
  };
  const plan: PlannedCustomer[] = [];
  for await (const some of pieces(entries)) plan.push(...some.map(planned));
  return plan;
}

/** What the customer is called in messages. */
const labelOf = ({
  imported: { texts, reference, numbers },
  before,
}: Pick<Entry, 'imported' | 'before'>): string =>
  before?.name || texts.name || (reference ?? [...(numbers?.keys() ?? [])][0] ?? '');

/** Without a name a customer is called by its reference. Numbers that stay are not written again. */
function changeOf(
  { texts, segment }: ImportedCustomer,
  reference: string,
  numbers: ReadonlySet<string>,
  before: Customer | undefined,
): CustomerChange {
  const isSame = tableNumbers(before?.numbers ?? []).symmetricDifference(numbers).size === 0;
  return {
    reference,
    ...texts,
    ...(texts.name === '' && { name: reference }),
    ...(segment !== undefined && { segment }),
    ...(!isSame && { numbers: [...numbers] }),
  };
}
