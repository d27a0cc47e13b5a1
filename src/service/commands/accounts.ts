import type { Command } from 'commander';
import { isCountry } from '../../phone-number/normalise-number.ts';
import { newUid } from '../accounts/setup.ts';
import { isTimeZone } from '../pages/kit/formats.ts';
import { addIntegration, CommandRefused, chosen, type Session } from './session.ts';
import { forPhoneSystem } from './words.ts';

export function accountCommands(parent: Command, { command, withStore, print }: Session): void {
  const accounts = parent.command('account').description('the accounts of this service');
  command(accounts, 'list', 'list all accounts').action((options) =>
    withStore(options.account, async ({ store }) => {
      const read = await store.directory.read(0);
      for (const { uid, name, country } of read?.directory.accounts ?? [])
        print(`${uid}  ${country ?? '--'}  ${name}`);
    }),
  );
  command(accounts, 'add', 'add an account with one integration')
    .argument('<name>')
    .option('--country <code>', 'how its numbers without + are read, such as NL', country)
    .action((name, options) =>
      withStore(undefined, async ({ store }) => {
        const account = await store.directory.addAccount({
          uid: newUid(),
          name,
          country: options.country ?? null,
        });
        await addIntegration(store, account, 'Phone system');
        print(`${account.uid}  ${account.country ?? '--'}  ${account.name}`);
      }),
    );
  command(accounts, 'set', 'change the account')
    .option('--name <name>')
    .option('--country <code>', 'such as NL', country)
    .option('--time-zone <name>', 'that its people read times in, such as Europe/Amsterdam', timeZone)
    .action((options) =>
      withStore(options.account, async ({ store, account }) => {
        const { name, country: code, timeZone: zone } = options;
        await store.directory.changeAccount(account.id, {
          ...(name && { name }),
          ...(code && { country: code }),
          ...(zone && { timeZone: zone }),
        });
      }),
    );
  command(accounts, 'admin-token', 'print the token of /admin')
    .option('--rotate', 'make a new one; the old one ends at once')
    .action((options) =>
      withStore(options.account, async ({ store, keys, account }) => {
        if (options.rotate) await store.directory.changeAccount(account.id, { rotate: true });
        print(keys.adminToken({ ...account, tokenCounter: account.tokenCounter + (options.rotate ? 1 : 0) }));
      }),
    );
}

export function integrationCommands(parent: Command, { command, withStore, print, url }: Session): void {
  const integrations = parent.command('integration').description("the account's integrations");
  command(integrations, 'list', 'list them').action((options) =>
    withStore(options.account, async (opened) => {
      for (const { uid, name, enabled } of opened.integrations)
        print(`${uid}  ${enabled ? 'on ' : 'off'}  ${name}`);
    }),
  );
  command(integrations, 'add', 'add one')
    .argument('<name>')
    .action((name, options) =>
      withStore(options.account, async ({ store, keys, account }) => {
        print(...forPhoneSystem(url(), keys.integrationToken(await addIntegration(store, account, name))));
      }),
    );
  for (const enabled of [true, false]) {
    command(integrations, enabled ? 'on' : 'off', enabled ? 'let its token in again' : 'refuse its token')
      .argument('<integration>', 'name or uid')
      .action((name, options) =>
        withStore(options.account, async (opened) => {
          await opened.store.directory.changeIntegration(chosen(opened.integrations, name).id, { enabled });
        }),
      );
  }
}

function timeZone(name: string): string {
  if (!isTimeZone(name)) throw new CommandRefused(`"${name}" is no time zone, such as Europe/Amsterdam`);
  return name;
}

function country(code: string): string {
  if (!isCountry(code)) throw new CommandRefused(`"${code}" is no country of ISO 3166, such as NL`);
  return code;
}
