import { createHash } from 'node:crypto';
import { accountLimits } from '../accounts/limits.ts';
import { type Customer, withChange } from './customer-fields.ts';
import { type CustomerRefusal, type CustomerStore, isSameCustomer, refusalOf } from './customer-store.ts';
import { changeOf, type ImportedCustomer } from './import/imported-customer.ts';
import { putCustomers, type Target } from './import/put-customers.ts';
import { linesReport, type Reading, readCustomers } from './import/read-customers.ts';
import type { Table } from './import/table.ts';
import { takeTurns } from './import/take-turns.ts';
import type { Refused } from './import-refusals.ts';

/** What importing a table would change. */
export type ImportPreview = {
  readonly added: number;
  readonly changed: number;
  readonly same: number;
  /** Lines. */
  readonly refused: number;
  readonly errors: readonly Refused[];
  /** Cells that are left out of lines that are imported. */
  readonly left: number;
  /** Why, and which lines add to the customer of an earlier one. */
  readonly warnings: readonly Refused[];
  /** National numbers that cannot be dialled: the account's country is unknown, or has no such number. */
  readonly undialable: { readonly count: number; readonly first: string | undefined };
  /** The first customers, each with its first line. */
  readonly lines: readonly { readonly line: number; readonly customer: Customer }[];
  /** The first 100 lines that change a known customer. */
  readonly changes: readonly { readonly line: number; readonly before: Customer; readonly after: Customer }[];
  /** Another one if known customers would be changed otherwise, all of them, not only the first. */
  readonly version: string;
  /** The customers of the table as they are now, by reference; undefined for new ones. */
  readonly seen: ReadonlyMap<string, Customer | undefined>;
  /** Segments that do not exist. */
  readonly missingSegments: readonly string[];
  /** Whether the account can have them, too. */
  readonly canCreate: boolean;
};

const LINES = 10;
const CHANGES = 100;

/** Reads a table as an import would and changes nothing. */
export async function previewImport(
  table: Table,
  { customers, account, ...reading }: { customers: CustomerStore; account: number } & Reading,
): Promise<ImportPreview> {
  const known = new Map<string, Customer>();
  const owners = new Map<string, Customer>();
  const take = (customer: Customer) => {
    for (const number of known.get(customer.reference)?.numbers ?? []) owners.delete(number);
    for (const number of customer.numbers) owners.set(number, customer);
    known.set(customer.reference, customer);
  };
  for await (const chunk of customers.all(account)) for (const customer of chunk) take(customer);
  const segments = new Set((await customers.segments(account)).map(({ name }) => name));
  const read = await readCustomers(table, reading);
  const missing = new Set<string>();
  const counts = { added: 0, changed: 0, same: 0 };
  const lines: { line: number; customer: Customer }[] = [];
  const changes: { line: number; before: Customer; after: Customer }[] = [];
  const undialable: string[] = [];
  const version = createHash('sha256');
  const seen = new Map<string, Customer | undefined>();
  const turn = takeTurns();

  function put(imported: ImportedCustomer): CustomerRefusal | null {
    const before = known.get(imported.reference);
    if (!seen.has(imported.reference)) seen.set(imported.reference, before);
    const customer = withChange(before, changeOf(imported));
    const refusal = refusalOf(
      customer,
      (name) => segments.has(name),
      (number) => owners.get(number),
    );
    if (refusal?.reason === 'no-such-segment') missing.add(refusal.segment);
    if (refusal) return refusal;
    const [line = 0] = imported.lines;
    lines.push({ line, customer });
    undialable.push(...customer.numbers.filter((number) => /^\d{6,}$/.test(number)));
    const what = before === undefined ? 'added' : isSameCustomer(before, customer) ? 'same' : 'changed';
    counts[what] += 1;
    if (before && what === 'changed') {
      version.update(
        JSON.stringify([before, customer].map((one) => ({ ...one, numbers: one.numbers.toSorted() }))),
      );
      if (changes.length < CHANGES) changes.push({ line, before, after: customer });
    }
    take(customer);
    return null;
  }
  const copy: Target = {
    isKnown: (reference) => known.has(reference),
    async put(batch) {
      const refusals: (CustomerRefusal | null)[] = [];
      for (const imported of batch) {
        await turn();
        refusals.push(put(imported));
      }
      lines.sort((a, b) => a.line - b.line).splice(LINES);
      return refusals;
    },
  };
  await putCustomers(read, copy, reading);
  return {
    ...counts,
    ...linesReport(read),
    undialable: { count: undialable.length, first: undialable[0] },
    version: version.digest('base64url'),
    seen,
    ...{ lines, changes, missingSegments: [...missing] },
    canCreate: segments.size + missing.size <= accountLimits.segments,
  };
}
