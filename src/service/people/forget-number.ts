import { isDeepStrictEqual } from 'node:util';
import { queryEntries } from '../../shared/api/contract/fields.ts';
import { sameLine } from '../../shared/phone-number/same-line.ts';
import { writtenNumber } from '../../shared/phone-number/written-number.ts';
import { parseJson, stringInJson } from '../../shared/process/parse-json.ts';
import { newUid } from '../accounts/directory.ts';
import type { DirectoryStore } from '../accounts/directory-store.ts';
import type { AuditStore } from '../audit/audit-store.ts';
import { FORGOTTEN } from '../calls/call-record.ts';
import type { CallStore } from '../calls/call-store.ts';
import type { HistorySearch, RequestStore, StoredRequest } from '../history/request-store.ts';
import { isRead } from '../kit/page-request.ts';
import type { CallerStore } from './caller-store.ts';
import { type Customer, eachText } from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import { utf16Of } from './import/decode-text.ts';

type ForgetReport = {
  readonly calls: number;
  readonly requests: number;
  readonly customers: number;
  /** Notes about others, entries of the audit log, receivers' answers, and reports and certificates of bridges that named it. */
  readonly texts: number;
  /** Where it still stands, and in how many. */
  readonly left: Left;
  /** See `Store.purge`. */
  readonly isPurged: boolean;
};

/**
 * `callIds`: of calls whose id contains the number. The id is what a phone system knows a call by, and stays. The others
 * have a name, or an address, that people gave: without it, they could not be recognised.
 */
type Left = Readonly<Record<'callIds' | NamedKind, number>>;

const namedKinds = {
  segments: 'segments',
  users: 'users',
  integrations: 'integrations',
  extensions: 'extensions',
  webhooks: 'webhooks',
  weekly: 'weekly reports',
  notifications: 'notifications',
  accounts: 'accounts',
} as const;
type NamedKind = keyof typeof namedKinds;

/** For a caller that removed something while `purge` could not end. */
export const stillInLog =
  'what was removed is still in service.db-wal, since another program (a backup, or sqlite3) reads the database: end that, and restart the service';

/** What was removed, and what is left and why. Without the number: it goes into the audit log. */
export function forgetSummary({ calls, requests, customers, texts, left, isPurged }: ForgetReport): string {
  const names = Object.entries(namedKinds).flatMap(([kind, text]) => {
    const count = left[kind as NamedKind];
    return count === 0 ? [] : [`${text} (${count})`];
  });
  return [
    `removed from calls (${calls}), requests (${requests}), customers (${customers}) and other texts (${texts})`,
    ...(left.callIds === 0 ? [] : [`still in the ids of calls (${left.callIds})`]),
    ...(names.length === 0
      ? []
      : [`still in names and addresses of ${names.join(', ')}, which people gave: change or remove them`]),
    ...(isPurged ? [] : [stillInLog]),
  ].join('; ');
}

/** Whether nothing of the account has, or had, the number. */
export const isUnknown = ({ left, isPurged: _, ...removed }: ForgetReport): boolean =>
  [...Object.values(removed), ...Object.values(left)].every((count) => count === 0);

/** What of the store forgetting changes. */
export type ForgettingStore = {
  readonly calls: CallStore;
  readonly callers: CallerStore;
  readonly requests: RequestStore;
  readonly customers: CustomerStore;
  readonly audit: AuditStore;
  readonly directory: Pick<DirectoryStore, 'read' | 'rewriteBridgeReports'>;
  readonly users: {
    list(account: number): Promise<readonly { readonly name: string; readonly signInName: string }[]>;
  };
  readonly weekly: { addresses(account: number): Promise<readonly string[]> };
  readonly notifications: { texts(account: number): Promise<readonly string[]> };
  readonly webhooks: {
    list(
      account: number,
    ): Promise<readonly { readonly url: string; readonly shape: object | null; readonly filter: object }[]>;
    forget(account: number, people: readonly string[], without: (text: string) => string): Promise<number>;
  };
  purge(): Promise<boolean>;
};

/** What the history keeps of a request that names the number, and of what a lookup was answered. */
const keptFields = ['id', 'direction', 'status', 'caller_id'];
const keptAnswers = ['priority', 'segment'];

/** Removes a number from an account (see `forgetForm`), in all forms in which its line may have called. */
export async function forgetNumber(
  store: ForgettingStore,
  account: number,
  number: string,
  progress?: (requests: number, of: number) => void,
): Promise<ForgetReport> {
  const sum = { calls: 0, requests: 0, customers: 0, texts: 0 };
  let callIds = 0;
  const forms = sameLine(number);
  for (const form of forms) {
    const report = await forgetForm(store, account, form, progress);
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += report[name];
    callIds += report.callIds;
  }
  store.callers.changed(account);
  const isPurged = await store.purge();
  const names = await namesWith(store, account, forms.map(writtenNumber));
  return { ...sum, left: { callIds, ...names }, isPurged };
}

