import assert from 'node:assert/strict';
import { forgetNumber } from '../../src/service/customers/forget-number.ts';
import { customer } from '../../src/service/store/customer.fixture.ts';
import type { Store } from '../../src/service/store/store.ts';

/** A column that can hold text or bytes, and all its values as text. */
export type TextColumn = { readonly table: string; readonly column: string; readonly values: string };

/** Columns with a caller's number, name or words about the caller: `forget` must clear each. */
const ofCallers = [
  ...['customers.reference', 'customers.name', 'customers.search', 'customer_numbers.number'],
  ...['calls.from_number', 'calls.number'],
  ...['history.from_number', 'history.request', 'history.request_bytes', 'history.response'],
  ...['caller_actions.number', 'caller_actions.text', 'audit.target', 'webhook_deliveries.answer'],
];

/** All others, by table: no caller is named in them. */
const others: Readonly<Record<string, string>> = {
  accounts: 'uid name country time_zone crm_url opening_hours',
  audit: 'what who source',
  bridge_health: 'report',
  caller_actions: 'user_name kind',
  calls: 'call_id status caller_id number_called line missed_where missed_name missed_by changed',
  extensions: 'extension name',
  history: 'method path call_id effect',
  integrations: 'uid name',
  kept_figures: 'figures',
  old_token_uses: 'address',
  segments: 'name',
  sessions: 'id address browser',
  site: 'secret_mark',
  users: 'uid name sign_in_name role language password second_factor recovery_codes bar',
  webhook_deliveries: 'event state',
  webhook_reader: 'holder place',
  webhooks: 'uid url events failure',
  weekly_reports: 'address sent_week',
};

const number = '+4930901820';
const reference = 'customer-of-crm';
/** Whatever names the caller below, in any form. */
const traces = /901820|Marker|marker|customer-of-crm/;

/** Puts data of one caller into every column that may have some, forgets the number, and searches all columns. */
export async function forgetClearsEveryColumn(
  store: Store,
  account: number,
  readColumns: () => Promise<readonly TextColumn[]>,
): Promise<void> {
  const nameOf = ({ table, column }: TextColumn) => `${table}.${column}`;
  const named = async () => (await readColumns()).filter(({ values }) => traces.test(values)).map(nameOf);
  const columns = (await readColumns()).map(nameOf);
  const classified = Object.entries(others).flatMap(([table, names]) =>
    names.split(' ').map((name) => `${table}.${name}`),
  );
  assert.deepEqual(
    columns.filter((name) => !ofCallers.includes(name) && !classified.includes(name)),
    [],
    'a new column: does it name callers? Put it into one of the lists above, and let forget clear it if it does',
  );

  await store.customers.put(account, [customer({ reference, name: 'Ann Marker', numbers: [number] })]);
  const webhook = { uid: 'forget', account, url: 'https://a.example/hook', since: 0 };
  await store.webhooks.add({ ...webhook, events: ['call.ringing'] });
  const request = {
    ...{ account, integration: 1, at: 100, began: 0, method: 'POST', path: '/api/v1/voice/call' },
    ...{ status: 200, response: `{"from":"${number}"}`, callId: 'a', fromNumber: number },
  };
  const event = { id: 'a', status: 'ringing', from: number, number, callerId: null } as const;
  await store.requests.record({ ...request, request: JSON.stringify({ from: number }), event });
  const bytes = new Uint8Array(Buffer.from(`{"from":"${number}","name":"\xff"}`, 'latin1'));
  await store.requests.record({ ...request, request: bytes, event: null });
  await store.callers.act(account, { number, at: 1, user: 'Eve', kind: 'note', text: 'Ms Marker calls' });
  await store.audit.write({
    ...{ account, at: 1, what: 'removal', who: 'Eve', from: '::1', target: `customer ${number}` },
  });
  await store.webhooks.queueNew(null, 200);
  const [{ id } = { id: 0 }] = (await store.webhooks.list(null)).filter(({ uid }) => uid === 'forget');
  const { deliveries } = await store.webhooks.page({ webhook: id, failed: false, before: null, limit: 1 });
  const seq = deliveries[0]?.id as number;
  const result = { seq, callId: 'a', outcome: 'delivered', at: 300, counted: true, durationMs: 1 } as const;
  await store.webhooks.record(id, result, `thanks for ${number}`);

  const expected = ofCallers.filter((name) => columns.includes(name));
  assert.deepEqual((await named()).sort(), expected.sort(), 'each holds something of the caller before');
  await forgetNumber(store, account, number);
  assert.deepEqual(await named(), []);

  // A table of numbers alone has made the first number the customer's name.
  await store.customers.put(account, [
    customer({ reference: 'b5', name: number, numbers: [number, '+4930111'] }),
  ]);
  await forgetNumber(store, account, number);
  assert.deepEqual(await named(), []);
}
