import { exportedNumber, numberForms } from '../../shared/phone-number/normalise-number.ts';
import type { Account } from '../accounts/account.ts';
import { integrationName, type ServiceDirectory } from '../accounts/directory.ts';
import type { AuditStore } from '../audit/audit-store.ts';
import { callData } from '../calls/call-data.ts';
import type { CallRecord } from '../calls/call-record.ts';
import type { CallStore } from '../calls/call-store.ts';
import { MAX_FORMS, type RequestStore } from '../history/request-store.ts';
import type { AuditKind } from '../words/audit-kinds.ts';
import { customerView } from './admin-customers.ts';
import type { StoredAction } from './caller-action-store.ts';
import type { CallerStore } from './caller-store.ts';
import type { Customer } from './customer-fields.ts';
import type { StoredTrace } from './person-trace-store.ts';

/** Rows that are read in one go. */
const STEP = 500;
/** Characters of a chunk of the file. */
const CHUNK = 65_536;

export type PersonDataParts = {
  readonly store: {
    readonly calls: Pick<CallStore, 'ofNumber'>;
    readonly callers: Pick<CallerStore, 'actions' | 'noticesOf' | 'deliveriesOf' | 'deliveriesAbout'>;
    readonly requests: Pick<RequestStore, 'all'>;
    readonly audit: Pick<AuditStore, 'page'>;
  };
  readonly directory: Pick<ServiceDirectory, 'extensions' | 'integrations'>;
};

/** Whom the data is about: a customer with all numbers, or a number that no customer has. */
export type Whom = {
  readonly account: Pick<Account, 'id' | 'name' | 'country'>;
  readonly customer: Customer | undefined;
  readonly numbers: readonly string[];
};

/** Of what the audit log says that it was exported. */
export const exportedPerson = ({ customer, numbers: [number = ''] }: Whom): string =>
  `${customer ? `customer ${customer.reference}` : `number ${number}`}, everything`;

/**
 * What the service has about a person, by kind, each in the order in which it is stored. Requests and deliveries are without
 * their contents, which are those of the calls.
 */
export function personSections(parts: PersonDataParts, whom: Whom) {
  const { store, directory } = parts;
  const { customer, numbers } = whom;
  const { id: account, country } = whom.account;
  const extensions = directory.extensions(account);
  const system = (id: number) => integrationName(directory, account, id);

  async function* ofNumbers<Row>(rowsOf: (number: string) => AsyncIterable<readonly Row[]>) {
    for (const number of numbers) for await (const rows of rowsOf(number)) yield* rows;
  }
  return {
    calls: () => ofNumbers((number) => store.calls.ofNumber(account, number)),
    actions: () => ofNumbers((number) => actionsOf(store.callers, account, number)),
    notices: () => ofNumbers((number) => store.callers.noticesOf(account, number)),
    async *deliveries() {
      const abouts = [...numbers, ...(customer ? [customer.reference] : [])];
      for await (const one of ofNumbers((number) => store.callers.deliveriesOf(account, number)))
        yield traceOf(one);
      for (const about of abouts)
        for await (const rows of store.callers.deliveriesAbout(account, about)) yield* rows.map(traceOf);
    },
    async *requests() {
      const found = ofNumbers((number) =>
        store.requests.all({
          account,
          search: { in: 'number', term: number, forms: numberForms(number).slice(0, MAX_FORMS) },
          order: 'oldest',
        }),
      );
      for await (const { at, method, path, status, integration } of found)
        yield { at, method, path: path.split('?')[0] ?? '', status, integration: system(integration) };
    },
    audit: () => auditOf(store.audit, whom),
    /** A call as programs get it. */
    callData: (call: CallRecord) => callData(call, extensions, system(call.integration), country),
  };
}

const traceOf = ({ url, ...trace }: StoredTrace) => ({
  ...trace,
  to: new URL(url).host,
});

/** All that was done and noted about a number, newest first. */
async function* actionsOf(
  callers: Pick<CallerStore, 'actions'>,
  account: number,
  number: string,
): AsyncGenerator<StoredAction[]> {
  const given = new Set<number>();
  for (let until = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = await callers.actions(account, { numbers: [number], until }, STEP);
    const fresh = rows.filter(({ id }) => !given.has(id)).toReversed();
    yield fresh;
    const [oldest] = rows;
    if (rows.length < STEP || oldest === undefined) return;
    // Others of the same moment may be left, and those of it are given again.
    given.clear();
    for (const { id, at } of rows) if (at === oldest.at) given.add(id);
    until = fresh.length > 0 ? oldest.at + 1 : oldest.at;
  }
}

/** What the audit log says of the customer and the numbers, newest first. */
async function* auditOf(audit: Pick<AuditStore, 'page'>, { account, customer, numbers }: Whom) {
  const own = new Set(numbers);
  const named = customer && [`customer ${customer.reference}`, `merged into ${customer.reference}`];
  const isAbout = (target: string) =>
    named?.some((text) => target === text || target.startsWith(`${text},`) || target.endsWith(`, ${text}`)) ||
    target.match(/\+?\d+/g)?.some((number) => own.has(number));
  const query = { account: account.id, what: null, who: null, limit: STEP };
  for (let before: Parameters<typeof audit.page>[0]['before'] = null; ; ) {
    const { entries, next } = await audit.page({ ...query, before });
    for (const { at, what, who, from, target } of entries)
      if (isAbout(target)) yield { at, what: what as AuditKind, who, from, target };
    if (next === null) return;
    before = next;
  }
}

/** Everything about a person as one JSON object, chunk by chunk. */
export function personAsJson(parts: PersonDataParts, whom: Whom, now: number): AsyncGenerator<string> {
  const sections = personSections(parts, whom);
  const { account, customer, numbers } = whom;
  const about = {
    account: account.name,
    exported_at: now,
    customer: customer ? customerView(customer, account.country) : null,
    numbers: numbers.map((number) => exportedNumber(number, account.country)),
  };
  async function* items(): AsyncGenerator<string> {
    yield JSON.stringify(about).slice(0, -1);
    yield* list('calls', sections.calls(), sections.callData);
    yield* list('call_backs_and_notes', sections.actions(), ({ id: _, customer: __, ...action }) => action);
    yield* list('notifications', sections.notices(), ({ doneAt: done_at, ...notice }) => ({
      ...notice,
      done_at,
    }));
    yield* list('webhook_deliveries', sections.deliveries(), (one) => one);
    yield* list('requests', sections.requests(), (one) => one);
    yield* list('audit_log', sections.audit(), (one) => one);
    yield '}\n';
  }
  return inChunks(items());
}

async function* list<Row>(
  name: string,
  rows: AsyncIterable<Row>,
  shown: (row: Row) => object,
): AsyncGenerator<string> {
  yield `,\n"${name}":[`;
  let before = '\n';
  for await (const row of rows) {
    yield `${before}${JSON.stringify(shown(row))}`;
    before = ',\n';
  }
  yield ']';
}

/** The same text in fewer pieces. */
export async function* inChunks(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < CHUNK) continue;
    yield text;
    text = '';
  }
  yield text;
}
