#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import {
  bridgeSections,
  ConfigError,
  EXIT_CONFIG,
  isUnset,
  loadConfig,
  readEnvironment,
} from './config/env.ts';
import { opsSection } from './config/ops.ts';
import { serviceSection } from './config/service.ts';
import { runUntilStopped } from './ops/lifecycle.ts';
import { createLog } from './ops/log.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** What somebody sees who has just unpacked the program. */
const FIRST_STEPS = [
  'pbx-bridge is not configured yet. See it at work first: npm run demo',
  'To connect your phone system, copy config/pbx-bridge.env.example to .env and fill in what stands open.',
  'No API to tell? npm run service starts one, and prints the lines for .env.',
];

const complain = (lines: readonly string[]) => process.stderr.write(`${lines.join('\n')}\n`);

/** Each command loads what it needs when it runs: `--help` is quick, and the bridge never loads the service. */
async function run(): Promise<number> {
  const environment = readEnvironment();
  if (isUnset(['AMI_USERNAME', 'AMI_SECRET', 'API_BASE_URL', 'API_TOKEN'], environment)) {
    complain(FIRST_STEPS);
    return EXIT_CONFIG;
  }
  const { ops, ...config } = loadConfig(bridgeSections, environment);
  const log = createLog({ ...ops, secrets: [config.ami.secret, config.api.token] });
  const { startBridge } = await import('./bridge.ts');
  return runUntilStopped((fail) => startBridge(config, { log, version, fail }), log);
}

const program = new Command('pbx-bridge')
  .description('Tells the Call Integration API of every inbound call of an Asterisk phone system.')
  .version(version)
  .showHelpAfterError();

program
  .command('run')
  .description('run the bridge, as the environment and the file .env configure it')
  .addHelpText(
    'after',
    `
Exit codes: 0 stopped, 1 failed (start it again), ${EXIT_CONFIG} wrong configuration (do not).
Settings: config/pbx-bridge.env.example says what there is.`,
  )
  .action(async () => {
    process.exitCode = await run();
  });

// The bridge's own process loads nothing of the service.
if (process.argv[2] !== 'run') {
  const { addOperatorCommands } = await import('./cli/commands.ts');
  const { processIo } = await import('./cli/context.ts');
  addOperatorCommands(program, processIo(version));
  const { addServiceCommands } = await import('./service/commands.ts');
  const options = () => loadConfig({ service: serviceSection, ops: opsSection }, readEnvironment());
  addServiceCommands(program, {
    options: () => options().service,
    async run(started) {
      const { service, ops } = options();
      const log = createLog({ ...ops, secrets: [] });
      const { startService } = await import('./service.ts');
      process.exitCode = await runUntilStopped(async (fail) => {
        const running = await startService(service, { log, fail });
        started(running);
        return running;
      }, log);
    },
    out: process.stdout,
    in: process.stdin,
  });
}

try {
  await program.parseAsync();
} catch (error) {
  // What a rule or the system refuses is said in one line; a mistake of ours shows where it is.
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof ReferenceError) throw error;
  complain(error instanceof ConfigError ? error.lines : [`pbx-bridge: ${error.message}`]);
  process.exitCode = error instanceof ConfigError ? EXIT_CONFIG : 1;
}
