import type { Command } from 'commander';
import type { Account, Integration } from '../accounts/account.ts';
import { createKeys, type Keys, serverSecret } from '../accounts/keys.ts';
import { holdsData, openStore } from '../database/open-store.ts';
import type { Store } from '../database/store.ts';
import { bridgeSettings, signInInstructions } from '../integrations/instructions.ts';
import { addAccountLocked, checkName } from '../settings/account-names.ts';
import { changeAccount } from '../settings/change-account.ts';
import { addUser, createInvitation, LINK_DAYS, signInName, userName } from '../users/users.ts';
import type { AuditKind } from '../words/audit-kinds.ts';
import {
  accountMeant,
  addIntegration,
  type CommandContext,
  CommandRefused,
  country,
  createCommandAudit,
  nameArgument,
} from './command-context.ts';

type Options = {
  readonly country?: string;
  readonly administrator?: string;
  readonly integration: string;
  readonly dryRun?: boolean;
};

/** What an office begins with: an account of this name, an integration and an administrator. */
type Wanted = Options & { readonly name: string };

/** Makes what an office begins with. Run again, it adds and changes only what differs. */
export function setupCommand(parent: Command, context: CommandContext): void {
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
    .action((name: string, options: Options) => setUp({ ...options, name }, context));
}

async function setUp(given: Wanted, { print, url, io }: CommandContext): Promise<void> {
  const settings = io.options();
  const read = given.administrator === undefined ? undefined : userName.safeParse(given.administrator);
  if (read?.error) throw new CommandRefused(read.error.issues[0]?.message ?? 'not a valid name');
  const wanted = { ...given, ...(read?.data && { administrator: read.data }) };
  if (wanted.dryRun && !holdsData(settings)) {
    const { name, administrator, integration } = wanted;
    print(`would add account ${name}`, `would add integration ${integration}`);
    if (administrator) print(`would add administrator ${administrator}`);
    return;
  }
  const keys = createKeys(serverSecret(settings.stateDir));
  const store = await openStore(settings, keys);
  try {
    print(...(await store.withLock(() => make(createWork(store, wanted), keys, url()))));
  } finally {
    await store.close();
  }
}

/** One run of the command: what is wanted, and the lines that say what it has done. */
type Work = {
  readonly store: Store;
  readonly wanted: Wanted;
  readonly done: string[];
  readonly say: (what: string) => void;
  readonly audit: (account: Account, what: AuditKind, target: string) => Promise<void>;
};

function createWork(store: Store, wanted: Wanted): Work {
  const done: string[] = [];
  const audit = createCommandAudit(store);
  return {
    store,
    wanted,
    done,
    say: (what) => void done.push(wanted.dryRun ? `would ${what}` : what),
    audit: ({ id }, what, target) => audit(id, what, target),
  };
}

/** Returns the lines to print. */
async function make(work: Work, keys: Keys, url: string): Promise<string[]> {
  const { store, wanted, done, say } = work;
  const { administrator, dryRun } = wanted;
  const { accounts, integrations } = (await store.directory.read(0))?.directory ?? {
    accounts: [],
    integrations: [],
  };
  const account = await makeAccount(accounts, work);
  const integration = await makeIntegration(integrations, account, work);
  const users = account === undefined ? [] : await store.users.list(account.id);
  const isNew =
    administrator !== undefined && !users.some((one) => one.signInName === signInName(administrator));
  if (isNew) say(`add administrator ${administrator}`);
  const lines = done.length === 0 ? ['nothing to change'] : done;
  if (dryRun || account === undefined || integration === undefined) return lines;
  const settings = ['', ...bridgeSettings(url, keys.integrationToken(integration))];
  const invitation = isNew ? await invite(account, administrator, work, keys, url) : [];
  return [...lines, ...settings, ...invitation];
}

/** The account, new or known; undefined if it would be new. */
async function makeAccount(accounts: readonly Account[], work: Work): Promise<Account | undefined> {
  const { store, wanted, say, audit } = work;
  const { name, country, dryRun } = wanted;
  const account = accountMeant(accounts, name);
  if (account === undefined) {
    checkName(accounts, name);
    say(`add account ${name}`);
    if (dryRun) return undefined;
    const added = await addAccountLocked(store.directory, { name, country: country ?? null });
    await audit(added, 'settings', `account ${name} added`);
    return added;
  }
  if (country !== undefined && country !== account.country) {
    say(`set the country of ${name} to ${country}`);
    if (!dryRun) await audit(account, 'settings', await changeAccount(store, account, { country }));
  }
  return account;
}

/** The integration, new or known; undefined if it would be new. */
async function makeIntegration(
  integrations: readonly Integration[],
  account: Account | undefined,
  { store, wanted, say, audit }: Work,
): Promise<Integration | undefined> {
  const { integration: name, dryRun } = wanted;
  const integration = integrations.find((one) => one.account === account?.id && one.name === name);
  if (integration !== undefined) return integration;
  say(`add integration ${name}`);
  if (account === undefined || dryRun) return undefined;
  const added = await addIntegration(store, account, name);
  await audit(account, 'token', `integration ${name} added`);
  return added;
}

/** Adds the administrator. Returns the link to sign in; nothing if somebody has just added the name. */
async function invite(
  account: Account,
  name: string,
  { store, audit }: Work,
  keys: Keys,
  url: string,
): Promise<string[]> {
  const user = await addUser(store, { account, name, role: 'administrator', now: Date.now() });
  if (user === undefined) return [];
  await audit(account, 'user', `${user.name}: ${user.role}`);
  const link = await createInvitation(store, keys, user, Date.now());
  await audit(account, 'link', user.name);
  return ['', ...signInInstructions(`${url}/sign-in#${link}`, `${LINK_DAYS} days`)];
}
