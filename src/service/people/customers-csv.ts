import { line } from '../kit/text.ts';
import type { Words } from '../words/words.ts';
import { type Customer, columns, eachText, withChange } from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import type { Mapping } from './import/choose-columns.ts';
import { changeOf } from './import/imported-customer.ts';
import { putCustomers, type Target } from './import/put-customers.ts';
import { linesReport, readCustomers } from './import/read-customers.ts';
import { readTable } from './import/table.ts';
import type { Refused } from './import-refusals.ts';

/** The texts of a form or a table. */
export const textSchemas = eachText((name) => line(name, { blank: name !== 'name' }).optional());

type ImportReport = {
  /** Customers that are stored. */
  readonly imported: number;
  /** Lines that are not. */
  readonly refused: number;
  readonly errors: readonly Refused[];
  /** Numbers that are left out of customers that are stored. */
  readonly left: number;
  /** Why, and which lines add to the customer of an earlier one. */
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
    seen,
    signal,
    ...reading
  }: Into & {
    /** Ends it before the next batch. */
    signal?: AbortSignal | undefined;
    /** Told how many customers are stored, of all, after each batch. */
    progress?: (stored: number, all: number) => void;
    /** Whether segments that do not exist are created. */
    createSegments?: boolean;
    mapping?: Mapping;
    /** The customers of the table as a preview found them: those that have changed since then are refused. */
    seen?: ReadonlyMap<string, Customer | undefined> | undefined;
  },
): Promise<ImportReport> {
  const table = readTable(text);
  const read = await readCustomers(table, { ...reading, mapping: mapping ?? exactMapping(table.header) });
  if (createSegments) {
    signal?.throwIfAborted();
    const named = read.customers.flatMap(({ segment }) => (segment ? [segment] : []));
    await customers.addSegments(account, named, NEW_PRIORITY);
  }
  const expected = seen && new Map(seen);
  const store: Target = {
    isKnown: async (reference) => (await customers.get(account, reference)) !== undefined,
    async put(batch) {
      signal?.throwIfAborted();
      const changes = batch.map(changeOf);
      const before = expected && changes.map(({ reference }) => expected.get(reference));
      const outcomes = await customers.put(account, changes, before);
      // Another line can be about the same customer, if it has lost its first number.
      for (const [index, change] of changes.entries())
        if (outcomes[index] === null)
          expected?.set(change.reference, withChange(expected.get(change.reference), change));
      return outcomes;
    },
  };
  const imported = await putCustomers(read, store, {
    ...reading,
    progress: (stored) => progress(stored, read.customers.length),
  });
  return {
    imported,
    ...linesReport(read),
  };
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
