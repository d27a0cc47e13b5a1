import type { Command } from 'commander';
import { makeLink } from './access/one-time-link.ts';
import { firstAdministrator } from './access/users.ts';
import { accountCommands, integrationCommands } from './commands/accounts.ts';
import { backupCommands } from './commands/backup.ts';
import { copyCommand } from './commands/copy.ts';
import { customerCommands, segmentCommands } from './commands/customers.ts';
import { chosen, makeSession, type ServiceCommandsIo } from './commands/session.ts';
import { statusCommand } from './commands/status.ts';
import { userCommands } from './commands/users.ts';
import { forBridge, forBrowser, forPhoneSystem } from './commands/words.ts';

/** Adds `service` and its subcommands. They work on the service's database, whether it runs or not. */
export function addServiceCommands(program: Command, io: ServiceCommandsIo): void {
  const session = makeSession(io);
  const { print, command, withStore, url } = session;
  const service = program
    .command('service')
    .description('run the Call Integration API service, or look after its accounts and customers')
    .action(() =>
      io.run(async ({ url, token, link }) => {
        // Not into a service manager's journal, which others read.
        if (io.out.isTTY) print(...forBrowser(await link()), '', ...forBridge(url, token()));
      }),
    );

  command(
    service,
    'link',
    "print a one-time address that signs in as the account's first administrator",
  ).action((options) =>
    withStore(options.account, async ({ store, keys, account }) => {
      const user = await firstAdministrator(store, account, Date.now());
      print(...forBrowser(`${url()}/sign-in#${await makeLink(store, keys, user, Date.now())}`));
    }),
  );
  command(service, 'token', "print an integration's token, as a phone system needs it")
    .argument('[integration]', 'name or uid; the first if left out')
    .option('--rotate', 'make a new one; the old one ends at once')
    .action((name, options) =>
      withStore(options.account, async ({ store, keys, integrations }) => {
        const integration = chosen(integrations, name);
        if (options.rotate) await store.directory.changeIntegration(integration.id, { rotate: true });
        const tokenCounter = integration.tokenCounter + (options.rotate ? 1 : 0);
        print(...forPhoneSystem(url(), keys.integrationToken({ ...integration, tokenCounter })));
      }),
    );

  statusCommand(service, session);
  backupCommands(service, session);
  copyCommand(service, session);
  accountCommands(service, session);
  integrationCommands(service, session);
  userCommands(service, session);
  segmentCommands(service, session);
  customerCommands(service, session);
}
