import type { Command } from 'commander';
import { makeLink } from '../access/one-time-link.ts';
import { addUser, signInName, userName } from '../access/users.ts';
import type { Store } from '../store/store.ts';
import type { User } from '../store/user-store.ts';
import { CommandRefused, type Opened, type Session } from './session.ts';
import { forBrowser } from './words.ts';

export function userCommands(parent: Command, { command, withStore, print, url }: Session): void {
  const link = async ({ store, keys }: Opened, user: User) =>
    print(...forBrowser(`${url()}/sign-in#${await makeLink(store, keys, user, Date.now())}`));

  const users = parent.command('user').description('the people who sign in to the account');
  command(users, 'list', 'list them').action((options) =>
    withStore(options.account, async ({ store, account }) => {
      for (const { name, role, password } of await store.users.list(account.id))
        print(
          `${role.padEnd(13)}  ${password === null ? 'has not signed in yet' : 'has a password       '}  ${name}`,
        );
    }),
  );
  command(users, 'add', 'add one, and print a one-time address that signs in and asks for a password')
    .argument('<name>', 'the name to sign in with')
    .option('--administrator', 'may change the account; else an agent, who sees calls and customers')
    .action((given, options) =>
      withStore(options.account, async (opened) => {
        const { store, account } = opened;
        const read = userName.safeParse(given);
        if (!read.success) throw new CommandRefused(read.error.issues[0]?.message ?? 'this is no name');
        const role = options.administrator ? 'administrator' : 'agent';
        const user = await addUser(store, { account: account.id, name: read.data, role, now: Date.now() });
        if (user === undefined) throw new CommandRefused(`somebody is called "${read.data}" already`);
        await link(opened, user);
      }),
    );
  command(users, 'reset', 'forget the password, sign out everywhere, and print a one-time address')
    .argument('<name>')
    .action((given, options) =>
      withStore(options.account, async (opened) => {
        const user = await named(opened, given);
        await opened.store.users.change(user.id, { password: null });
        await opened.store.users.closeSessions(user.id, null);
        await link(opened, user);
      }),
    );
  command(users, 'remove', 'remove one, and sign out everywhere')
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
