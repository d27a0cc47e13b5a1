import { type Command, Option } from 'commander';
import { type AuditKind, auditKinds } from '../words/audit-kinds.ts';
import type { CommandContext } from './command-context.ts';

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
