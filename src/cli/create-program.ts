import { Command } from 'commander';
import { EXIT_CONFIG } from './config/env.ts';
import { instanceOption } from './instance-option.ts';

export type RunOptions = { readonly isConfigured?: boolean; readonly instance?: string };

/** The program with its first command, which runs the bridge; others add theirs. */
export function createProgram(version: string, run: (options: RunOptions) => Promise<number>): Command {
  const program = new Command('pbx-bridge')
    .description('Report every inbound call of an Asterisk phone system to the Call Integration API.')
    .version(version)
    .showHelpAfterError();
  program
    .command('run')
    .description('run the bridge with the settings of the environment and .env')
    .option(
      '--is-configured',
      'run nothing: exit code 0 if a required setting is set, 1 if none is; for units',
    )
    .addOption(instanceOption())
    .addHelpText(
      'after',
      `
Exit codes: 0 stopped, 1 failed (restart it), ${EXIT_CONFIG} invalid configuration (correct it first).
Settings: see config/pbx-bridge.env.example.`,
    )
    .action(async (options) => {
      process.exit(await run(options));
    });
  return program;
}
