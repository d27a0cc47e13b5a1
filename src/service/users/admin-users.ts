import { z } from 'zod';
import type { AdminAccess, AdminRequest, RequestByUid } from '../accounts/admin-access.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { extensionsOf } from '../accounts/extensions.ts';
import type { Keys } from '../accounts/keys.ts';
import type { User } from '../accounts/user.ts';
import {
  byUid,
  checkAddress,
  inAddress,
  moment,
  momentOf,
  nothing,
  operation,
  type ZodInstance,
} from '../kit/administration.ts';
import { Refusal } from '../kit/refusal.ts';
import { line } from '../kit/text.ts';
import type { Sessions } from './sessions.ts';
import type { UserStore } from './user-store.ts';
import { addUser, createInvitation, LINK_DAYS, refuseTooMany, roles, userName } from './users.ts';

const extension = line('extension');
const extensions = z.array(extension).max(100);
const role = z.enum(roles);

const userSchema = z
  .object({
    uid: z.string(),
    name: z.string(),
    role,
    extensions: z.array(z.string()),
    has_password: z.boolean().describe('False until an invitation was used.'),
    second_factor: z.boolean(),
    created_at: moment,
  })
  .meta({ id: 'User' });
const link = {
  sign_in_link: z.string().describe(`Signs in once, within ${LINK_DAYS} days, to choose a password.`),
};
const invitedSchema = userSchema.extend(link).meta({ id: 'InvitedUser' });
const extensionSchema = z
  .object({
    extension: z.string(),
    name: z.string().nullable(),
    user: z.string().nullable().describe("The user's uid."),
  })
  .meta({ id: 'Extension' });

const newUser = z.object({
  name: userName,
  role: role.default('agent'),
  extensions: extensions.default([]),
});
const userChange = z.object({ role: role.optional(), extensions: extensions.optional() });
const extensionFields = z.object({
  name: line('name', { max: 80, blank: true }).nullable().default(null),
  user: line('user').nullable().default(null).describe("The user's uid."),
  extension: inAddress,
});

const operations = {
  list: operation('listUsers', 'List the users', { response: { 200: z.array(userSchema) } }),
  add: operation('addUser', 'Add a user, with a link to sign in and choose a password', {
    body: newUser,
    response: {
      201: invitedSchema,
      409: z
        .object({ message: z.string() })
        .describe('The name is taken, or the account has as many users as it can have.'),
    },
  }),
  get: operation('getUser', 'Read a user', { by: byUid, response: { 200: userSchema } }),
  change: operation('changeUser', 'Change the role or the extensions of a user', {
    by: byUid,
    body: userChange,
    response: { 200: userSchema },
  }),
  invite: operation('inviteUser', 'Make a new link to sign in; earlier ones end', {
    by: byUid,
    response: { 200: invitedSchema },
  }),
  remove: operation('removeUser', 'Remove a user and end the sessions', { by: byUid, response: nothing }),
  listExtensions: operation(
    'listExtensions',
    'List the extensions, and numbers that are called, with a name or a user',
    { response: { 200: z.array(extensionSchema) } },
  ),
  putExtension: operation('putExtension', 'Give an extension a name and a user, or neither', {
    by: z.object({ extension }),
    body: extensionFields,
    response: { 200: extensionSchema },
  }),
};

type Parts = AdminAccess & {
  readonly store: { readonly users: UserStore };
  /** Whom a user who is removed had taken is free again. */
  readonly callBackList: { publish(account: number): Promise<void> };
  readonly sessions: Sessions;
  readonly directory: ServiceDirectory;
  readonly keys: Keys;
  readonly clock: () => number;
  readonly linkOrigin: () => string;
};

/** An account's users with their roles and extensions, and the names of extensions and of numbers that are called. */
export function adminUserRoutes(app: ZodInstance, parts: Parts): void {
  app.get('/users', operations.list, (request) => listUsers(request, parts));
  app.post('/users', operations.add, async (request, reply) =>
    reply.code(201).send(await add(request, parts)),
  );
  app.get('/users/:uid', operations.get, async (request) =>
    view(request, await chosen(request, parts), parts),
  );
  app.patch('/users/:uid', operations.change, (request) => change(request, parts));
  app.post('/users/:uid/invite', operations.invite, async (request) =>
    invited(request, await chosen(request, parts), parts),
  );
  app.delete('/users/:uid', operations.remove, async (request, reply) => {
    await remove(request, parts);
    return reply.code(204).send(null);
  });
  app.get('/extensions', operations.listExtensions, (request) => listExtensions(request, parts));
  app.put('/extensions/:extension', operations.putExtension, (request) => putExtension(request, parts));
}

