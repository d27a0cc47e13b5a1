import type { Command } from 'commander';
import { makeLink } from '../access/one-time-link.ts';
import { addUser, signInName, userName } from '../access/users.ts';
import type { Store } from '../store/store.ts';
import type { User } from '../store/user-store.ts';
import { type CommandContext, CommandRefused, type OpenedStore } from './command-context.ts';
import { signInInstructions } from './instructions.ts';

export function userCommands(parent: Command, { command, withStore, print, url }: CommandContext): void {
  const link = async ({ store, keys }: OpenedStore, user: User) =>
    print(...signInInstructions(`${url()}/sign-in#${await makeLink(store, keys, user, Date.now())}`));

  const users = parent.command('user').description('manage the users of an account');
  command(users, 'list', 'list users').action((options) =>
    withStore(options.account, async ({ store, account }) => {
      for (const { name, role, password } of await store.users.list(account.id))
        print(`${role.padEnd(13)}  ${password === null ? 'no password yet' : 'password set   '}  ${name}`);
    }),
  );
  command(users, 'add', 'add a user and print a one-time link for choosing a password')
    .argument('<name>', 'the name to sign in with')
    .option('--administrator', 'administrator (default: agent, for calls and customers only)')
    .action((given, options) =>
      withStore(options.account, async (opened) => {
        const { store, account } = opened;
        const read = userName.safeParse(given);
        if (!read.success) throw new CommandRefused(read.error.issues[0]?.message ?? 'not a valid name');
        const role = options.administrator ? 'administrator' : 'agent';
        const user = await addUser(store, { account: account.id, name: read.data, role, now: Date.now() });
        if (user === undefined) throw new CommandRefused(`the name "${read.data}" is already in use`);
        await link(opened, user);
      }),
    );
  command(users, 'reset', 'delete the password, sign out everywhere and print a one-time link')
    .argument('<name>')
    .action((given, options) =>
      withStore(options.account, async (opened) => {
        const user = await named(opened, given);
        await opened.store.users.change(user.id, { password: null });
        await opened.store.users.closeSessions(user.id, null);
        await link(opened, user);
      }),
    );
  command(users, 'remove', 'remove a user and sign out everywhere')
    .argument('<name>')
    .action((given, options) =>
      withStore(options.account, async (opened) => {
        await opened.store.users.remove((await named(opened, given)).id);
      }),
    );
}

async function named(
  { store, account }: { store: Store; account: { id: number } },
  name: string,
): Promise<User> {
  const user = await store.users.find({ signInName: signInName(name) });
  if (user === undefined || user.account !== account.id)
    throw new CommandRefused(`there is no user "${name}"`);
  return user;
}
