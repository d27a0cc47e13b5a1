import { line } from '../kit/text.ts';
import { en } from '../words/en.ts';
import type { Words } from '../words/words.ts';
import { columns, eachText } from './customer-fields.ts';
import type { CustomerRefusal, CustomerStore } from './customer-store.ts';
import type { Mapping } from './import/choose-columns.ts';
import { changeOf, dropNumber, type ImportedCustomer, isBare } from './import/imported-customer.ts';
import { readCustomers } from './import/read-customers.ts';
import { readTable } from './import/table.ts';
import type { Refusals, Refused } from './import-refusals.ts';

/** The texts of a form or a table. */
export const textSchemas = eachText((name) => line(name, { blank: name !== 'name' }).optional());

const BATCH = 500;

type ImportReport = {
  /** Customers that are stored. */
  readonly imported: number;
  /** Lines that are not. */
  readonly refused: number;
  readonly errors: readonly Refused[];
  /** Numbers that are left out of customers that are stored. */
  readonly left: number;
  readonly warnings: readonly Refused[];
};

/** The priority of a segment that an import creates: as that of callers without one, until somebody decides. */
export const NEW_PRIORITY = 0;

/** The file is not a table of customers; nothing was imported. */
export class BadTable extends Error {}

type Into = {
  readonly customers: CustomerStore;
  readonly account: number;
  readonly country: string | null;
  readonly words?: Words | undefined;
};

/**
 * Adds or changes customers by reference. Lines with an error are reported, the others are imported, and of those only
 * the cells that cannot be: unreadable numbers, and numbers of other customers. Without a `mapping` the columns must have
 * our own names. @throws BadTable
 */
export async function importCustomers(
  text: string,
  {
    customers,
    account,
    createSegments = false,
    progress = () => {},
    mapping,
    ...reading
  }: Into & {
    /** Told how many customers are stored, of all, after each batch. */
    progress?: (stored: number, all: number) => void;
    /** Whether segments that do not exist are created. */
    createSegments?: boolean;
    mapping?: Mapping;
  },
): Promise<ImportReport> {
  const table = readTable(text);
  const read = await readCustomers(table, { ...reading, mapping: mapping ?? exactMapping(table.header) });
  const { refused, left } = read;
  const words = reading.words ?? en;
  const known = new Set(createSegments ? (await customers.segments(account)).map(({ name }) => name) : []);
  let imported = 0;

  async function createMissing(batch: readonly ImportedCustomer[]): Promise<void> {
    for (const { segment } of createSegments ? batch : []) {
      if (!segment || known.has(segment)) continue;
      await customers.putSegment(account, { name: segment, priority: NEW_PRIORITY });
      known.add(segment);
    }
  }

  /** Those without what they cannot have, of those that the store has refused. */
  async function putAndRefuse(batch: readonly ImportedCustomer[]): Promise<ImportedCustomer[]> {
    const outcomes = await customers.put(account, batch.map(changeOf));
    return batch.filter((customer, index) => {
      const outcome = outcomes[index] ?? null;
      if (outcome === null) imported += 1;
      return outcome !== null && refuse(customer, outcome, { refused, left, words });
    });
  }

  for (let at = 0; at < read.customers.length; at += BATCH) {
    const batch: ImportedCustomer[] = [];
    for (const customer of read.customers.slice(at, at + BATCH)) {
      const isNothing = isBare(customer) && (await customers.get(account, customer.reference)) === undefined;
      if (isNothing) refuseBare(customer, refused, words);
      else batch.push(customer);
    }
    await createMissing(batch);
    for (let rest = batch; rest.length > 0; ) rest = await putAndRefuse(rest);
    progress(imported, read.customers.length);
  }
  return {
    imported,
    ...{ refused: refused.count(), errors: refused.reasons() },
    ...{ left: left.count(), warnings: left.reasons() },
  };
}

/** Takes note of why a customer cannot be stored. True if it can be without the number that it is refused for. */
export function refuse(
  customer: ImportedCustomer,
  refusal: CustomerRefusal,
  { refused, left, words }: { refused: Refusals; left: Refusals; words: Words },
): boolean {
  const message = refusalText(refusal, words.customers);
  const line = refusal.reason === 'number-taken' ? customer.numbers?.get(refusal.number) : undefined;
  if (refusal.reason === 'number-taken' && line !== undefined && dropNumber(customer, refusal.number)) {
    left.add(line, message);
    return true;
  }
  for (const line of customer.lines) refused.add(line, message);
  return false;
}

export function refuseBare({ lines }: ImportedCustomer, refused: Refusals, { importing }: Words): void {
  for (const line of lines) refused.add(line, importing.onlyReference);
}

/** An import in words. */
export const importSummary = ({ imported, refused, left }: ImportReport) =>
  `${imported} imported, ${refused} refused${left > 0 ? `, ${left} numbers left out` : ''}`;

/** Whether a table with these columns says which customers it is about. */
export const namesCustomers = (names: readonly string[]): boolean =>
  names.includes('reference') || names.includes('numbers');

/** The columns that the header names exactly. */
function exactMapping(header: readonly string[]): Mapping {
  const names = header.map((name) => name.toLowerCase());
  if (!namesCustomers(names))
    throw new BadTable(
      `The first line must name the columns: ${columns.join(',')}. Only reference or numbers must be there.`,
    );
  return names.map((name) => columns.find((column) => column === name) ?? '');
}

export function refusalText(
  refusal: CustomerRefusal,
  { noSuchSegment, numberTaken }: Words['customers'] = en.customers,
): string {
  return refusal.reason === 'no-such-segment'
    ? noSuchSegment(refusal.segment)
    : numberTaken(refusal.number, refusal.by);
}
