import { numberForms } from '../../shared/phone-number/normalise-number.ts';
import { parseJson } from '../../shared/process/parse-json.ts';
import { newUid } from '../accounts/directory.ts';
import type { AuditStore } from '../audit/audit-store.ts';
import { FORGOTTEN } from '../calls/call-record.ts';
import type { CallStore } from '../calls/call-store.ts';
import type { HistorySearch, RequestStore, StoredRequest } from '../history/request-store.ts';
import type { CallerStore } from './caller-store.ts';
import { eachText } from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';

type ForgetReport = { readonly calls: number; readonly requests: number; readonly customers: number };

export const forgetSummary = ({ calls, requests, customers }: ForgetReport) =>
  `removed from calls (${calls}), requests (${requests}) and customers (${customers})`;

/** What the history keeps of a request that names the number. */
const keptFields = ['id', 'direction', 'status', 'caller_id'];

/**
 * Removes a number from an account. Calls and requests stay without it; a customer without another number is deleted.
 * `number` is in the form in which numbers are compared. The calls come last, since they lead to the requests: after a
 * failure, run it again.
 */
export async function forgetNumber(
  store: {
    readonly calls: CallStore;
    readonly callers: CallerStore;
    readonly requests: RequestStore;
    readonly customers: CustomerStore;
    readonly audit: AuditStore;
  } & {
    readonly webhooks: { forget(account: number, number: string): Promise<unknown> };
  },
  account: number,
  number: string,
): Promise<ForgetReport> {
  const forms = new Set(numberForms(number));
  const masked = new Set<number>();
  const without = (text: string) => [...forms].reduce((rest, form) => replaced(rest, form), text);
  async function mask(search: HistorySearch, request: (entry: StoredRequest) => string): Promise<void> {
    for await (const entries of store.requests.all({ account, search, order: 'oldest' }))
      for (const entry of entries) {
        if (masked.has(entry.id)) continue;
        masked.add(entry.id);
        const response = entry.response === null ? null : without(entry.response);
        await store.requests.mask(account, entry, { request: request(entry), response });
      }
  }

  for await (const calls of store.calls.ofNumber(account, number))
    for (const { id, from } of calls) {
      forms.add(from);
      await mask({ in: 'call', term: id }, namingNothing);
    }
  for (const term of forms) await mask({ in: 'number', term }, namingNothing);
  // Searches for the number, and other payloads that hold it. A short number would be found inside of others.
  if (number.startsWith('+'))
    for (const term of forms)
      for (const part of ['request', 'response'] as const)
        await mask({ in: part, term }, ({ request }) =>
          without(typeof request === 'string' ? request : Buffer.from(request).toString()),
        );
  await store.callers.forget(account, number);
  await store.webhooks.forget(account, number);
  const customers = await forgetCustomer(store, account, number);
  if (number.startsWith('+')) for (const form of forms) await store.audit.mask(account, form, FORGOTTEN);
  return { calls: await store.calls.forget(account, number), requests: masked.size, customers };
}

/** A text without a number, as it is or percent-encoded. */
const replaced = (text: string, number: string) =>
  text.replaceAll(number, FORGOTTEN).replaceAll(encodeURIComponent(number), FORGOTTEN);

/** The payload with only those fields that name no person. */
function namingNothing({ method, request }: StoredRequest): string {
  const text = typeof request === 'string' ? request : Buffer.from(request).toString();
  const fields = method === 'GET' ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text);
  const kept = Object.entries(fields ?? {}).flatMap(([name, value]) =>
    keptFields.includes(name)
      ? [[name, value]]
      : name === 'from' || name === 'number'
        ? [[name, FORGOTTEN]]
        : [],
  );
  const left = Object.fromEntries(kept);
  return method === 'GET' ? `${new URLSearchParams(left)}` : JSON.stringify(left);
}

async function forgetCustomer(
  { customers }: { readonly customers: CustomerStore },
  account: number,
  number: string,
): Promise<number> {
  const customer = await customers.withNumber(account, number);
  if (customer === undefined) return 0;
  const numbers = customer.numbers.filter((other) => other !== number);
  const { reference } = customer;
  const uid = newUid();
  // A table of numbers alone makes them references and names.
  const withoutNumber = (text: string) => (text === number ? uid : text);
  const texts = eachText((name) => withoutNumber(customer[name]));
  if (numbers.length === 0 || reference === number) await customers.remove(account, reference);
  if (numbers.length > 0)
    await customers.put(account, [{ ...customer, ...texts, reference: withoutNumber(reference), numbers }]);
  return 1;
}
