import type { Command } from 'commander';
import type { Integration } from '../accounts/account.ts';
import type { IntegrationChange } from '../accounts/integration-store.ts';
import { isOldInForce } from '../accounts/limits.ts';
import { oldTokenText, phoneSystemInstructions } from '../integrations/instructions.ts';
import { integrationChangeText, newToken, oldTokenDays } from '../integrations/integration-change.ts';
import { firstAdministrator } from '../users/users.ts';
import { type CommandContext, CommandRefused, chosen, type OpenedStore } from './command-context.ts';
import { printLink } from './user-commands.ts';

export function linkCommand(service: Command, context: CommandContext): void {
  context
    .command(service, 'link', "print a one-time link that signs in as the account's first administrator")
    .action((options) =>
      context.withStore(options.account, async (opened) => {
        const user = await firstAdministrator(opened.store, opened.account, Date.now());
        await printLink(opened, user, context);
      }),
    );
}

type TokenOptions = { readonly rotate?: true; readonly keepOld?: number; readonly endOld?: true };

export function tokenCommand(service: Command, context: CommandContext): void {
  context
    .command(service, 'token', "print an integration's token and the settings of a phone system")
    .argument('[integration]', 'name or uid (default: the first)')
    .option('--rotate', 'create a new token; the old one stops working at once, or after --keep-old')
    .option('--keep-old <days>', 'with --rotate: accept the old token for 0 to 7 days more', daysArgument)
    .option('--end-old', 'stop accepting the old token')
    .action((name, options) =>
      context.withStore(options.account, (opened) => showToken(name, options, opened, context)),
    );
}

async function showToken(
  name: string | undefined,
  options: TokenOptions,
  opened: OpenedStore,
  { print, url }: CommandContext,
): Promise<void> {
  const { store, keys, integrations } = opened;
  const integration = chosen(integrations, name);
  if (options.keepOld !== undefined && !options.rotate)
    throw new CommandRefused('--keep-old is for --rotate: it says how long the old token is accepted');
  const change: IntegrationChange | undefined = options.rotate
    ? newToken(integration, options.keepOld ?? 0, Date.now())
    : options.endOld && { oldTokenUntil: null };
  const current = change === undefined ? integration : await changed(integration, change, opened);
  print(...phoneSystemInstructions(url(), keys.integrationToken(current)));
  if (isOldInForce(current.oldTokenUntil, Date.now()))
    print('', ...oldTokenText(current.oldTokenUntil, await store.directory.oldTokenUses(current)));
  if (options.endOld) print('', 'The old token is no longer accepted.');
}

async function changed(
  { id, name }: Integration,
  change: IntegrationChange,
  { store, audit }: OpenedStore,
): Promise<Integration> {
  const integration = await store.directory.changeIntegration(id, change);
  if (integration === undefined) throw new CommandRefused(`there is no integration "${name}"`);
  await audit('token', integrationChangeText(name, change));
  return integration;
}

function daysArgument(text: string): number {
  const { success, data } = oldTokenDays.safeParse(text);
  if (!success) throw new CommandRefused(`not a number of days from 0 to 7: "${text}"`);
  return data;
}
