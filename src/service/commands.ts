import type { Command } from 'commander';
import { makeLink } from './access/one-time-link.ts';
import { firstAdministrator } from './access/users.ts';
import { integrationChange } from './accounts/administration.ts';
import { accountCommands, integrationCommands } from './commands/account-commands.ts';
import { auditCommand } from './commands/audit-command.ts';
import { backupCommands } from './commands/backup-commands.ts';
import { chosen, makeCommandContext, type ServiceCommandsIo } from './commands/command-context.ts';
import { copyCommand } from './commands/copy-command.ts';
import { customerCommands, forgetCommand, segmentCommands } from './commands/customer-commands.ts';
import { bridgeSettings, phoneSystemInstructions, signInInstructions } from './commands/instructions.ts';
import { statusCommand } from './commands/status-command.ts';
import { userCommands } from './commands/user-commands.ts';

/** Adds `service` and its subcommands, which work on the service's database whether it runs or not. */
export function addServiceCommands(program: Command, io: ServiceCommandsIo): void {
  const context = makeCommandContext(io);
  const { print, command, withStore, url } = context;
  const service = program
    .command('service')
    .description('run the Call Integration API service, or manage its accounts and customers')
    .action(() =>
      io.run(async ({ url, token, link }) => {
        // Only to a terminal: other users may read a service manager's journal.
        if (io.out.isTTY) print(...signInInstructions(await link()), '', ...bridgeSettings(url, token()));
      }),
    );

  command(service, 'link', "print a one-time link that signs in as the account's first administrator").action(
    (options) =>
      withStore(options.account, async ({ store, keys, account, audit }) => {
        const user = await firstAdministrator(store, account, Date.now());
        const link = await makeLink(store, keys, user, Date.now());
        await audit('link', user.name);
        print(...signInInstructions(`${url()}/sign-in#${link}`));
      }),
  );
  command(service, 'token', "print an integration's token and the settings of a phone system")
    .argument('[integration]', 'name or uid (default: the first)')
    .option('--rotate', 'create a new token; the old one stops working at once')
    .action((name, options) =>
      withStore(options.account, async ({ store, keys, integrations, audit }) => {
        const integration = chosen(integrations, name);
        if (options.rotate) {
          await store.directory.changeIntegration(integration.id, { rotate: true });
          await audit('token', integrationChange(integration.name, { rotate: true }));
        }
        const tokenCounter = integration.tokenCounter + (options.rotate ? 1 : 0);
        print(...phoneSystemInstructions(url(), keys.integrationToken({ ...integration, tokenCounter })));
      }),
    );

  statusCommand(service, context);
  auditCommand(service, context);
  backupCommands(service, context);
  copyCommand(service, context);
  accountCommands(service, context);
  integrationCommands(service, context);
  userCommands(service, context);
  segmentCommands(service, context);
  customerCommands(service, context);
  forgetCommand(service, context);
}
