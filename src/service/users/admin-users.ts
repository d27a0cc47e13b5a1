import { z } from 'zod';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { extensionsOf } from '../accounts/extensions.ts';
import type { Keys } from '../accounts/keys.ts';
import type { User } from '../accounts/user.ts';
import {
  type AccountOf,
  type AdminAudit,
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
import { addUser, LINK_DAYS, makeInvitation, refuseTooMany, roles, userName } from './users.ts';

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

/** An account's users with their roles and extensions, and the names of extensions and of numbers that are called. */
export function adminUserRoutes(
  app: ZodInstance,
  accountOf: AccountOf,
  audit: AdminAudit,
  {
    store,
    sessions,
    directory,
    keys,
    clock,
    linkOrigin,
    callBackList,
  }: {
    store: { users: UserStore };
    /** Whom a user who is removed had taken is free again. */
    callBackList: { publish(account: number): Promise<void> };
    sessions: Sessions;
    directory: ServiceDirectory;
    keys: Keys;
    clock: () => number;
    linkOrigin: () => string;
  },
): void {
  type Asked = Parameters<AdminAudit>[0] & { params: { uid: string } };
  const known = (request: Asked) => directory.extensions(accountOf(request).id);
  const view = (request: Asked, user: User) => ({
    uid: user.uid,
    name: user.name,
    role: user.role,
    extensions: extensionsOf(known(request), user.id),
    has_password: user.password !== null,
    second_factor: user.secondFactor !== null,
    created_at: momentOf(user.createdAt),
  });
  async function chosen(request: Asked, uid = request.params.uid): Promise<User> {
    const user = await store.users.find({ uid });
    if (user === undefined || user.account !== accountOf(request).id)
      throw new Refusal(404, 'There is no such user.');
    return user;
  }
  async function invited(request: Asked, user: User) {
    const made = await makeInvitation(store, keys, user, clock());
    await audit(request, 'link', user.name);
    return { ...view(request, user), sign_in_link: `${linkOrigin()}/sign-in#${made}` };
  }
  async function give(request: Asked, user: User, wanted: readonly string[]): Promise<void> {
    const account = accountOf(request).id;
    if (await directory.giveExtensions(account, user.id, wanted))
      await audit(request, 'settings', `extensions of ${user.name}: ${wanted.join(', ') || 'none'}`);
  }

  app.get(
    '/users',
    operation('listUsers', 'List the users', { response: { 200: z.array(userSchema) } }),
    async (request) =>
      (await store.users.list(accountOf(request).id)).map((user) => view(request as never, user)),
  );
  app.post(
    '/users',
    operation('addUser', 'Add a user, with a link to sign in and choose a password', {
      body: z.object({ name: userName, role: role.default('agent'), extensions: extensions.default([]) }),
      response: {
        201: invitedSchema,
        409: z
          .object({ message: z.string() })
          .describe('The name is taken, or the account has as many users as it can have.'),
      },
    }),
    async (request, reply) => {
      const { name, role, extensions } = request.body;
      refuseTooMany(known(request as never), extensions);
      const user = await addUser(store, { account: accountOf(request), name, role, now: clock() });
      if (user === undefined) throw new Refusal(409, `There is a user "${name}".`);
      await audit(request, 'user', `${user.name}: ${user.role}`);
      await give(request as never, user, extensions);
      return reply.code(201).send(await invited(request as never, user));
    },
  );
  app.get(
    '/users/:uid',
    operation('getUser', 'Read a user', { by: byUid, response: { 200: userSchema } }),
    async (request) => view(request, await chosen(request)),
  );
  app.patch(
    '/users/:uid',
    operation('changeUser', 'Change the role or the extensions of a user', {
      by: byUid,
      body: z.object({ role: role.optional(), extensions: extensions.optional() }),
      response: { 200: userSchema },
    }),
    async (request) => {
      const user = await chosen(request);
      const { role = user.role, extensions } = request.body;
      if (role !== user.role) {
        if (!(await store.users.setRole(user.id, role))) throw lastAdministrator();
        await sessions.closeAll(user, null);
        await audit(request, 'role', `${user.name}: ${user.role} to ${role}`);
      }
      if (extensions) await give(request, user, extensions);
      return view(request, await chosen(request));
    },
  );
  app.post(
    '/users/:uid/invite',
    operation('inviteUser', 'Make a new link to sign in; earlier ones end', {
      by: byUid,
      response: { 200: invitedSchema },
    }),
    async (request) => invited(request, await chosen(request)),
  );
  app.delete(
    '/users/:uid',
    operation('removeUser', 'Remove a user and end the sessions', { by: byUid, response: nothing }),
    async (request, reply) => {
      const user = await chosen(request);
      if (!(await store.users.remove(user.id))) throw lastAdministrator();
      await sessions.closeAll(user, null);
      await callBackList.publish(accountOf(request).id);
      await audit(request, 'removal', `user ${user.name}`);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/extensions',
    operation('listExtensions', 'List the extensions, and numbers that are called, with a name or a user', {
      response: { 200: z.array(extensionSchema) },
    }),
    async (request) => {
      const users = await store.users.list(accountOf(request).id);
      const uidOf = new Map(users.map(({ id, uid }) => [id, uid]));
      return [...known(request as never).values()].map(({ extension, name, user }) => ({
        extension,
        name: name || null,
        user: (user !== null && uidOf.get(user)) || null,
      }));
    },
  );
  app.put(
    '/extensions/:extension',
    operation('putExtension', 'Give an extension a name and a user, or neither', {
      by: z.object({ extension }),
      body: z.object({
        name: line('name', { max: 80, blank: true }).nullable().default(null),
        user: line('user').nullable().default(null).describe("The user's uid."),
        extension: inAddress,
      }),
      response: { 200: extensionSchema },
    }),
    async (request) => {
      const { extension } = request.params;
      const { name, user: uid } = request.body;
      checkAddress('extension', request.body.extension, extension);
      const user = uid === null ? null : await chosen(request as never, uid);
      await directory.putExtension(accountOf(request).id, {
        extension,
        name: name ?? '',
        user: user?.id ?? null,
      });
      const whose = `${name || 'no name'}, ${user?.name ?? 'no user'}`;
      await audit(request, 'settings', `extension ${extension}: ${whose}`);
      return { extension, name: name || null, user: uid };
    },
  );
}

const lastAdministrator = () => new Refusal(422, (errors) => errors.lastAdministrator);
