import type { Store } from '../../src/service/store/store.ts';

/** A page, and how it is called in pictures. */
export type EveryPage = { readonly name: string; readonly path: string };

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
  return [
    { name: 'dashboard', path: '/' },
    { name: 'bar', path: '/bar' },
    { name: 'bar-settings', path: '/bar/settings' },
    { name: 'call-back', path: '/call-back' },
    { name: 'caller', path: `/callers?${new URLSearchParams({ number: customer?.numbers[0] ?? '110' })}` },
    { name: 'customers', path: '/customers' },
    { name: 'customer-new', path: '/customers/new' },
    ...(customer === undefined
      ? []
      : [
          {
            name: 'customer',
            path: `/customers/edit?${new URLSearchParams({ reference: customer.reference })}`,
          },
        ]),
    { name: 'segments', path: '/customers/segments' },
    { name: 'import', path: '/customers/import' },
    { name: 'integrations', path: '/integrations' },
    { name: 'integration', path: `/integrations/${integration?.uid}` },
    { name: 'users', path: '/users' },
    { name: 'user', path: `/users/${user?.uid}` },
    { name: 'extensions', path: '/extensions' },
    { name: 'audit', path: '/audit' },
    { name: 'account', path: '/account' },
    { name: 'start', path: '/start' },
    { name: 'second-factor', path: '/account/second-factor' },
  ];
}
