import type { Readable } from 'node:stream';
import { accountLimits } from '../accounts/limits.ts';
import { type Customer, withChange } from './customer-fields.ts';
import { type CustomerStore, isSameCustomer, refusalOf } from './customer-store.ts';
import { type Reading, readCustomers, refusalText } from './customers-csv.ts';
import { type Refused, refusals } from './import-refusals.ts';

/** What importing a table would change. */
export type ImportPreview = {
  readonly added: number;
  readonly changed: number;
  readonly same: number;
  readonly refused: number;
  /** National numbers that cannot be dialled: the account's country is unknown, or has no such number. */
  readonly undialable: { readonly count: number; readonly first: string | undefined };
  /** The first lines: each customer, or the error. */
  readonly lines: readonly { readonly line: number; readonly customer: Customer | string }[];
  /** The first 100 lines that change a known customer. */
  readonly changes: readonly { readonly line: number; readonly before: Customer; readonly after: Customer }[];
  readonly errors: readonly Refused[];
  /** Segments that do not exist. */
  readonly missingSegments: readonly string[];
  /** Whether the account can have them, too. */
  readonly canCreate: boolean;
};

const LINES = 10;
const CHANGES = 100;

/** Reads a table as an import would and changes nothing. Throws BadTable as the import does. */
export async function previewImport(
  input: Readable,
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

  const refusal = (customer: Customer) =>
    refusalOf(
      customer,
      (name) => segments.has(name),
      (number) => owners.get(number),
    );

  const counts = { added: 0, changed: 0, same: 0 };
  const refusedLines = refusals();
  const missing = new Set<string>();
  const lines: { line: number; customer: Customer | string }[] = [];
  const changes: { line: number; before: Customer; after: Customer }[] = [];
  const undialable: string[] = [];
  for await (const { line, customer: change } of readCustomers(input, reading)) {
    const before = typeof change === 'string' ? undefined : known.get(change.reference);
    const customer = typeof change === 'string' ? change : withChange(before, change);
    const refused = typeof customer === 'string' ? undefined : refusal(customer);
    const outcome = refused ? refusalText(refused, reading.words?.customers) : customer;
    if (lines.length < LINES) lines.push({ line, customer: outcome });
    if (typeof outcome === 'string') {
      refusedLines.add(line, outcome);
      if (refused?.reason === 'no-such-segment') missing.add(refused.segment);
      continue;
    }
    undialable.push(...outcome.numbers.filter((number) => /^\d{6,}$/.test(number)));
    const what = before === undefined ? 'added' : isSameCustomer(before, outcome) ? 'same' : 'changed';
    counts[what] += 1;
    if (before && what === 'changed' && changes.length < CHANGES)
      changes.push({ line, before, after: outcome });
    take(outcome);
  }
  return {
    ...counts,
    ...refusedLines.result(),
    undialable: { count: undialable.length, first: undialable[0] },
    lines,
    changes,
    missingSegments: [...missing],
    canCreate: segments.size + missing.size <= accountLimits.segments,
  };
}
