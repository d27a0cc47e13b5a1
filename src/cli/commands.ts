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
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
      try {
        io.exit(await work(createContext(io, options.json === true), options, stop.signal));
      } finally {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, onSignal);
      }
    };

  command(
    'check',
    'try everything that the bridge needs, and say what came of it; changes nothing',
    `  pbx-bridge check              before the first start, or when calls do not show
  pbx-bridge check --call       and listen for a test call for 30 s: is it seen, is it told, and why not`,
  )
    .option('--call [seconds]', 'listen for a test call (30 s)')
    .action(run(async (...args) => (await import('./check.ts')).check(...args)));

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
