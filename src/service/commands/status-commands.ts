import { type Command, Option } from 'commander';
import { noTargets, sendTestAlert } from '../../shared/alerts/alert-targets.ts';
import {
  addBugReportOptions,
  type BugReportOptions,
  writeBugReport,
  writtenText,
} from '../../shared/process/bugreport.ts';
import type { Directory } from '../accounts/account.ts';
import { createKeys, serverSecret } from '../accounts/keys.ts';
import { holdsData, openStore } from '../database/open-store.ts';
import { counted } from '../kit/formats.ts';
import { alertName, serviceAlertTargets } from '../upkeep/service-alerts.ts';
import { type AuditKind, auditKinds } from '../words/audit-kinds.ts';
import { type CommandContext, CommandRefused } from './command-context.ts';

/** Writes one file for a bug report about the service: nothing in it is secret or personal. */
export function bugReportCommand(parent: Command, { print, url, io }: CommandContext): void {
  const command = parent
    .command('bugreport')
    .description(
      'write one file for a bug report: version, machine, settings, storage and log, without secrets, names and numbers',
    );
  addBugReportOptions(command, 'pbx-bridge-service').action(async (options: BugReportOptions) => {
    const { version, settings } = io.about();
    const reporter = {
      program: 'pbx-bridge service',
      version,
      settings: settings(),
      stateDir: () => io.options().stateDir,
      unit: 'pbx-bridge-service',
      parts: {
        storage,
        async health() {
          const answer = await fetch(`${url()}/healthz`, { signal: AbortSignal.timeout(5_000) });
          return { status: answer.status, ...((await answer.json()) as object) };
        },
      },
    };
    print(writtenText(await writeBugReport(reporter, options)));
  });

  /** What is stored, without names. */
  async function storage(): Promise<unknown> {
    const options = io.options();
    if (!holdsData(options)) return 'no data';
    const store = await openStore(options, createKeys(serverSecret(options.stateDir)));
    try {
      const { directory } = (await store.directory.read(0)) as { directory: Directory };
      const accounts = [];
      for (const { id, country, timeZone } of directory.accounts) {
        const uses = await store.requests.use(id, Date.now() - 86_400_000);
        const { total } = await store.requests.page({ account: id, order: 'newest', offset: 0, limit: 1 });
        accounts.push({
          country,
          timeZone,
          requests: total,
          openCalls: (await store.openCalls(id, 1000)).length,
          integrations: directory.integrations
            .filter(({ account }) => account === id)
            .map(({ id, enabled }) => {
              const use = uses.find(({ integration }) => integration === id);
              const lastAt = use === undefined ? null : new Date(use.lastAt).toISOString();
              return { enabled, lastAt, requestsOfADay: use?.requests ?? 0 };
            }),
        });
      }
      return { ...(await store.about()), accounts };
    } finally {
      await store.close();
    }
  }
}

export function statusCommand(parent: Command, { print, command, withStore }: CommandContext): void {
  command(
    parent,
    'status',
    'show where events are stored, what they survive there, and what an account holds',
  ).action((options) =>
    withStore(options.account, async ({ store, account, integrations }) => {
      const { engine, survives, safe } = await store.about();
      const [open, { total }] = await Promise.all([
        store.openCalls(account.id, 1000),
        store.requests.page({ account: account.id, order: 'newest', offset: 0, limit: 1 }),
      ]);
      print(
        `storage       ${engine}`,
        `${safe ? '' : '! '}an acknowledged event is ${survives}`,
        `account       ${account.name}: ${counted(integrations.length, 'integration')}, ${counted(open.length, 'open call')}, ${total} requests in the API log`,
      );
    }),
  );
}

export function alertCommand(parent: Command, { print, io }: CommandContext): void {
  parent
    .command('alert')
    .description('send a test alert')
    .command('test')
    .description('send a test alert to ALERT_MAIL and ALERT_WEBHOOK; the service need not run')
    .action(async () => {
      const { alerts, mail } = io.alerts();
      const targets = serviceAlertTargets(alerts, mail, alertName(io.options().hosts));
      if (targets.length === 0) throw new CommandRefused(noTargets);
      const results = await sendTestAlert(targets, Date.now());
      print(...results.map(({ line }) => line));
      if (!results.every(({ ok }) => ok)) throw new CommandRefused('not every test alert was accepted');
    });
}

export function auditCommand(parent: Command, { print, command, withStore }: CommandContext): void {
  command(parent, 'audit', 'show who did what in an account: sign-ins, roles, tokens, exports and more')
    .option('--who <name>', 'only entries of this user')
    .addOption(new Option('--kind <kind>', 'only entries of this kind').choices(Object.keys(auditKinds)))
    .option('--unknown', 'failed sign-ins with names that no user has; they belong to no account')
    .option('--limit <count>', 'how many, newest first', Number, 100)
    .action((options) =>
      withStore(options.account, async ({ store, account }) => {
        const { entries } = await store.audit.page({
          account: options.unknown ? 0 : account.id,
          what: options.kind ?? null,
          who: options.who ?? null,
          before: null,
          limit: options.limit,
        });
        for (const { at, what, who, from, target } of entries)
          print([new Date(at).toISOString(), from, who, auditKinds[what as AuditKind], target].join('  '));
      }),
    );
}
