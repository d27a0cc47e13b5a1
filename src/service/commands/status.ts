import type { Command } from 'commander';
import type { Session } from './session.ts';

export function statusCommand(parent: Command, { print, command, withStore }: Session): void {
  command(
    parent,
    'status',
    'say where events are stored and what they survive there, and what an account holds',
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
        `account       ${account.name}: ${integrations.length} integrations, ${open.length} calls open, ${total} entries of history`,
      );
    }),
  );
}
