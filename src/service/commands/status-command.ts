import type { Command } from 'commander';
import { counted } from '../kit/formats.ts';
import type { CommandContext } from './command-context.ts';

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
