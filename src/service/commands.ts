import type { Command } from 'commander';
import type { IntegrationChange } from './accounts/integration-store.ts';
import { accountCommands, integrationCommands } from './commands/account-commands.ts';
import { backupCommands, copyCommand } from './commands/backup-commands.ts';
import {
  CommandRefused,
  chosen,
  makeCommandContext,
  type ServiceCommandsIo,
} from './commands/command-context.ts';
import { customerCommands, forgetCommand, segmentCommands } from './commands/customer-commands.ts';
import { serviceDescription } from './commands/description.ts';
import { fleetCommand } from './commands/fleet-command.ts';
import { setupCommand } from './commands/setup-command.ts';
import { alertCommand, auditCommand, bugReportCommand, statusCommand } from './commands/status-commands.ts';
import { userCommands } from './commands/user-commands.ts';
import {
  bridgeSettings,
  oldTokenText,
  phoneSystemInstructions,
  signInInstructions,
} from './integrations/instructions.ts';
import { integrationChangeText, newToken, oldTokenDays } from './integrations/integration-change.ts';
import { firstAdministrator, makeLink } from './users/users.ts';

/** Adds `service` and its subcommands, which work on the service's database whether it runs or not. */
export function addServiceCommands(program: Command, io: ServiceCommandsIo): void {
  const context = makeCommandContext(io);
  const { print, command, withStore, url } = context;
  const service = program
    .command('service')
    .description(serviceDescription)
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
    .option('--rotate', 'create a new token; the old one stops working at once, or after --keep-old')
    .option('--keep-old <days>', 'with --rotate: accept the old token for 0 to 7 days more', daysArgument)
    .option('--end-old', 'stop accepting the old token')
    .action((name, options) =>
      withStore(options.account, async ({ store, keys, integrations, audit }) => {
        const integration = chosen(integrations, name);
        if (options.keepOld !== undefined && !options.rotate)
          throw new CommandRefused('--keep-old is for --rotate: it says how long the old token is accepted');
        const change: IntegrationChange | undefined = options.rotate
          ? newToken(integration, options.keepOld ?? 0, Date.now())
          : options.endOld && { oldTokenUntil: null };
        let now = integration;
        if (change !== undefined) {
          const changed = await store.directory.changeIntegration(integration.id, change);
          if (changed === undefined)
            throw new CommandRefused(`there is no integration "${integration.name}"`);
          now = changed;
          await audit('token', integrationChangeText(integration.name, change));
        }
        print(...phoneSystemInstructions(url(), keys.integrationToken(now)));
        if (now.oldTokenUntil !== null && now.oldTokenUntil > Date.now())
          print('', ...oldTokenText(now.oldTokenUntil, await store.directory.oldTokenUses(now)));
        if (options.endOld) print('', 'The old token is no longer accepted.');
      }),
    );

  setupCommand(service, context);
  alertCommand(service, context);
  statusCommand(service, context);
  fleetCommand(service, context);
  auditCommand(service, context);
  bugReportCommand(service, context);
  backupCommands(service, context);
  copyCommand(service, context);
  accountCommands(service, context);
  integrationCommands(service, context);
  userCommands(service, context);
  segmentCommands(service, context);
  customerCommands(service, context);
  forgetCommand(service, context);
}

function daysArgument(text: string): number {
  const { success, data } = oldTokenDays.safeParse(text);
  if (!success) throw new CommandRefused(`not a number of days from 0 to 7: "${text}"`);
  return data;
}