/** How many of each kind have one of these in their names or addresses. */
async function namesWith(
  { directory, customers, users, weekly, notifications, webhooks }: ForgettingStore,
  account: number,
  written: readonly RegExp[],
): Promise<Readonly<Record<NamedKind, number>>> {
  const has = (...texts: string[]) => texts.some((text) => written.some((one) => text.search(one) >= 0));
  const count = <T>(all: readonly T[], textsOf: (one: T) => string[]) =>
    all.filter((one) => has(...textsOf(one))).length;
  const read = (await directory.read(0))?.directory;
  const integrations = read?.integrations.filter((one) => one.account === account) ?? [];
  const accounts = read?.accounts.filter(({ id }) => id === account) ?? [];
  const extensions = [...(read?.extensions.get(account)?.values() ?? [])];
  return {
    segments: count(await customers.segments(account), ({ name }) => [name]),
    users: count(await users.list(account), ({ name, signInName }) => [name, signInName]),
    integrations: count(integrations, ({ name }) => [name]),
    extensions: count(extensions, ({ extension, name }) => [extension, name]),
    webhooks: count(await webhooks.list(account), ({ url, shape, filter }) => [
      url,
      JSON.stringify([shape, filter]),
    ]),
    weekly: count(await weekly.addresses(account), (address) => [address]),
    notifications: count(await notifications.texts(account), (text) => [text]),
    accounts: count(accounts, ({ name, crmUrl }) => [name, crmUrl ?? '']),
  };
}

/**
 * Removes a number from an account, however it is written. Calls and requests stay without it; a customer without another
 * number is deleted. `number` is in the form in which numbers are compared. The calls come last, since they lead to the
 * requests: after a failure, run it again. It reads the account's whole history, and tells how many requests it has read.
 */
async function forgetForm(
  store: ForgettingStore,
  account: number,
  number: string,
  progress: (requests: number, of: number) => void = () => {},
): Promise<Record<'calls' | 'requests' | 'customers' | 'texts' | 'callIds', number>> {
  const written = writtenNumber(number);
  const without = (text: string) => text.replaceAll(written, FORGOTTEN);
  const isNumber = (text: string) => text !== FORGOTTEN && without(text).trim() === FORGOTTEN;
  const masked = new Set<number>();
  const { total } = await store.requests.page({ account, order: 'oldest', offset: 0, limit: 1 });
  let seen = 0;
  async function mask(search: HistorySearch | null, isOfNumber: boolean): Promise<void> {
    for await (const entries of store.requests.all({ account, search, order: 'oldest' })) {
      seen += search === null ? entries.length : 0;
      progress(seen, total);
      for (const entry of entries) {
        if (masked.has(entry.id)) continue;
        const before = { path: entry.path, request: textOf(entry), response: entry.response };
        const names = namesOf(entry);
        const named = isOfNumber || names.some(isNumber);
        // Earlier versions left the answers of lookups.
        const answered =
          named || names.includes(FORGOTTEN) ? answeringNothing(before.response) : before.response;
        const after = {
          path: without(before.path),
          request: named ? namingNothing(entry, without) : withoutInTexts(before.request, without),
          response: answered === null ? null : withoutInTexts(answered, without),
        };
        if (!named && isDeepStrictEqual(before, after)) continue;
        masked.add(entry.id);
        await store.requests.mask(account, entry, after);
      }
    }
  }

  for await (const calls of store.calls.ofNumber(account, number))
    for (const { id } of calls) await mask({ in: 'call', term: id }, true);
  await mask(null, false);
  // First: removed customers and notes leave events of webhooks.
  const { customers, gone } = await forgetCustomers(store, account, number, without);
  const texts = [
    await store.callers.forget(account, number, without),
    await store.webhooks.forget(account, [number, ...gone], without),
    await store.audit.rewrite(account, without),
    await store.directory.rewriteBridgeReports(account, (report) => withoutInJson(report, without)),
  ];
  const { calls, callIds } = await store.calls.forget(account, number, without);
  return {
    calls,
    callIds,
    customers,
    requests: masked.size,
    texts: texts.reduce((sum, count) => sum + count, 0),
  };
}

/**
 * JSON whose strings are rewritten: a figure with the same digits is no number. It is read as a text, in which no nesting is
 * too deep, and which need not be JSON.
 */
const withoutInJson = (json: string, without: (text: string) => string) =>
  json.replace(new RegExp(stringInJson, 'gs'), (written) => {
    const text = parseJson(written);
    if (typeof text !== 'string') return without(written);
    const after = without(text);
    return after === text ? written : JSON.stringify(after);
  });

