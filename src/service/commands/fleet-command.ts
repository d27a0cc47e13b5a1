import type { Command } from 'commander';
import { version } from '../../shared/process/version.ts';
import { fleetView, readFleet } from '../integrations/fleet.ts';
import { counted } from '../kit/formats.ts';
import type { CommandContext } from './command-context.ts';

/** As of the bridge's commands. */
const FOUND_PROBLEM = 2;

/** For who runs the service: which bridges of all accounts need a look. */
export function fleetCommand(parent: Command, { print, printJson, withStore, io }: CommandContext): void {
  parent
    .command('fleet')
    .description(
      'list the bridges of all accounts that are silent, behind, outdated or have problems, and accounts near their limits',
    )
    .option('--all', 'also those without trouble, and what each account has')
    .option('--json', 'everything, as JSON')
    .action((options) =>
      withStore(undefined, async ({ store }) => {
        // Refused tokens and requests are counted by the running service: GET /admin/fleet has them.
        const fleet = await readFleet(store.directory, {
          now: Date.now(),
          version,
          refused: () => undefined,
          recentPeak: () => 0,
        });
        const troubled = fleet.bridges.filter(({ trouble }) => trouble.length > 0).length;
        if (troubled > 0) io.exit(FOUND_PROBLEM);
        if (options.json) return printJson(fleetView(fleet));
        const names = new Map(fleet.accounts.map(({ uid, name }) => [uid, name]));
        const listed = fleet.bridges.filter(({ trouble }) => options.all || trouble.length > 0);
        for (const { uid, name, account, trouble, version, queue, problems } of listed) {
          const waiting = queue === null ? [] : [`${counted(queue.events, 'event')} waiting`];
          const state = [trouble.join(', ') || 'ok', version ?? 'version unknown', ...waiting, ...problems];
          print([uid, names.get(account) ?? account, name, ...state].join('  '));
        }
        for (const { uid, name, users, mostUsers, customers, near } of fleet.accounts)
          if (options.all || near.length > 0) {
            const most = mostUsers === null ? '' : ` of ${mostUsers}`;
            print([uid, name, `${counted(users, 'user')}${most}`, counted(customers, 'customer')].join('  '));
          }
        print(`${troubled} of ${counted(fleet.bridges.length, 'bridge')} with trouble`);
      }),
    );
}
