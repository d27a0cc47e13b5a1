import { createWriteStream, openSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { createFile, systemUser } from '../../shared/process/denied.ts';
import { longWork } from '../../shared/process/long-work.ts';
import { exportLines } from '../accounts/account-data.ts';
import type { Keys } from '../accounts/keys.ts';
import { accountLimits, LEAST_KEPT_DAYS, mostKeptDays } from '../accounts/limits.ts';
import { oldTokenText, phoneSystemInstructions } from '../integrations/instructions.ts';
import { integrationChangeText } from '../integrations/integration-change.ts';
import { counted } from '../kit/formats.ts';
import { stillInLog } from '../people/forget-number.ts';
import { isTimeZone } from '../rules/time-zone.ts';
import { addAccount, renameAccount } from '../settings/account-names.ts';
import { accountView } from '../settings/admin-accounts.ts';
import { changeAccount } from '../settings/change-account.ts';
import { removeAccount } from '../settings/remove-account.ts';
import {
  addIntegration,
  type CommandContext,
  CommandRefused,
  chosen,
  country,
  nameArgument,
} from './command-context.ts';

/** Tokens of the whole service, each with a command that prints it. */
const siteTokens = [
  {
    which: 'operator',
    tokenOf: (keys: Keys, counter: number) => keys.operatorToken(counter),
    description:
      'print the token that lists, adds, renames, limits and removes accounts by /admin, and makes their tokens',
  },
  {
    which: 'fleet',
    tokenOf: (keys: Keys, counter: number) => keys.fleetToken(counter),
    description: 'print the token that reads /admin/fleet, as the password in a browser, and nothing else',
  },
] as const;

export function accountCommands(parent: Command, context: CommandContext): void {
  const accounts = parent.command('account').description('manage accounts');
  for (const add of accountCommandList) add(accounts, context);
}

const accountCommandList = [
  listAccounts,
  addAccountCommand,
  setAccount,
  exportAccount,
  removeAccountCommand,
  siteTokenCommands,
  adminToken,
] as const;

function listAccounts(accounts: Command, { withStore, print, printJson }: CommandContext): void {
  accounts
    .command('list')
    .description('list all accounts')
    .option('--json', 'as JSON')
    .action((options) =>
      withStore(undefined, async ({ store }) => {
        const read = await store.directory.read(0);
        const all = read?.directory.accounts ?? [];
        if (options.json) return printJson(all.map(accountView));
        for (const { uid, name, country } of all) print(`${uid}  ${country ?? '--'}  ${name}`);
      }),
    );
}

function addAccountCommand(accounts: Command, { withStore, print }: CommandContext): void {
  accounts
    .command('add')
    .description('add an account with one integration')
    .argument('<name>', '', nameArgument)
    .option('--country <code>', 'the country of numbers without +, such as NL', country)
    .action((name, options) =>
      withStore(undefined, async ({ store, audit }) => {
        const account = await addAccount(store, { name, country: options.country ?? null });
        await addIntegration(store, account, 'Phone system');
        await audit('settings', `account ${name} added`, account);
        print(`${account.uid}  ${account.country ?? '--'}  ${account.name}`);
      }),
    );
}

function setAccount(accounts: Command, { command, withStore }: CommandContext): void {
  command(accounts, 'set', 'change an account')
    .option('--name <name>', '', nameArgument)
    .option('--country <code>', 'such as NL', country)
    .option('--time-zone <name>', 'the time zone of its pages, such as Europe/Amsterdam', timeZone)
    .option(
      '--requests-per-minute <number>',
      'how many requests a process takes of its phone systems; none: no limit',
      limit,
    )
    .option(
      '--numbers-kept <days>',
      "after how many days its calls lose their callers' numbers, and notes are deleted; none: as the service's settings say",
      keptDays,
    )
    .option('--users <number>', `how many users it may have; none: ${accountLimits.users}`, limit)
    .action((options) =>
      withStore(options.account, async ({ store, account, audit }) => {
        const { name, country: code, timeZone: zone, requestsPerMinute, users, numbersKept } = options;
        const most = (limit: number | 'none') => (limit === 'none' ? null : limit);
        const change = {
          ...(code && { country: code }),
          ...(zone && { timeZone: zone }),
          ...(requestsPerMinute && { requestsPerMinute: most(requestsPerMinute) }),
          ...(numbersKept && { numbersKeptDays: most(numbersKept) }),
          ...(users && { mostUsers: most(users) }),
        };
        if (name) await audit('settings', await renameAccount(store, account, name));
        const named = { ...account, ...(name && { name }) };
        if (Object.keys(change).length > 0)
          await audit('settings', await changeAccount(store, named, change));
      }),
    );
}

function exportAccount(accounts: Command, { withStore, print, io }: CommandContext): void {
  accounts
    .command('export')
    .description('write everything that is stored of an account into a file, without secrets')
    .argument('<account>', 'name or uid')
    .argument(
      '<file>',
      'the file to create, readable by its owner only: a line of JSON for each row. - for standard output',
    )
    .action((name, file) =>
      withStore(name, async ({ store, account, audit }) => {
        const how = {
          left: () => (file === '-' ? 'what is written so far is not all' : `${file} is not written`),
          undo: () => file !== '-' && rmSync(file, { force: true }),
        };
        await longWork(`writing ${account.name}, rows`, how, async (progress) => {
          // In here, with nothing awaited before: Ctrl-C must find it, and no file that was there already.
          const target =
            file === '-'
              ? io.out
              : createWriteStream('', { fd: createFile(file, () => openSync(file, 'wx', 0o600)) });
          await audit('export', 'everything');
          const lines = Readable.from(exportLines(store, account.id, progress));
          await pipeline(lines, target, { end: file !== '-' });
        });
        if (file !== '-') print(`${file} has everything of ${account.name}`);
      }),
    );
}

function removeAccountCommand(accounts: Command, { withStore, print }: CommandContext): void {
  accounts
    .command('remove')
    .description(
      'remove an account with all of its calls, customers and users; may run again after an interruption',
    )
    .argument('<account>', 'name or uid')
    .option('--yes', 'do it; without, only what would be removed is printed')
    .action((name, options) =>
      withStore(name, async ({ store, account }) => {
        const { users, customers } = (await store.directory.fleetAccounts()).find(
          ({ id }) => id === account.id,
        ) ?? { users: 0, customers: 0 };
        const what = `${account.name} (${account.uid}): ${counted(users, 'user')}, ${counted(customers, 'customer')}, all of its calls and integrations`;
        if (!options.yes)
          throw new CommandRefused(
            `nothing was removed; --yes removes ${what}. Export it first: account export`,
          );
        const by = { who: systemUser().username, from: 'command' };
        const left = () =>
          'some of its rows are left, and its phone systems are refused; the same command again removes them';
        const isPurged = await longWork(`removing ${account.name}, rows`, { left }, (progress) =>
          removeAccount(store, account, by, { clock: Date.now, done: progress }),
        );
        print(
          `removed ${what}${isPurged ? '' : `; ${stillInLog}`}`,
          'Backups still hold it, and a PostgreSQL server until it has vacuumed.',
        );
      }),
    );
}

function siteTokenCommands(accounts: Command, { withStore, print }: CommandContext): void {
  for (const { which, tokenOf, description } of siteTokens)
    accounts
      .command(`${which}-token`)
      .description(description)
      .option('--rotate', 'create a new token; the old one stops working within a second')
      .action((options) =>
        withStore(undefined, async ({ store, keys, siteTokens, auditSite }) => {
          if (!options.rotate) return print(tokenOf(keys, siteTokens[which]));
          const counter = await store.directory.rotateSiteToken(which, siteTokens[which]);
          await auditSite('token', `${which} token replaced`);
          print(tokenOf(keys, counter));
        }),
      );
}

function adminToken(accounts: Command, { command, withStore, print }: CommandContext): void {
  command(accounts, 'admin-token', 'print the token for /admin')
    .option('--rotate', 'create a new token; the old one stops working at once')
    .action((options) =>
      withStore(options.account, async ({ store, keys, account, audit }) => {
        if (!options.rotate) return print(keys.adminToken(account));
        const rotated = await store.directory.rotateAdminToken(account.id, account.tokenCounter);
        await audit('token', 'administration token replaced');
        print(keys.adminToken(rotated));
      }),
    );
}

export function integrationCommands(
  parent: Command,
  { command, withStore, print, printJson, url }: CommandContext,
): void {
  const integrations = parent.command('integration').description('manage the integrations of an account');
  command(
    integrations,
    'list',
    'list integrations, and old tokens that are still accepted with who uses them',
  )
    .option('--json', 'as JSON')
    .action((options) =>
      withStore(options.account, async ({ integrations, store }) => {
        if (options.json)
          return printJson(integrations.map(({ uid, name, enabled }) => ({ uid, name, enabled })));
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
      withStore(options.account, async ({ store, keys, account, integrations, audit }) => {
        if (integrations.some((known) => known.name === name))
          throw new CommandRefused(`there is an integration "${name}"; service token prints its token`);
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

/** A limit of an account in a command line. */
function limit(text: string): number | 'none' {
  if (text === 'none') return text;
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new CommandRefused(`not a whole number from 1 to 999999, nor none: "${text}"`);
  return Number(text);
}

function keptDays(text: string): number | 'none' {
  if (text === 'none') return text;
  const [least, most] = [LEAST_KEPT_DAYS, mostKeptDays(undefined)];
  if (!/^\d{1,4}$/.test(text) || Number(text) < least || Number(text) > most)
    throw new CommandRefused(`not a number of days from ${least} to ${most}, nor none: "${text}"`);
  return Number(text);
}

function timeZone(name: string): string {
  if (!isTimeZone(name)) throw new CommandRefused(`not a time zone: "${name}" (example: Europe/Amsterdam)`);
  return name;
}