const extensionsOfAccount = (request: AdminRequest, { directory, accountOf }: Parts) =>
  directory.extensions(accountOf(request).id);

const view = (request: AdminRequest, user: User, parts: Parts) => ({
  uid: user.uid,
  name: user.name,
  role: user.role,
  extensions: extensionsOf(extensionsOfAccount(request, parts), user.id),
  has_password: user.password !== null,
  second_factor: user.secondFactor !== null,
  created_at: momentOf(user.createdAt),
});

async function userOf(request: AdminRequest, uid: string, { store, accountOf }: Parts): Promise<User> {
  const user = await store.users.find({ uid });
  if (user === undefined || user.account !== accountOf(request).id)
    throw new Refusal(404, 'There is no such user.');
  return user;
}

const chosen = (request: RequestByUid, parts: Parts) => userOf(request, request.params.uid, parts);

async function invited(request: AdminRequest, user: User, parts: Parts) {
  const made = await createInvitation(parts.store, parts.keys, user, parts.clock());
  await parts.audit(request, 'link', user.name);
  return { ...view(request, user, parts), sign_in_link: `${parts.linkOrigin()}/sign-in#${made}` };
}

async function give(
  request: AdminRequest,
  user: User,
  wanted: readonly string[],
  { directory, accountOf, audit }: Parts,
): Promise<void> {
  if (await directory.giveExtensions(accountOf(request).id, user.id, wanted))
    await audit(request, 'settings', `extensions of ${user.name}: ${wanted.join(', ') || 'none'}`);
}

async function listUsers(request: AdminRequest, parts: Parts) {
  const users = await parts.store.users.list(parts.accountOf(request).id);
  return users.map((user) => view(request, user, parts));
}

async function add(request: AdminRequest & { body: z.output<typeof newUser> }, parts: Parts) {
  const { store, accountOf, audit, clock } = parts;
  const { name, role, extensions } = request.body;
  refuseTooMany(extensionsOfAccount(request, parts), extensions);
  const user = await addUser(store, { account: accountOf(request), name, role, now: clock() });
  if (user === undefined) throw new Refusal(409, `There is a user "${name}".`);
  await audit(request, 'user', `${user.name}: ${user.role}`);
  await give(request, user, extensions, parts);
  return invited(request, user, parts);
}

async function change(request: RequestByUid & { body: z.output<typeof userChange> }, parts: Parts) {
  const { store, sessions, audit } = parts;
  const user = await chosen(request, parts);
  const { role = user.role, extensions } = request.body;
  if (role !== user.role) {
    if (!(await store.users.setRole(user.id, role))) throw lastAdministrator();
    await sessions.closeAll(user, null);
    await audit(request, 'role', `${user.name}: ${user.role} to ${role}`);
  }
  if (extensions) await give(request, user, extensions, parts);
  return view(request, await chosen(request, parts), parts);
}

async function remove(request: RequestByUid, parts: Parts): Promise<void> {
  const { store, sessions, callBackList, accountOf, audit } = parts;
  const user = await chosen(request, parts);
  if (!(await store.users.remove(user.id))) throw lastAdministrator();
  await sessions.closeAll(user, null);
  await callBackList.publish(accountOf(request).id);
  await audit(request, 'removal', `user ${user.name}`);
}

async function listExtensions(request: AdminRequest, parts: Parts) {
  const users = await parts.store.users.list(parts.accountOf(request).id);
  const uidOf = new Map(users.map(({ id, uid }) => [id, uid]));
  return [...extensionsOfAccount(request, parts).values()].map(({ extension, name, user }) => ({
    extension,
    name: name || null,
    user: (user !== null && uidOf.get(user)) || null,
  }));
}

async function putExtension(
  request: AdminRequest & { params: { extension: string }; body: z.output<typeof extensionFields> },
  parts: Parts,
) {
  const { extension } = request.params;
  const { name, user: uid } = request.body;
  checkAddress('extension', request.body.extension, extension);
  const user = uid === null ? null : await userOf(request, uid, parts);
  await parts.directory.putExtension(parts.accountOf(request).id, {
    extension,
    name: name ?? '',
    user: user?.id ?? null,
  });
  const whose = `${name || 'no name'}, ${user?.name ?? 'no user'}`;
  await parts.audit(request, 'settings', `extension ${extension}: ${whose}`);
  return { extension, name: name || null, user: uid };
}

const lastAdministrator = () => new Refusal(422, (errors) => errors.lastAdministrator);