/** A stored text, also where its characters are escaped as in JSON. NUL, which PostgreSQL stores in bytes alone, is U+FFFD. */
function withoutInTexts(text: string, without: (text: string) => string): string {
  const left = without(text.includes('\\') ? withoutInJson(text, without) : text);
  return left === text ? text : left.replaceAll('\0', '\ufffd');
}

/** What came: the API takes JSON in UTF-16, too, which is bytes with zeros, or a text with them where a text can have some. */
function textOf({ request }: StoredRequest): string {
  if (typeof request === 'string' && !request.includes('\0')) return request;
  const bytes = Buffer.from(request);
  const utf16 = utf16Of(bytes);
  return utf16 === undefined ? bytes.toString() : new TextDecoder(utf16).decode(bytes);
}

function fieldsOf(entry: StoredRequest): object {
  const text = textOf(entry);
  return isRead(entry) ? Object.fromEntries(queryEntries(text)) : (parseJson(text) ?? {});
}

/** Whose call, or lookup, a request was. It need not have been one that was accepted: the fields can be anything. */
const namesOf = (entry: StoredRequest) =>
  Object.entries(fieldsOf(entry)).flatMap(([name, value]) => (isCaller(name) ? textsIn(value) : []));

/** The texts and numbers in a JSON value, however deep it is: without recursion. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const left = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (isPlain(one)) texts.push(`${one}`);
    else if (typeof one === 'object' && one !== null)
      for (const inner of Object.values(one)) left.push(inner);
  }
  return texts;
}

const isPlain = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

const isCaller = (field: string) => field === 'from' || field === 'number';

/** What a lookup was answered, with only those fields that tell nothing of the caller; other answers as they are. */
function answeringNothing(response: string | null): string | null {
  const answer = response && parseJson(response);
  if (typeof answer !== 'object' || answer === null || !('segment' in answer)) return response;
  const kept = Object.entries(answer).filter(([name]) => keptAnswers.includes(name));
  return JSON.stringify(Object.fromEntries(kept));
}

/** The payload with only those fields that name no person. The id is what a phone system knows a call by, and stays. */
function namingNothing(entry: StoredRequest, without: (text: string) => string): string {
  const kept = Object.entries(fieldsOf(entry)).flatMap(([name, value]) => {
    if (isCaller(name)) return [[name, FORGOTTEN]];
    if (!keptFields.includes(name) || !isPlain(value)) return [];
    return [[name, name === 'id' || without(`${value}`) === `${value}` ? value : without(`${value}`)]];
  });
  const left = Object.fromEntries(kept);
  return isRead(entry) ? `${new URLSearchParams(left)}` : JSON.stringify(left);
}

/** The customer whose number it is, and those in whose texts it stands. Returns how many, and the references that are gone. */
async function forgetCustomers(
  { customers }: { readonly customers: CustomerStore },
  account: number,
  number: string,
  without: (text: string) => string,
): Promise<{ readonly customers: number; readonly gone: readonly string[] }> {
  let changed = 0;
  const gone: string[] = [];
  for await (const page of customers.all(account))
    for (const customer of page) {
      if (!(await forgetCustomer({ customers }, account, customer, number, without))) continue;
      changed += 1;
      if ((await customers.get(account, customer.reference)) === undefined) gone.push(customer.reference);
    }
  return { customers: changed, gone };
}

/** Whether the number was there. Whatever somebody changes at the same moment stays, without the number. */
async function forgetCustomer(
  { customers }: { readonly customers: CustomerStore },
  account: number,
  read: Customer,
  number: string,
  without: (text: string) => string,
): Promise<boolean> {
  const uid = newUid();
  // A table of numbers alone makes them references and names.
  const rewritten = (text: string) => (without(text) === FORGOTTEN ? uid : without(text));
  let isReferenceTaken = false;
  for (let customer: Customer | undefined = read; customer !== undefined; ) {
    const one: Customer = customer;
    const after: Customer = {
      ...customer,
      ...eachText((name) => rewritten(one[name])),
      reference: isReferenceTaken ? uid : rewritten(one.reference),
      numbers: customer.numbers.filter((other) => !sameLine(number).includes(other)),
    };
    if (isDeepStrictEqual(customer, after)) return false;
    const isNobody = after.numbers.length === 0 && customer.numbers.length > 0;
    const replacement = { before: [customer], after: isNobody ? [] : [after] };
    const outcome = await customers.replace(account, replacement);
    if (outcome === null) return true;
    if (outcome !== 'changed' && outcome.reason === 'reference-taken') isReferenceTaken = true;
    else customer = await customers.get(account, read.reference);
  }
  return false;
}
