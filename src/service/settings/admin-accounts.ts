import { z } from 'zod';
import { isCountry } from '../../shared/phone-number/normalise-number.ts';
import { newUid, type ServiceDirectory } from '../accounts/directory.ts';
import type { Account } from '../accounts/directory-store.ts';
import type { Keys } from '../accounts/keys.ts';
import type { AuditStore } from '../audit/audit-store.ts';
import { name, operation, type ZodInstance } from '../kit/administration.ts';

export const country = z
  .string()
  .refine(isCountry, 'The country field must be two letters of ISO 3166.')
  .nullable()
  .describe('How numbers without a country are read: two letters of ISO 3166.');

export const accountSchema = z
  .object({ uid: z.string(), name: z.string(), country: z.string().nullable() })
  .meta({ id: 'Account' });
const madeSchema = accountSchema
  .extend({ admin_token: z.string().describe('For the rest of this API. Shown now only.') })
  .meta({ id: 'AccountWithToken' });

export const accountView = ({ uid, name, country }: Account) => ({ uid, name, country });

/** All accounts, with the operator's token: list, add. */
export function adminAccountRoutes(
  app: ZodInstance,
  {
    store,
    directory,
    keys,
    clock,
  }: { store: { audit: AuditStore }; directory: ServiceDirectory; keys: Keys; clock: () => number },
): void {
  app.get(
    '/accounts',
    operation('listAccounts', "List all accounts, with the operator's token", {
      response: { 200: z.array(accountSchema) },
    }),
    async () => {
      await directory.refresh();
      return directory.accounts().map(accountView);
    },
  );
  app.post(
    '/accounts',
    operation('addAccount', "Add an account, with the operator's token", {
      body: z.object({ name, country: country.default(null) }),
      response: { 201: madeSchema },
    }),
    async (request, reply) => {
      const { name, country } = request.body;
      const account = await directory.addAccount({ uid: newUid(), name, country });
      await directory.refresh();
      await store.audit.write({
        ...{ account: account.id, at: clock(), what: 'settings', who: 'operator token' },
        ...{ from: `${request.ip} (/admin)`, target: `account ${name} added` },
      });
      return reply.code(201).send({ ...accountView(account), admin_token: keys.adminToken(account) });
    },
  );
}
