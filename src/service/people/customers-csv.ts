import { pieces, sortWithPauses } from '../kit/event-loop-pauses.ts';
import { line } from '../kit/text.ts';
import { en } from '../words/en.ts';
import { formError, type Words } from '../words/words.ts';
import { codeFields, columns, eachText } from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import { columnUses, type Mapping } from './import/choose-columns.ts';
import { isStorable, type PlannedCustomer, planCustomers } from './import/plan-import.ts';
import { type LinesReport, planReport } from './import/plan-report.ts';
import { type ReadCustomers, readCustomers } from './import/read-customers.ts';
import { type GoOn, storePlan } from './import/store-plan.ts';
import { readTable, type Table } from './import/table.ts';
import type { LineReports } from './import-refusals.ts';

/** The texts of a form or of a customer at /admin. */
export const textSchemas = {
  ...eachText((name) => line(name, { blank: name !== 'name' }).optional()),
  language: line('language', { blank: true })
    .refine((text) => codeFields.language.read(text) !== undefined, formError('languageCode'))
    .transform((text) => codeFields.language.read(text) ?? '')
    .optional(),
};

type ImportReport = LinesReport & {
  /** Customers that are stored. */
  readonly imported: number;
};

/** The priority of a segment that an import creates: as that of callers without one, until somebody decides. */
export const NEW_PRIORITY = 0;

/** The file is not a table of customers; nothing was imported. */
export class BadTable extends Error {}

/** Where customers are imported to, and in which language errors are. */
type Into = {
  readonly customers: CustomerStore;
  readonly account: number;
  readonly words?: Words | undefined;
};

/** How an import is followed, and ended. */
type Course = {
  /** Asked before each batch; ends it by throwing. */
  readonly goOn?: GoOn | undefined;
  /** Told how many customers are stored, of all, after each batch. */
  readonly progress?: (stored: number, all: number) => void;
};

/** What an import will do: of each customer of a table, and what is said of its lines. */
export type ImportPlan = { readonly lines: LineReports; readonly customers: readonly PlannedCustomer[] };

/** Plans what an import does with the customers of a table. `prepare` gets what was read, before the segments are. */
export async function planImport(
  table: Table,
  {
    customers,
    account,
    words = en,
    prepare = async () => {},
    ...reading
  }: Into & {
    readonly country: string | null;
    readonly mapping: Mapping;
    readonly prepare?: (read: ReadCustomers) => Promise<void>;
  },
): Promise<ImportPlan> {
  const read = await readCustomers(table, {
    ...reading,
    words,
    find: (references, numbers) => customers.matching(account, references, numbers),
  });
  await prepare(read);
  const segments = new Set((await customers.segments(account)).map(({ name }) => name));
  const plan = await planCustomers(read.customers, read.known, (name) => segments.has(name), words);
  const { refused, left, unsure, repeated, leftOut } = read;
  const firstLine = ({ imported }: PlannedCustomer) => imported.lines[0] ?? 0;
  return {
    lines: { refused, left, unsure, repeated, leftOut },
    customers: await sortWithPauses(plan, firstLine),
  };
}

/** Does what was planned. `isSeen`: somebody has seen the plan, so that customers who have changed since then are refused. */
export async function importPlan(
  { lines, customers: plan }: ImportPlan,
  {
    customers,
    account,
    words,
    isSeen,
    goOn,
    progress = () => {},
  }: Into & Course & { readonly isSeen?: boolean },
): Promise<ImportReport> {
  const stored = await storePlan(
    plan,
    {
      find: (references, numbers) => customers.matching(account, references, numbers),
      segments: () => customers.segments(account),
      replace: (replacement) => customers.replace(account, replacement),
    },
    { words, isSeen, goOn, progress: (stored) => progress(stored, plan.length) },
  );
  let imported = 0;
  for await (const some of pieces(stored)) imported += some.filter(isStorable).length;
  return { imported, ...(await planReport(lines, stored)) };
}

/**
 * Adds or changes the customers of a table. Lines with an error are reported, the others are imported, and of those only
 * the cells that cannot be: unreadable numbers, and numbers of other customers. Without a `mapping` the columns must have
 * our own names. @throws BadTable; Refusal if it has too many columns or lines
 */
export async function importCustomers(
  text: string,
  {
    createSegments = false,
    country,
    mapping,
    mostLines,
    ...into
  }: Into &
    Course & {
      readonly country: string | null;
      readonly mapping?: Mapping;
      /** Whether segments that do not exist are created. */
      readonly createSegments?: boolean;
      /** Lines that the table may have; absent: any number. */
      readonly mostLines?: number;
    },
): Promise<ImportReport & { readonly unknownColumns: readonly string[] }> {
  const { customers, account, goOn = () => {} } = into;
  const table = readTable(text, mostLines);
  const read = mapping ?? exactMapping(table.header);
  const plan = await planImport(table, {
    ...into,
    country,
    mapping: read,
    async prepare(read) {
      if (!createSegments) return;
      await goOn();
      const named = new Set<string>();
      for await (const some of pieces(read.customers))
        for (const { segment } of some) if (segment) named.add(segment);
      await customers.addSegments(account, named, NEW_PRIORITY);
    },
  });
  const unknownColumns = table.header.filter((name, index) => name !== '' && !read[index]);
  return { ...(await importPlan(plan, into)), unknownColumns };
}

/** An import in words. */
export const importSummary = ({ imported, refused, left, unsure }: ImportReport) =>
  [
    `${imported} imported, ${refused} refused`,
    ...(left > 0 ? [`${left} values left out`] : []),
    ...(unsure > 0 ? [`${unsure} to check`] : []),
  ].join(', ');

/** Whether a table with these columns says which customers it is about. */
export const namesCustomers = (names: readonly string[]): boolean =>
  names.includes('reference') || names.includes('numbers');

/** The columns that the header names exactly. */
function exactMapping(header: readonly string[]): Mapping {
  const names = header.map((name) => name.toLowerCase());
  const isEmpty = !columns.some((name) => name !== 'reference' && names.includes(name));
  if (isEmpty || !namesCustomers(names))
    throw new BadTable(
      `The first line must name the columns: ${columns.join(',')}. It needs numbers, or reference and another one.`,
    );
  return names.map((name) => columnUses.find((use) => use === name) ?? '');
}
