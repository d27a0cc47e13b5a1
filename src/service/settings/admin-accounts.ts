import { z } from 'zod';
import { errorSchema } from '../../shared/api/contract/errors.ts';
import { isCountry } from '../../shared/phone-number/normalise-number.ts';
import type { Account } from '../accounts/account.ts';
import type { AdminRequest, RequestByUid } from '../accounts/admin-access.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Keys } from '../accounts/keys.ts';
import { accountLimits, LEAST_KEPT_DAYS, mostKeptDays } from '../accounts/limits.ts';
import { byUid, given, name, nothing, operation, type ZodInstance } from '../kit/administration.ts';
import { Refusal } from '../kit/refusal.ts';
import { addAccount, renameAccount } from './account-names.ts';
import { changeText } from './change-account.ts';
import { type RemovingStore, removeAccount } from './remove-account.ts';

export const country = z
  .string()
  .refine(isCountry, 'The country field must be two letters of ISO 3166.')
  .nullable()
  .describe('How numbers without a country are read: two letters of ISO 3166.');

const limit = (what: string, none = 'no limit') =>
  z.int().min(1).max(1_000_000).nullable().describe(`${what}; null: ${none}.`);
const limits = {
  requests_per_minute: limit('Requests of all its integrations that a process takes in a minute'),
  most_users: limit('Users that it may have', `${accountLimits.users}`),
};

export const numbersKeptDays = z
  .int()
  .min(LEAST_KEPT_DAYS)
  .max(mostKeptDays(undefined))
  .nullable()
  .describe(
    "Days after which its calls lose their callers' numbers, and notes, requests and deliveries to webhooks are deleted. Reports still count the calls. null: as the service's settings say. These delete earlier if they are shorter.",
  );

export const accountSchema = z
  .object({
    uid: z.string(),
    name: z.string(),
    country: z.string().nullable(),
    numbers_kept_days: numbersKeptDays,
    ...limits,
  })
  .meta({ id: 'Account' });
const madeSchema = accountSchema
  .extend({ admin_token: z.string().describe('For the rest of this API. Shown now only.') })
  .meta({ id: 'AccountWithToken' });

export const accountView = ({
  uid,
  name,
  country,
  numbersKeptDays: days,
  requestsPerMinute,
  mostUsers,
}: Account) => ({
  uid,
  name,
  country,
  numbers_kept_days: days,
  requests_per_minute: requestsPerMinute,
  most_users: mostUsers,
});

type AccountsStore = RemovingStore & { withLock<T>(work: () => Promise<T>): Promise<T> };

const operations = {
  list: operation('listAccounts', "List all accounts, with the operator's token", {
    response: { 200: z.array(accountSchema) },
  }),
  add: operation('addAccount', "Add an account, with the operator's token", {
    body: z.object({ name, country: country.default(null) }),
    response: {
      201: madeSchema,
      409: errorSchema.describe(
        'There is an account of that name: the request was sent before, or by others.',
      ),
    },
  }),
  limit: operation('limitAccount', "Change the name or the limits of an account, with the operator's token", {
    by: byUid,
    body: z.object({ name, ...limits }).partial(),
    response: { 200: accountSchema, 409: errorSchema.describe('Another account has the name.') },
  }),
  rotate: operation(
    'rotateAdminToken',
    "Make a new administration token of an account, with the operator's token; the old one is refused within seconds. For a token that leaked, or whose answer was lost.",
    {
      by: byUid,
      response: { 200: madeSchema, 409: errorSchema.describe('Another request has just replaced it.') },
    },
  ),
  remove: operation(
    'removeAccount',
    "Remove an account with everything that is stored of it, with the operator's token. It is answered when all is gone; after an interruption, send it again.",
    { by: byUid, response: { ...nothing, 409: errorSchema.describe('It is the only account.') } },
  ),
};

type Parts = {
  readonly store: AccountsStore;
  readonly directory: ServiceDirectory;
  readonly keys: Keys;
  readonly clock: () => number;
};

/** All accounts, with the operator's token: list, add, limit, remove. */
export function adminAccountRoutes(app: ZodInstance, parts: Parts): void {
  const { store, directory, clock } = parts;
  app.get('/accounts', operations.list, async () => {
    await directory.refresh();
    return directory.accounts().map(accountView);
  });
  app.post('/accounts', operations.add, async (request, reply) =>
    reply.code(201).send(await add(request, parts)),
  );
  app.patch('/accounts/:uid', operations.limit, (request) => limitAccount(request, parts));
  /** The token that each request for a new one was to replace as it arrived. */
  const meant = new WeakMap<object, number>();
  app.post(
    '/accounts/:uid/rotate',
    {
      ...operations.rotate,
      onRequest: async ({ raw, params }) => {
        const { uid: asked } = params as { uid: string };
        const known = directory.accounts().find(({ uid }) => uid === asked);
        if (known !== undefined) meant.set(raw, known.tokenCounter);
      },
    },
    (request) => rotate(request, meant.get(request.raw), parts),
  );
  app.delete('/accounts/:uid', operations.remove, async (request, reply) => {
    await removeAccount(store, await chosen(request.params.uid, parts), by(request), { clock });
    await directory.refresh();
    return reply.code(204).send(null);
  });
}

type Asked = Pick<AdminRequest, 'ip'>;

const by = ({ ip }: Asked) => ({ who: 'operator token', from: `${ip} (/admin)` });

const audit = (
  { store, clock }: Parts,
  request: Asked,
  account: number,
  target: string,
  what: 'settings' | 'token' = 'settings',
) => store.audit.write({ account, at: clock(), what, ...by(request), target });

async function chosen(uid: string, { directory }: Parts): Promise<Account> {
  await directory.refresh();
  const account = directory.accounts().find((candidate) => candidate.uid === uid);
  if (account === undefined) throw new Refusal(404, 'There is no such account.');
  return account;
}

async function add(
  request: Asked & { readonly body: { readonly name: string; readonly country: string | null } },
  parts: Parts,
) {
  const { name, country } = request.body;
  const account = await addAccount(parts.store, { name, country });
  await parts.directory.refresh();
  await audit(parts, request, account.id, `account ${name} added`);
  return { ...accountView(account), admin_token: parts.keys.adminToken(account) };
}

async function limitAccount(
  request: RequestByUid & { readonly body: z.output<typeof operations.limit.schema.body> },
  parts: Parts,
) {
  const { uid } = request.params;
  const account = await chosen(uid, parts);
  const { name, requests_per_minute: requestsPerMinute, most_users: mostUsers } = request.body;
  if (name !== undefined && name !== account.name)
    await audit(parts, request, account.id, await renameAccount(parts.store, account, name));
  const change = given({ requestsPerMinute, mostUsers });
  if (Object.keys(change).length > 0) {
    await parts.directory.changeAccount(account.id, change);
    await audit(parts, request, account.id, changeText(await chosen(uid, parts), change));
  }
  return accountView(await chosen(uid, parts));
}

async function rotate(request: RequestByUid, counter: number | undefined, parts: Parts) {
  const { id, tokenCounter } = await chosen(request.params.uid, parts);
  const account = await parts.directory.rotateAdminToken(id, counter ?? tokenCounter);
  await audit(parts, request, id, 'administration token replaced', 'token');
  return { ...accountView(account), admin_token: parts.keys.adminToken(account) };
}
