import type { Command } from 'commander';
import { accountCommands, integrationCommands } from './commands/account-commands.ts';
import { backupCommands, copyCommand } from './commands/backup-commands.ts';
import { createCommandContext, type ServiceCommandsIo } from './commands/command-context.ts';
import { customerCommands, forgetCommand, segmentCommands } from './commands/customer-commands.ts';
import { serviceDescription } from './commands/description.ts';
import { fleetCommand } from './commands/fleet-command.ts';
import { setupCommand } from './commands/setup-command.ts';
import { alertCommand, auditCommand, bugReportCommand, statusCommand } from './commands/status-commands.ts';
import { linkCommand, tokenCommand } from './commands/token-commands.ts';
import { userCommands } from './commands/user-commands.ts';
import { bridgeSettings, signInInstructions } from './integrations/instructions.ts';

/** In the order of the help. */
const commands = [
  linkCommand,
  tokenCommand,
  setupCommand,
  alertCommand,
  statusCommand,
  fleetCommand,
  auditCommand,
  bugReportCommand,
  backupCommands,
  copyCommand,
  accountCommands,
  integrationCommands,
  userCommands,
  segmentCommands,
  customerCommands,
  forgetCommand,
] as const;

/** Adds `service` and its subcommands, which work on the service's database whether it runs or not. */
export function addServiceCommands(program: Command, io: ServiceCommandsIo): void {
  const context = createCommandContext(io);
  const { print } = context;
  const service = program
    .command('service')
    .description(serviceDescription)
    .action(() =>
      io.run(async ({ url, token, link }) => {
        // Only to a terminal: other users may read a service manager's journal.
        if (io.out.isTTY) print(...signInInstructions(await link()), '', ...bridgeSettings(url, token()));
      }),
    );

  for (const add of commands) add(service, context);
}
