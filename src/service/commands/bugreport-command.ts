import type { Command } from 'commander';
import {
  addBugReportOptions,
  type BugReportOptions,
  writeBugReport,
  writtenText,
} from '../../shared/process/bugreport.ts';
import type { Directory } from '../accounts/directory-store.ts';
import { makeKeys } from '../accounts/keys.ts';
import { serverSecret } from '../accounts/server-secret.ts';
import { holdsData, openStore } from '../database/open-store.ts';
import type { CommandContext } from './command-context.ts';

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
    const store = await openStore(options, makeKeys(serverSecret(options.stateDir)));
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
