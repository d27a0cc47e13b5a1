import type { FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isCountry } from '../../shared/phone-number/normalise-number.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Account } from '../accounts/directory-store.ts';
import type { Keys } from '../accounts/keys.ts';
import type { AuditStore } from '../audit/audit-store.ts';
import { adminIntegrationRoutes } from '../integrations/admin-integrations.ts';
import { type AccountOf, type AdminAudit, given, name } from '../kit/administration.ts';
import type { Budgets } from '../kit/budget.ts';
import { bearerToken } from '../kit/security-headers.ts';
import { adminCustomerRoutes } from '../people/admin-customers.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import { changeAccount } from './change-account.ts';

const accountChange = z.object({
  name: name.optional(),
  country: z
    .string()
    .refine(isCountry, 'The country field must be two letters of ISO 3166.')
    .nullable()
    .optional(),
});

type Parts = {
  store: { audit: AuditStore; customers: CustomerStore };
  directory: ServiceDirectory;
  keys: Keys;
  budgets: Budgets;
  clock: () => number;
};

/**
 * /admin: an account's settings, with its administration token. Integration tokens are refused: a phone system does not
 * need the customers.
 */
export function adminRoutes({ store, directory, keys, budgets, clock }: Parts) {
  const accounts = new WeakMap<object, Account>();
  const accountOf: AccountOf = ({ raw }) => accounts.get(raw) as Account;

  return async (instance: FastifyInstance) => {
    const app = instance.withTypeProvider<ZodTypeProvider>();
    app.setValidatorCompiler(validatorCompiler);
    app.setSerializerCompiler(serializerCompiler);
    // Registered here so that the hook runs first: unauthenticated clients do not learn which paths exist.
    app.setNotFoundHandler((_request, reply) =>
      reply.code(404).send({ message: 'There is nothing at this path.' }),
    );
    app.addHook('onRequest', async (request, reply) => {
      const account = directory.administrator(bearerToken(request.headers.authorization) ?? '');
      if (account === undefined) return reply.code(401).send({ message: 'Unauthenticated.' });
      accounts.set(request.raw, account);
    });

    const audit: AdminAudit = (request, what, target) =>
      store.audit.write({
        account: accountOf(request).id,
        at: clock(),
        what,
        who: 'administration token',
        from: `${request.ip} (/admin)`,
        target,
      });
    const account = ({ uid, name, country }: Account) => ({ uid, name, country });
    app.get('/account', (request) => account(accountOf(request)));
    app.patch('/account', { schema: { body: accountChange } }, async (request) => {
      const { id } = accountOf(request);
      const parts = { directory, customers: store.customers };
      const changed = await changeAccount(parts, accountOf(request), given(request.body));
      await audit(request, 'settings', changed);
      return account(directory.accounts().find((candidate) => candidate.id === id) as Account);
    });

    adminIntegrationRoutes(app, accountOf, audit, directory, keys, clock);
    adminCustomerRoutes(app, accountOf, audit, { store, budgets });
  };
}
