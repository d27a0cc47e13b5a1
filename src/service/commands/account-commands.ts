import type { Command } from 'commander';
import { newUid } from '../accounts/directory.ts';
import { oldTokenText, phoneSystemInstructions } from '../integrations/instructions.ts';
import { integrationChangeText } from '../integrations/integration-change.ts';
import { isTimeZone } from '../kit/formats.ts';
import { changeAccount } from '../settings/change-account.ts';
import {
  addIntegration,
  type CommandContext,
  CommandRefused,
  chosen,
  country,
  nameArgument,
} from './command-context.ts';

export function accountCommands(parent: Command, { command, withStore, print }: CommandContext): void {
  const accounts = parent.command('account').description('manage accounts');
  const list = accounts.command('list').description('list all accounts');
  list.action(() =>
    withStore(undefined, async ({ store }) => {
      const read = await store.directory.read(0);
      for (const { uid, name, country } of read?.directory.accounts ?? [])
        print(`${uid}  ${country ?? '--'}  ${name}`);
    }),
  );
  accounts
    .command('add')
    .description('add an account with one integration')
    .argument('<name>', '', nameArgument)
    .option('--country <code>', 'the country of numbers without +, such as NL', country)
    .action((name, options) =>
      withStore(undefined, async ({ store, audit }) => {
        const account = await store.directory.addAccount({
          uid: newUid(),
          name,
          country: options.country ?? null,
        });
        await addIntegration(store, account, 'Phone system');
        await audit('settings', `account ${name} added`, account);
        print(`${account.uid}  ${account.country ?? '--'}  ${account.name}`);
      }),
    );
  command(accounts, 'set', 'change an account')
    .option('--name <name>', '', nameArgument)
    .option('--country <code>', 'such as NL', country)
    .option('--time-zone <name>', 'the time zone of its pages, such as Europe/Amsterdam', timeZone)
    .action((options) =>
      withStore(options.account, async ({ store, account, audit }) => {
        const { name, country: code, timeZone: zone } = options;
        const change = {
          ...(name && { name }),
          ...(code && { country: code }),
          ...(zone && { timeZone: zone }),
        };
        await audit('settings', await changeAccount(store, account, change));
      }),
    );
  accounts
    .command('operator-token')
    .description('print the token that lists and adds accounts by /admin')
    .action(() => withStore(undefined, async ({ keys }) => print(keys.operatorToken())));
  command(accounts, 'admin-token', 'print the token for /admin')
    .option('--rotate', 'create a new token; the old one stops working at once')
    .action((options) =>
      withStore(options.account, async ({ store, keys, account, audit }) => {
        if (options.rotate) {
          await store.directory.changeAccount(account.id, { rotate: true });
          await audit('token', 'administration token replaced');
        }
        print(keys.adminToken({ ...account, tokenCounter: account.tokenCounter + (options.rotate ? 1 : 0) }));
      }),
    );
}

export function integrationCommands(
  parent: Command,
  { command, withStore, print, url }: CommandContext,
): void {
  const integrations = parent.command('integration').description('manage the integrations of an account');
  command(
    integrations,
    'list',
    'list integrations, and old tokens that are still accepted with who uses them',
  ).action((options) =>
    withStore(options.account, async ({ integrations, store }) => {
      for (const integration of integrations) {
        const { uid, name, enabled, oldTokenUntil: until } = integration;
        print(`${uid}  ${enabled ? 'on ' : 'off'}  ${name}`);
        if (enabled && until !== null && until > Date.now())
          for (const line of oldTokenText(until, await store.directory.oldTokenUses(integration)))
            print(`    ${line}`);
      }
    }),
  );
  command(integrations, 'add', 'add an integration')
    .argument('<name>', '', nameArgument)
    .action((name, options) =>
      withStore(options.account, async ({ store, keys, account, audit }) => {
        const integration = await addIntegration(store, account, name);
        await audit('token', `integration ${name} added`);
        print(...phoneSystemInstructions(url(), keys.integrationToken(integration)));
      }),
    );
  for (const enabled of [true, false]) {
    command(integrations, enabled ? 'on' : 'off', enabled ? 'accept its token again' : 'refuse its token')
      .argument('<integration>', 'name or uid')
      .action((name, options) =>
        withStore(options.account, async ({ store, integrations, audit }) => {
          const integration = chosen(integrations, name);
          await store.directory.changeIntegration(integration.id, { enabled });
          await audit('settings', integrationChangeText(integration.name, { enabled }));
        }),
      );
  }
}

function timeZone(name: string): string {
  if (!isTimeZone(name)) throw new CommandRefused(`not a time zone: "${name}" (example: Europe/Amsterdam)`);
  return name;
}
