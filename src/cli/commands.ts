import type { Command } from 'commander';
import { type Context, createContext, type Io } from './context.ts';
import { EXIT_CODES_HELP } from './exit-codes.ts';

type Options = Readonly<Record<string, unknown>> & { readonly json?: boolean };

/** Adds the commands for people who run the bridge. Each loads what it needs when it runs. */
export function addOperatorCommands(program: Command, io: Io): void {
  const command = (name: string, description: string, examples: string) =>
    program
      .command(name)
      .description(description)
      .option('--json', 'for scripts')
      .addHelpText('after', `\nExamples:\n${examples.trimEnd()}\n${EXIT_CODES_HELP}`);

  /** Runs a command with its context, and ends with its exit code. */
  const run =
    <O extends Options>(work: (context: Context, options: O, stop: AbortSignal) => Promise<number>) =>
    async (options: O) => {
      const stop = new AbortController();
      const onSignal = () => stop.abort();
      process.once('SIGINT', onSignal);
      process.once('SIGTERM', onSignal);
      io.exit(await work(createContext(io, options.json === true), options, stop.signal));
    };

  command(
    'status',
    'show how the running bridge is doing, on one screen',
    `  pbx-bridge status             once
  pbx-bridge status --watch     again every second
  pbx-bridge status --json      all of it, as /status.json gives it`,
  )
    .option('--watch', 'again every second, until Ctrl-C')
    .option('--url <url>', 'where the bridge shows its status; from STATUS_LISTEN if left out')
    .action(run(async (...args) => (await import('./status.ts')).status(...args)));
}
