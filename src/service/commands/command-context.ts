import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import type { AlertSettings } from '../../shared/alerts/alert-targets.ts';
import { escapeControls, printableJson } from '../../shared/log/redact.ts';
import type { MailOptions } from '../../shared/mail/mail.ts';
import { isCountry } from '../../shared/phone-number/normalise-number.ts';
import { systemUser } from '../../shared/process/denied.ts';
import type { Account, Directory, Integration, SiteTokens } from '../accounts/account.ts';
import { newUid } from '../accounts/directory.ts';
import { createKeys, type Keys, serverSecret } from '../accounts/keys.ts';
import { holdsData, openStore, type StorageSettings } from '../database/open-store.ts';
import type { Store } from '../database/store.ts';
import { linkAddress } from '../kit/public-address.ts';
import { line } from '../kit/text.ts';
import { accountsMeant } from '../settings/account-names.ts';
import type { AuditKind } from '../words/audit-kinds.ts';

/** What the service commands need from the program. */
export type ServiceCommandsIo = {
  /** Reads the service's settings; throws if they are invalid. */
  options(): StorageSettings & {
    listen: { host: string; port: number };
    hosts: readonly string[];
    publicUrl?: string | undefined;
    tls?: object | undefined;
  };
  /** Reads where alerts go; throws if the settings are invalid. */
  alerts(): { readonly alerts: AlertSettings; readonly mail: MailOptions | undefined };
  /** Runs the service until it is stopped; calls `started` when it listens. */
  run(
    started: (service: { url: string; token(): string; link(): Promise<string> }) => void | Promise<void>,
  ): Promise<void>;
  /** For a bug report: the program's version, and its settings with the secrets that must not appear. */
  about(): { version: string; settings(): { lines: string[]; secrets: string[] } };
  /** Sets the exit code with which the program ends. */
  exit(code: number): void;
  readonly out: Writable & { readonly isTTY?: boolean };
  readonly in: Readable;
};

/** An error that the user of the command can correct; printed without a stack. */
export class CommandRefused extends Error {}

/** A store opened for one command, and the account that the command works on. */
export type OpenedStore = {
  store: Store;
  keys: Keys;
  account: Account;
  integrations: Integration[];
  siteTokens: SiteTokens;
  /** Adds an entry to the account's audit log, after the change. `target`: what was changed, without secrets. */
  audit(what: AuditKind, target: string, account?: Account): Promise<void>;
  /** The same of what concerns no account. */
  auditSite(what: AuditKind, target: string): Promise<void>;
};

export type CommandContext = ReturnType<typeof createCommandContext>;

export function createCommandContext(io: ServiceCommandsIo) {
  const url = () => {
    const options = io.options();
    const { host, port } = options.listen;
    const isAny = host === '0.0.0.0' || host === '::';
    return linkAddress(options, { host: isAny ? '127.0.0.1' : host, port });
  };

  // Names saved before control characters were refused may have some, line breaks too: each text is one line.
  const print = (...lines: string[]): void => void io.out.write(`${lines.map(escapeControls).join('\n')}\n`);

  return {
    /** Prints lines; a line break in one is escaped. */
    print,
    /** Prints JSON that people can read, too. */
    printJson: (value: unknown): void => void io.out.write(`${printableJson(value)}\n`),
    /** A command with the option --account. */
    command: (parent: Command, name: string, description: string): Command =>
      parent
        .command(name)
        .description(description)
        .option('--account <name>', 'account name or uid (default: the first)'),
    /** Opens the store for one command; `account` is a name or uid, the first if undefined. */
    withStore: (account: string | undefined, work: (opened: OpenedStore) => Promise<void>) =>
      openFor(io, account, work),
    /** The service's address according to its settings. */
    url,
    io,
  };
}

/** Writes what a command has done into the audit log, with who runs it. */
export const createCommandAudit =
  (store: Store) =>
  (account: number | null, what: AuditKind, target: string): Promise<void> =>
    store.audit.write({
      account,
      at: Date.now(),
      what,
      who: systemUser().username,
      from: 'command',
      target,
    });

async function openFor(
  io: ServiceCommandsIo,
  account: string | undefined,
  work: (opened: OpenedStore) => Promise<void>,
): Promise<void> {
  const options = io.options();
  const noData = `no service data in ${options.stateDir}; pbx-bridge service creates it`;
  if (!holdsData(options)) throw new CommandRefused(noData);
  const keys = createKeys(serverSecret(options.stateDir));
  const store = await openStore(options, keys);
  const audit = createCommandAudit(store);
  try {
    const { directory } = (await store.directory.read(0)) as { directory: Directory };
    const found = account === undefined ? directory.accounts[0] : accountMeant(directory.accounts, account);
    if (found === undefined)
      throw new CommandRefused(account === undefined ? noData : `there is no account "${account}"`);
    await work({
      store,
      keys,
      account: found,
      integrations: directory.integrations.filter((integration) => integration.account === found.id),
      siteTokens: directory.siteTokens,
      audit: (what, target, { id } = found) => audit(id, what, target),
      auditSite: (what, target) => audit(null, what, target),
    });
  } finally {
    await store.close();
  }
}

export function addIntegration(store: Store, account: Account, name: string): Promise<Integration> {
  return store.directory.addIntegration({ uid: newUid(), account: account.id, name, createdAt: Date.now() });
}

/** The account with this uid, else with this name; refused if several have it. */
export const accountMeant = (accounts: readonly Account[], given: string): Account | undefined =>
  onlyOne(accountsMeant(accounts, given), 'accounts', given);

/** Two have one name only in databases of version 1.0.0. */
function onlyOne<T extends { readonly uid: string }>(
  meant: readonly T[],
  kind: string,
  name: string,
): T | undefined {
  if (meant.length > 1) {
    const uids = meant.map(({ uid }) => uid).join(', ');
    throw new CommandRefused(`there are ${meant.length} ${kind} "${name}": give a uid instead (${uids})`);
  }
  return meant[0];
}

export function chosen(integrations: readonly Integration[], name: string | undefined): Integration {
  const found =
    name === undefined
      ? integrations[0]
      : (integrations.find(({ uid }) => uid === name) ??
        onlyOne(
          integrations.filter((integration) => integration.name === name),
          'integrations',
          name,
        ));
  if (found === undefined)
    throw new CommandRefused(`there is no integration ${name === undefined ? 'yet' : `"${name}"`}`);
  return found;
}

/** The name in a command line. */
export function nameArgument(text: string): string {
  const { success, data, error } = line('name').safeParse(text);
  if (!success) throw new CommandRefused(error.issues[0]?.message ?? 'not a name');
  return data;
}

/** The code of a country in a command line. */
export function country(code: string): string {
  if (!isCountry(code)) throw new CommandRefused(`not a two-letter country code: "${code}" (example: NL)`);
  return code;
}
