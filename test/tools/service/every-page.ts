import { isDialable } from '../../../src/service/calls/call-cells.ts';
import { noFilter } from '../../../src/service/calls/call-store.ts';
import type { Store } from '../../../src/service/database/store.ts';
import { certificate } from './certificate.ts';

/** A page, and how it is called in pictures. */
type EveryPage = { readonly name: string; readonly path: string };

/** Every page that an administrator of an account can open, each as lively as the account's data make it. */
export async function everyPage(store: Store, account: number): Promise<EveryPage[]> {
  const { integrations } = (await store.directory.read(0))?.directory ?? { integrations: [] };
  const [integration] = integrations.filter((candidate) => candidate.account === account);
  const [user] = await store.users.list(account);
  const { customers } = await store.customers.page({
    account,
    words: [],
    segment: null,
    after: null,
    limit: 500,
  });
  const customer = customers.at(-1);
  const [webhook] = await store.webhooks.list(account);
  const { calls } = await store.calls.page({
    account,
    filter: noFilter,
    towards: 'older',
    from: null,
    limit: 1,
  });
  const { callers } = await store.callers.missedCallers(account, Date.now() - 7 * 86_400_000);
  const missed = callers.map(({ call }) => call.number).find(isDialable);
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  return [
    { name: 'window', path: '/calls/window' },
    { name: 'chosen-calls', path: '/account/calls' },
    { name: 'call-back', path: '/call-back' },
    ...(missed === undefined
      ? []
      : [{ name: 'give', path: `/call-back/give?${new URLSearchParams({ number: missed })}` }]),
    { name: 'stranger', path: '/person?number=%2B49401' },
    { name: 'calls', path: '/calls' },
    { name: 'calls-missed', path: '/calls?outcome=missed&number=040x&from=y' },
    ...(calls[0] === undefined
      ? []
      : [{ name: 'call', path: `/calls/details?${new URLSearchParams({ id: calls[0].id })}` }]),
    { name: 'reports', path: `/reports?from=${day(31)}&to=${day(0)}` },
    { name: 'reports-day', path: `/reports?from=${day(1)}&to=${day(1)}&of=missed&start=11:00&end=09:00` },
    { name: 'api-log', path: '/api-log' },
    { name: 'customers', path: '/customers' },
    { name: 'customer-new', path: '/customers/new' },
    ...(customer === undefined
      ? []
      : [
          { name: 'person', path: `/person?${new URLSearchParams({ customer: customer.reference })}` },
          {
            name: 'person-edit',
            path: `/person?${new URLSearchParams({ customer: customer.reference, edit: '', same: 'a' })}`,
          },
        ]),
    { name: 'segments', path: '/segments' },
    { name: 'import', path: '/customers/import' },
    { name: 'integrations', path: '/integrations' },
    { name: 'integration', path: `/integrations/${integration?.uid}` },
    { name: 'webhooks', path: '/webhooks' },
    ...(webhook === undefined ? [] : [{ name: 'webhook', path: `/webhooks/${webhook.uid}` }]),
    { name: 'users', path: '/users' },
    { name: 'user', path: `/users/${user?.uid}` },
    { name: 'opening-hours', path: '/opening-hours' },
    { name: 'audit', path: '/audit' },
    { name: 'notifications', path: '/notifications' },
    { name: 'account', path: '/account' },
    { name: 'security', path: '/security' },
    { name: 'second-factor', path: '/security/second-factor' },
  ];
}

/** What the bridge of an account's first integration has reported: a problem, and a certificate with a difference. */
export async function addBridgeReport(store: Store, account: number): Promise<void> {
  const { integrations = [] } = (await store.directory.read(0))?.directory ?? {};
  const integration = integrations.find((one) => one.account === account);
  const what = 'no delivery: \u202e <b>the API</b> answers a-very-long-word-without-a-blank-in-it-at-all 500';
  const problem = {
    code: 'delivery.outage',
    what,
    remedy: 'Ask its operator.',
    since: Date.now() - 3_600_000,
  };
  await store.directory.saveBridgeReport(
    integration?.id ?? 0,
    Date.now(),
    JSON.stringify({ problems: [problem] }),
  );
  const difference = {
    weight: 'missing',
    what,
    count: 1_234_567,
    calls: Array(10).fill(`pbx-${'9'.repeat(60)}.1`),
  };
  await store.directory.saveCertificate(
    integration?.id ?? 0,
    Date.now(),
    JSON.stringify(certificate({ verdict: 'missing', differences: [difference] })),
  );
}

/** A webhook of the account with a delivery in each state; the service cannot reach it. */
export async function addWebhook(store: Store, account: number): Promise<void> {
  const uid = `00000000000000${account.toString(16).padStart(2, '0')}`;
  const url = 'http://127.0.0.1/a-long-name-of-a-receiver?with=a-token-in-its-query';
  const template = '{"text": "{{title}}: {{caller}} a-very-long-word-without-a-blank-in-it-as-tokens-are"}';
  const shape = { format: 'json', template, language: 'en' } as const;
  const filter = { called: ['+4930*'], segments: ['<b>VIP</b>'], customers: ['7'] };
  const options = { shape, headers: null, filter };
  await store.webhooks.add({ uid, account, url, events: ['call.ringing', 'call.missed'], since: 0, options });
  const [webhook] = await store.webhooks.list(account);
  if (webhook === undefined) return;
  const { id } = webhook;
  const now = Date.now();
  await store.webhooks.queueNew(null, now);
  for (let n = 0; n < 4; n += 1) await store.webhooks.addTest(id, now);
  const { deliveries } = await store.webhooks.page({ webhook: id, failed: false, before: null, limit: 3 });
  const outcomes = ['delivered', 'retry', 'dead'] as const;
  for (const [n, { id: seq }] of deliveries.entries()) {
    const outcome = outcomes[n] ?? 'retry';
    const result = { seq, callId: '', outcome, at: now, counted: true, durationMs: 1, httpStatus: 500 };
    await store.webhooks.record(
      id,
      result,
      '500 <p>\u202eInternal</p> {"error":"a-very-long-word-without-a-blank-in-it"}',
    );
  }
}
