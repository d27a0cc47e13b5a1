import type { Command } from 'commander';
import type { User } from '../accounts/user.ts';
import type { Store } from '../database/store.ts';
import { signInInstructions } from '../integrations/instructions.ts';
import { addUser, createLink, signInName, userName } from '../users/users.ts';
import { type CommandContext, CommandRefused, type OpenedStore } from './command-context.ts';

export function userCommands(parent: Command, context: CommandContext): void {
  const users = parent.command('user').description('manage the users of an account');
  for (const add of [listUsers, addUserCommand, resetUser, removeUser]) add(users, context);
}

/** Makes a one-time link for a user, and prints it. */
export async function printLink(
  { store, keys, audit }: OpenedStore,
  user: User,
  { print, url }: CommandContext,
): Promise<void> {
  const made = await createLink(store, keys, user, Date.now());
  await audit('link', user.name);
  print(...signInInstructions(`${url()}/sign-in#${made}`));
}

function listUsers(users: Command, { command, withStore, print, printJson }: CommandContext): void {
  command(users, 'list', 'list users')
    .option('--json', 'as JSON')
    .action((options) =>
      withStore(options.account, async ({ store, account }) => {
        const all = await store.users.list(account.id);
        if (options.json)
          return printJson(
            all.map(({ uid, name, role, password, secondFactor }) => ({
              uid,
              name,
              role,
              has_password: password !== null,
              second_factor: secondFactor !== null,
            })),
          );
        for (const { name, role, password, secondFactor } of all) {
          const access =
            password === null ? 'no password yet' : secondFactor ? 'password + code' : 'password set';
          print(`${role.padEnd(13)}  ${access.padEnd(15)}  ${name}`);
        }
      }),
    );
}

function addUserCommand(users: Command, context: CommandContext): void {
  context
    .command(users, 'add', 'add a user and print a one-time link for choosing a password')
    .argument('<name>', 'the name to sign in with')
    .option('--administrator', 'administrator (default: agent, for calls and customers only)')
    .action((given, options) =>
      context.withStore(options.account, async (opened) => {
        const { store, account } = opened;
        const read = userName.safeParse(given);
        if (!read.success) throw new CommandRefused(read.error.issues[0]?.message ?? 'not a valid name');
        const role = options.administrator ? 'administrator' : 'agent';
        const user = await addUser(store, { account, name: read.data, role, now: Date.now() });
        if (user === undefined) throw new CommandRefused(`the name "${read.data}" is already in use`);
        await opened.audit('user', `${user.name}: ${role}`);
        await printLink(opened, user, context);
      }),
    );
}

function resetUser(users: Command, context: CommandContext): void {
  context
    .command(users, 'reset', 'delete the password, sign out everywhere and print a one-time link')
    .argument('<name>')
    .option('--second-factor', 'also switch the second factor off; otherwise the link asks for a code')
    .action((given, options) =>
      context.withStore(options.account, async (opened) => {
        const user = await named(opened, given);
        await opened.store.users.change(user.id, { password: null });
        if (options.secondFactor) {
          await opened.store.users.setSecondFactor(user.id, null, []);
          await opened.audit('second-factor', `${user.name}: off`);
        }
        await opened.store.users.closeSessions(user.id, null);
        await opened.audit('reset', user.name);
        await printLink(opened, user, context);
      }),
    );
}

function removeUser(users: Command, { command, withStore }: CommandContext): void {
  command(users, 'remove', 'remove a user and sign out everywhere')
    .argument('<name>')
    .action((given, options) =>
      withStore(options.account, async (opened) => {
        const user = await named(opened, given);
        if (!(await opened.store.users.remove(user.id)))
          throw new CommandRefused(`"${user.name}" is the only administrator of the account`);
        await opened.audit('removal', `user ${user.name}`);
      }),
    );
}

async function named(
  { store, account }: { store: Store; account: { id: number } },
  name: string,
): Promise<User> {
  const user = await store.users.find({ signInName: signInName(name), account: account.id });
  if (user === undefined || user.account !== account.id)
    throw new CommandRefused(`there is no user "${name}"`);
  return user;
}
