#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { startBridge } from './bridge.ts';
import {
  bridgeSections,
  ConfigError,
  EXIT_CONFIG,
  isUnset,
  loadConfig,
  readEnvironment,
} from './config/env.ts';
import { runUntilStopped } from './ops/lifecycle.ts';
import { createLog } from './ops/log.ts';
import { OutboxRefused } from './outbox/database.ts';

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

async function run(): Promise<number> {
  const environment = readEnvironment();
  const needed = ['AMI_USERNAME', 'AMI_SECRET', 'API_BASE_URL', 'API_TOKEN'];
  if (isUnset(needed, environment)) {
    complain(FIRST_STEPS);
    return EXIT_CONFIG;
  }
  const config = loadConfig(bridgeSections, environment);
  const log = createLog({ ...config.ops, secrets: [config.ami.secret, config.api.token] });
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

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof ConfigError) complain(error.lines);
  else if (error instanceof OutboxRefused) complain([error.message]);
  else throw error;
  process.exitCode = error instanceof ConfigError ? EXIT_CONFIG : 1;
}
