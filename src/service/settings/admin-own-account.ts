import { Readable } from 'node:stream';
import { z } from 'zod';
import { errorSchema } from '../../shared/api/contract/errors.ts';
import type { Account } from '../accounts/account.ts';
import { exportLines } from '../accounts/account-data.ts';
import type { AdminAccess, AdminRequest } from '../accounts/admin-access.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { given, name, operation, type ZodInstance } from '../kit/administration.ts';
import type { Budgets } from '../kit/budget.ts';
import { whenClosed } from '../kit/closed-with.ts';
import { isHead } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import { accountSchema, accountView, country, numbersKeptDays } from './admin-accounts.ts';
import { changeAccount } from './change-account.ts';

const accountChange = z.object({
  name: name.optional().describe('As it is: only the operator can change it.'),
  country: country.optional(),
  numbers_kept_days: numbersKeptDays.optional(),
});

const operations = {
  get: operation('getAccount', 'Read the account', { response: { 200: accountSchema } }),
  change: operation('changeAccount', 'Change the account', {
    turn: 'long',
    body: accountChange,
    response: {
      200: accountSchema,
      403: errorSchema.describe('Only the operator can rename an account.'),
      429: errorSchema.describe('The country is being changed: all customers are read again.'),
    },
  }),
  export: operation(
    'exportAccount',
    'Read everything that is stored of the account, without secrets: a line of JSON a row',
    { response: { 200: z.string().describe('application/x-ndjson: {"table": ..., "row": {...}}') } },
  ),
};

type Parts = AdminAccess & {
  readonly store: Parameters<typeof exportLines>[0] & { readonly customers: CustomerStore };
  readonly directory: ServiceDirectory;
  readonly budgets: Budgets;
};

/** The account of the token: its settings, and everything that is stored of it. */
export function adminOwnAccountRoutes(app: ZodInstance, parts: Parts): void {
  const { store, budgets, accountOf, audit } = parts;
  app.get('/account', operations.get, (request) => accountView(accountOf(request)));
  app.patch('/account', operations.change, (request) => change(request, parts));
  app.get('/export', operations.export, async (request, reply) => {
    const { id } = accountOf(request);
    whenClosed(reply, budgets.readers.take(id));
    if (!isHead(request)) await audit(request, 'export', 'everything');
    return reply.type('application/x-ndjson').send(Readable.from(exportLines(store, id)) as never);
  });
}

async function change(request: AdminRequest & { body: z.output<typeof accountChange> }, parts: Parts) {
  const { store, directory, budgets, accountOf, audit } = parts;
  const account = accountOf(request);
  const { name = account.name, country: code, numbers_kept_days: days } = request.body;
  // The operator's commands choose accounts by their names.
  if (name !== account.name)
    throw new Refusal(
      403,
      "Only the operator of the service can rename an account: PATCH /admin/accounts/UID with the operator's token, or pbx-bridge service account set --name.",
    );
  const into = { directory, customers: store.customers, budgets };
  await audit(
    request,
    'settings',
    await changeAccount(into, account, given({ country: code, numbersKeptDays: days })),
  );
  return accountView(directory.accounts().find(({ id }) => id === account.id) as Account);
}
