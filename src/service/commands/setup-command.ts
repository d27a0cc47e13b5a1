import type { Command } from 'commander';
import { systemUser } from '../../shared/process/denied.ts';
import { makeKeys, serverSecret } from '../accounts/keys.ts';
import { holdsData, openStore } from '../database/open-store.ts';
import type { Store } from '../database/store.ts';
import { bridgeSettings, signInInstructions } from '../integrations/instructions.ts';
import { addAccountLocked, checkName } from '../settings/account-names.ts';
import { changeAccount } from '../settings/change-account.ts';
import { addUser, LINK_DAYS, makeInvitation, signInName, userName } from '../users/users.ts';
import type { AuditKind } from '../words/audit-kinds.ts';
import {
  accountMeant,
  addIntegration,
  type CommandContext,
  CommandRefused,
  country,
  nameArgument,
} from './command-context.ts';

type Wanted = { country?: string; administrator?: string; integration: string };

/** Makes what an office begins with. Run again, it adds and changes only what differs. */
export function setupCommand(parent: Command, { print, url, io }: CommandContext): void {
  parent
    .command('setup')
    .description(
      'without questions: an account with an integration and an administrator; again, only what differs changes',
    )
    .argument('<account>', '', nameArgument)
    .option('--country <code>', 'the country of numbers without +, such as NL', country)
    .option('--integration <name>', 'the phone system', nameArgument, 'Phone system')
    .option('--administrator <name>', 'who gets a link to sign in and choose a password')
    .option('--dry-run', 'print what would be done, and do nothing')
    .action(async (account: string, options: Wanted & { dryRun?: boolean }) => {
      const settings = io.options();
      const read =
        options.administrator === undefined ? undefined : userName.safeParse(options.administrator);
      if (read?.error) throw new CommandRefused(read.error.issues[0]?.message ?? 'not a valid name');
      const wanted = { ...options, ...(read?.data && { administrator: read.data }) };
      if (options.dryRun && !holdsData(settings)) {
        const { administrator, integration } = wanted;
        print(`would add account ${account}`, `would add integration ${integration}`);
        if (administrator) print(`would add administrator ${administrator}`);
        return;
      }
      const keys = makeKeys(serverSecret(settings.stateDir));
      const store = await openStore(settings, keys);
      try {
        const lines = await store.withLock(() => make(store, keys, account, wanted));
        print(...lines);
      } finally {
        await store.close();
      }
    });

  async function make(
    store: Store,
    keys: ReturnType<typeof makeKeys>,
    name: string,
    { country, administrator, integration: system, dryRun = false }: Wanted & { dryRun?: boolean },
  ): Promise<string[]> {
    const done: string[] = [];
    const say = (what: string) => done.push(dryRun ? `would ${what}` : what);
    const { accounts, integrations } = (await store.directory.read(0))?.directory ?? {
      accounts: [],
      integrations: [],
    };
    let account = accountMeant(accounts, name);
    const audit = async (what: AuditKind, target: string) =>
      store.audit.write({
        ...{ account: account?.id ?? 0, at: Date.now(), what, target },
        ...{ who: systemUser().username, from: 'command' },
      });
    if (account === undefined) {
      checkName(accounts, name);
      say(`add account ${name}`);
      if (!dryRun) {
        account = await addAccountLocked(store.directory, { name, country: country ?? null });
        await audit('settings', `account ${name} added`);
      }
    } else if (country !== undefined && country !== account.country) {
      say(`set the country of ${name} to ${country}`);
      if (!dryRun) await audit('settings', await changeAccount(store, account, { country }));
    }
    let integration = integrations.find((one) => one.account === account?.id && one.name === system);
    if (integration === undefined) {
      say(`add integration ${system}`);
      if (account && !dryRun) {
        integration = await addIntegration(store, account, system);
        await audit('token', `integration ${system} added`);
      }
    }
    const users = account === undefined ? [] : await store.users.list(account.id);
    const isNew =
      administrator !== undefined && !users.some((one) => one.signInName === signInName(administrator));
    if (isNew) say(`add administrator ${administrator}`);
    const nothing = done.length === 0 ? ['nothing to change'] : [];
    if (dryRun || account === undefined || integration === undefined) return [...done, ...nothing];
    const lines = [...done, ...nothing, '', ...bridgeSettings(url(), keys.integrationToken(integration))];
    if (!isNew) return lines;
    const user = await addUser(store, {
      account,
      name: administrator,
      role: 'administrator',
      now: Date.now(),
    });
    if (user === undefined) return lines; // somebody added the name in this moment
    await audit('user', `${user.name}: ${user.role}`);
    const link = await makeInvitation(store, keys, user, Date.now());
    await audit('link', user.name);
    return [...lines, '', ...signInInstructions(`${url()}/sign-in#${link}`, `${LINK_DAYS} days`)];
  }
}
